/* SPDX-License-Identifier: BSD-2-Clause */
#include "latency_probe.h"

#include "FreeRTOS.h"
#include "port.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "task.h"

#define PRIORITY (configMAX_PRIORITIES - 1)
#define STACK_WORDS 512

static struct latency_statistics probed = LATENCY_STATISTICS_NONE;
static uint64_t busy;
static uint64_t sample_limit;
static void (*limit_reached)(void);

static StaticTask_t task;
static StackType_t stack[STACK_WORDS];

void latency_add(struct latency_statistics *statistics, uint64_t latency, uint64_t period)
{
    statistics->samples++;
    statistics->sum += latency;
    if (latency < statistics->minimum) {
        statistics->minimum = latency;
    }
    if (latency > statistics->maximum) {
        statistics->maximum = latency;
    }
    if (latency >= period) {
        statistics->missed++;
    }
}

/* Tenths of a microsecond in `ticks`, rounded. */
static uint64_t tenths(uint64_t ticks, uint64_t clock_hz)
{
    return (ticks * 10000000 + clock_hz / 2) / clock_hz;
}

/* The average in tenths of a microsecond, rounded; the sum of long runs is too large to be
 * multiplied. */
static uint64_t average_tenths(const struct latency_statistics *statistics, uint64_t clock_hz)
{
    uint64_t whole = statistics->sum / statistics->samples;
    uint64_t rest = statistics->sum % statistics->samples;

    return (whole * 10000000 + rest * 10000000 / statistics->samples + clock_hz / 2) / clock_hz;
}

void latency_print(const char *name, struct latency_statistics statistics, uint64_t clock_hz)
{
    uint64_t minimum = tenths(statistics.minimum, clock_hz);
    uint64_t maximum = tenths(statistics.maximum, clock_hz);
    uint64_t average;

    if (statistics.samples == 0) {
        return;
    }
    average = average_tenths(&statistics, clock_hz);
    print("%s: samples=%lu min=%lu.%luus avg=%lu.%luus max=%lu.%luus missed=%lu\n", name,
          statistics.samples, minimum / 10, minimum % 10, average / 10, average % 10, maximum / 10,
          maximum % 10, statistics.missed);
}

static void work(uint64_t duration)
{
    uint64_t start = clock_now();

    while (clock_now() - start < duration) {
    }
}

static void run(void *parameters)
{
    uint64_t period = platform.timebase_hz / configTICK_RATE_HZ;
    TickType_t tick = xTaskGetTickCount();

    (void)parameters;
    for (;;) {
        uint64_t latency;

        xTaskDelayUntil(&tick, 1);
        latency = clock_now() - port_tick_time(tick);
        taskENTER_CRITICAL();
        latency_add(&probed, latency, period);
        taskEXIT_CRITICAL();
        if (probed.samples == sample_limit) {
            limit_reached();
            vTaskSuspend(NULL);
        }
        work(busy);
    }
}

void latency_probe_start(uint64_t busy_time, uint64_t stop_after, void (*at_end)(void))
{
    busy = busy_time;
    sample_limit = stop_after;
    limit_reached = at_end;
    xTaskCreateStatic(run, "periodic", STACK_WORDS, NULL, PRIORITY, stack, &task);
}

struct latency_statistics latency_probe_read(void)
{
    struct latency_statistics now;

    taskENTER_CRITICAL();
    now = probed;
    taskEXIT_CRITICAL();
    return now;
}
