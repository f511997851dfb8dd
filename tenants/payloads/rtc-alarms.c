/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A driver of the clock for which each alarm comes while the one before is in service: the handler
 * sets the next one, works until that one is due, and completes. The PLIC then has to interrupt it
 * again at once. It never ends.
 *
 * Prints "rtc-alarms: alarms=N" every 0.5 s, whether alarms come or not.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/goldfish_rtc.h"
#include "rt/plic.h"
#include "rt/trap.h"

#define PERIOD_NS 100000
#define WORK_US 150
#define REPORT_US 500000

const char payload_name[] = "rtc-alarms";

static struct goldfish_rtc rtc;
static volatile uint64_t alarms;

static void on_external(void)
{
    uint32_t source = plic_claim();

    if (source == 0) {
        return;
    }
    check(source == rtc.source, "source %u arrived", source);
    goldfish_rtc_acknowledge(&rtc);
    goldfish_rtc_set_alarm(&rtc, goldfish_rtc_now(&rtc) + PERIOD_NS);
    alarms++;
    clock_spin(WORK_US);
    plic_complete(source);
}

void main(void)
{
    check(goldfish_rtc_find(&rtc), "the device tree has no clock");
    trap_set_handler(CAUSE_INTERRUPT_EXTERNAL, on_external);
    plic_set_threshold(0);
    plic_enable(rtc.source, 1);
    csr_write(sie, INTERRUPT_EXTERNAL);
    interrupts_enable();
    goldfish_rtc_set_alarm(&rtc, goldfish_rtc_now(&rtc) + PERIOD_NS);
    for (uint64_t report = clock_now();;) {
        report += clock_ticks(REPORT_US);
        while (clock_now() < report) {
        }
        print("rtc-alarms: alarms=%lu\n", alarms);
    }
}
