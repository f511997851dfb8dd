/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wake-up latency of a 1 kHz periodic task: from the moment its tick is due to the task's first
 * instruction after the wake-up. A task of low priority prints the statistics since the start.
 *
 * Arguments: report=2s (or ms)   time between two lines
 *            stop-after=N        shut down after N samples (default: never)
 *            busy=N%             work in each period, in per cent of it
 */
#include <string.h>

#include "FreeRTOS.h"
#include "port.h"
#include "rt/arguments.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "task.h"

#define PERIODIC_PRIORITY (configMAX_PRIORITIES - 1)
#define REPORT_PRIORITY 1
#define STACK_WORDS 512
#define DEFAULT_REPORT_MS 2000

/* Ticks of the time CSR. */
struct statistics {
    uint64_t samples;
    uint64_t minimum;
    uint64_t maximum;
    uint64_t sum;
    uint64_t missed; /* periods that started a whole period late or later */
};

static struct statistics statistics = {.minimum = UINT64_MAX};
static uint64_t stop_after;
static uint64_t busy_time;
static TickType_t report_period;

static StaticTask_t periodic_task;
static StackType_t periodic_stack[STACK_WORDS];
static StaticTask_t report_task;
static StackType_t report_stack[STACK_WORDS];
static TaskHandle_t report_handle;

static void record(uint64_t latency, uint64_t period)
{
    taskENTER_CRITICAL();
    statistics.samples++;
    statistics.sum += latency;
    if (latency < statistics.minimum) {
        statistics.minimum = latency;
    }
    if (latency > statistics.maximum) {
        statistics.maximum = latency;
    }
    if (latency >= period) {
        statistics.missed++;
    }
    taskEXIT_CRITICAL();
}

static void work(uint64_t duration)
{
    uint64_t start = clock_now();

    while (clock_now() - start < duration) {
    }
}

static void run_periodic(void *parameters)
{
    uint64_t period = platform.timebase_hz / configTICK_RATE_HZ;
    TickType_t tick = xTaskGetTickCount();

    (void)parameters;
    for (;;) {
        xTaskDelayUntil(&tick, 1);
        record(clock_now() - port_tick_time(tick), period);
        if (statistics.samples == stop_after) {
            xTaskNotifyGive(report_handle);
            vTaskSuspend(NULL);
        }
        work(busy_time);
    }
}

/* Tenths of a microsecond in `ticks`, rounded. */
static uint64_t tenths(uint64_t ticks)
{
    return (ticks * 10000000 + platform.timebase_hz / 2) / platform.timebase_hz;
}

static void report(void)
{
    struct statistics now;
    uint64_t minimum;
    uint64_t average;
    uint64_t maximum;

    taskENTER_CRITICAL();
    now = statistics;
    taskEXIT_CRITICAL();
    if (now.samples == 0) {
        return;
    }
    minimum = tenths(now.minimum);
    average = tenths(now.sum) / now.samples;
    maximum = tenths(now.maximum);
    print("latency: samples=%lu min=%lu.%luus avg=%lu.%luus max=%lu.%luus missed=%lu\n",
          now.samples, minimum / 10, minimum % 10, average / 10, average % 10, maximum / 10,
          maximum % 10, now.missed);
}

/* The console is full: it drains while others run. */
static void wait_a_tick(void)
{
    vTaskDelay(1);
}

static void run_report(void *parameters)
{
    TickType_t next = xTaskGetTickCount();

    (void)parameters;
    console_set_wait(wait_a_tick);
    for (;;) {
        TickType_t now = xTaskGetTickCount();

        next += report_period;
        if (ulTaskNotifyTake(pdTRUE, next > now ? next - now : 0) != 0) {
            report();
            sbi_shutdown(false);
        }
        report();
    }
}

static uint64_t parse_report_ms(void)
{
    const char *text = platform_argument("report");
    uint64_t value;

    if (text == NULL || !argument_number(&text, &value) || value == 0) {
        return DEFAULT_REPORT_MS;
    }
    return strncmp(text, "ms", 2) == 0 ? value : value * 1000;
}

void main(void)
{
    uint64_t period = platform.timebase_hz / configTICK_RATE_HZ;

    report_period = pdMS_TO_TICKS(parse_report_ms());
    stop_after = platform_number("stop-after", 0);
    busy_time = platform_number("busy", 0) * period / 100;

    print("FreeRTOS %s latency: %d Hz\n", tskKERNEL_VERSION_NUMBER, configTICK_RATE_HZ);
    report_handle = xTaskCreateStatic(run_report, "report", STACK_WORDS, NULL, REPORT_PRIORITY,
                                      report_stack, &report_task);
    xTaskCreateStatic(run_periodic, "periodic", STACK_WORDS, NULL, PERIODIC_PRIORITY,
                      periodic_stack, &periodic_task);
    vTaskStartScheduler();
}
