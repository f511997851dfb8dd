/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include "latency_probe.h"
#include "rt/arguments.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "task.h"

#define DEFAULT_REPORT_MS 2000

static void wait_a_tick(void)
{
    vTaskDelay(1);
}

void report_share_console(void)
{
    console_set_wait(wait_a_tick);
}

TickType_t report_period(void)
{
    return pdMS_TO_TICKS(argument_milliseconds(platform_argument("report"), DEFAULT_REPORT_MS));
}

_Noreturn void report_periodically(void (*report)(void *), void *what)
{
    TickType_t period = report_period();
    TickType_t tick = xTaskGetTickCount();

    report_share_console();
    for (;;) {
        xTaskDelayUntil(&tick, period);
        report(what);
    }
}

static void print_lateness(void *statistics)
{
    const struct latency_statistics *lateness = statistics;
    struct latency_statistics now;

    taskENTER_CRITICAL();
    now = *lateness;
    taskEXIT_CRITICAL();
    latency_print("latency", now, platform.timebase_hz);
}

_Noreturn void report_lateness(void *parameters)
{
    report_periodically(print_lateness, parameters);
}
