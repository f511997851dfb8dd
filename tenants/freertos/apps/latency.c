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
#include "report.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "task.h"

#define REPORT_PRIORITY 1
#define STACK_WORDS 512

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

static void run_report(void *parameters)
{
    TickType_t period = report_period();
    TickType_t next = xTaskGetTickCount();

    (void)parameters;
    report_share_console();
    for (;;) {
        TickType_t now = xTaskGetTickCount();

        next += period;
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

    print("FreeRTOS %s latency: %d Hz\n", tskKERNEL_VERSION_NUMBER, configTICK_RATE_HZ);
    report_handle = xTaskCreateStatic(run_report, "report", STACK_WORDS, NULL, REPORT_PRIORITY,
                                      report_stack, &report_task);
    latency_probe_start(platform_number("busy", 0) * period / 100, platform_number("stop-after", 0),
                        end_report);
    vTaskStartScheduler();
}
