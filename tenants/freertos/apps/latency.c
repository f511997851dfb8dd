/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wake-up latency of a 1 kHz periodic task: from the moment its tick is due to the task's first
 * instruction after the wake-up. A task of low priority prints the statistics since the start.
 *
 * Arguments: report=2s (or ms)   time between two lines
 *            stop-after=N        shut down after N samples (default: never)
 *            busy=N%             work in each period, in per cent of it
 */

#include "FreeRTOS.h"
#include "latency_probe.h"
#include "rt/arguments.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "task.h"

#define REPORT_PRIORITY 1
#define STACK_WORDS 512
#define DEFAULT_REPORT_MS 2000

static TickType_t report_period;

static StaticTask_t report_task;
static StackType_t report_stack[STACK_WORDS];
static TaskHandle_t report_handle;

static void report(void)
{
    latency_print("latency", latency_probe_read(), platform.timebase_hz);
}

/* All samples are taken: the report task is to end it. */
static void end_report(void)
{
    xTaskNotifyGive(report_handle);
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

void main(void)
{
    uint64_t period = platform.timebase_hz / configTICK_RATE_HZ;

    report_period =
        pdMS_TO_TICKS(argument_milliseconds(platform_argument("report"), DEFAULT_REPORT_MS));
    print("FreeRTOS %s latency: %d Hz\n", tskKERNEL_VERSION_NUMBER, configTICK_RATE_HZ);
    report_handle = xTaskCreateStatic(run_report, "report", STACK_WORDS, NULL, REPORT_PRIORITY,
                                      report_stack, &report_task);
    latency_probe_start(platform_number("busy", 0) * period / 100, platform_number("stop-after", 0),
                        end_report);
    vTaskStartScheduler();
}
