/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small RTOS for the RTL measurement: it sleeps in WFI, is woken by its timer, and does this
 * `rounds` times. The event log of the simulation shows what each wake-up and each WFI took.
 *
 * Arguments: rounds=N (default 12)   period=N   ticks between wake-ups (default 60)
 *            jitter=N   ticks by which the period grows each round (default 0)
 *            sv39=N     1: run with page tables of 4 KiB pages (default 0)
 */
#include "bench/results.h"
#include "bench/small_pages.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

static volatile uint64_t wakeups;

static void on_timer(void)
{
    wakeups++;
    sbi_set_timer(UINT64_MAX);
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 12);
    uint64_t period = platform_number("period", 60);
    uint64_t jitter = platform_number("jitter", 0);

    results_open();
    if (platform_number("sv39", 0) != 0) {
        small_pages_enable();
    }
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    csr_write(sie, INTERRUPT_TIMER);
    interrupts_enable();
    results_mark(1);
    for (uint64_t round = 1; round <= rounds; round++) {
        sbi_set_timer(clock_now() + period);
        period += jitter;
        while (wakeups < round) {
            wait_for_interrupt();
        }
    }
    results_mark(2);
    results_end();
    results_pass("rtl-rtos");
}
