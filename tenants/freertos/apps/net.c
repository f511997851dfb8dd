/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network tenant that keeps its deadlines: lwIP with a UDP echo (port 7) and a throughput test,
 * beside the 1 kHz task that measures its own latency. Prints, cumulative since the start,
 *
 *   net: link=up echoes=12 runs=1 sent=1000 received=1000 lost=0 wrong=0
 *   latency: samples=1000 min=1.2us avg=2.1us max=9.8us missed=0  (due -> task)
 *
 * Arguments: address=, gateway=, frames=   see lwip/network.h
 *            report=2s (or ms)    time between two reports
 */
#include "FreeRTOS.h"
#include "latency_probe.h"
#include "lwip/network.h"
#include "report.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "services/udp_check.h"
#include "services/udp_echo.h"
#include "services/udp_exchange.h"
#include "task.h"

#define NETWORK_PRIORITY 3
#define REPORT_PRIORITY 1
#define STACK_WORDS 512

static StaticTask_t report_task;
static StackType_t report_stack[STACK_WORDS];

static void begin(void)
{
    udp_echo_start();
    udp_check_start();
    udp_exchange_start();
}

static void report(void *what)
{
    struct udp_check_counts check = udp_check_counts();

    (void)what;
    print("net: link=%s echoes=%u runs=%u sent=%u received=%u lost=%u wrong=%u\n",
          network_has_link() ? "up" : "down", udp_echo_count(), check.runs, check.sent,
          check.received, check.lost, check.wrong);
    latency_print("latency", latency_probe_read(), platform.timebase_hz);
}

static void run_report(void *parameters)
{
    report_periodically(report, parameters);
}

void main(void)
{
    print("FreeRTOS %s net: %d Hz\n", tskKERNEL_VERSION_NUMBER, configTICK_RATE_HZ);
    if (!network_start(NETWORK_PRIORITY, begin)) {
        print("net: there is no network device, or no usable address=\n");
        sbi_shutdown(true);
    }
    xTaskCreateStatic(run_report, "report", STACK_WORDS, NULL, REPORT_PRIORITY, report_stack,
                      &report_task);
    latency_probe_start(0, 0, NULL);
    vTaskStartScheduler();
}
