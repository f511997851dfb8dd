/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small RTOS for the RTL measurement: it sleeps in WFI, is woken by its timer, and does this
 * `rounds` times. The event log of the simulation shows what each wake-up and each WFI took. It
 * reads the time once only, because that is emulated here and would take a share of the caches.
 *
 * Arguments: start=N   ticks to sleep first, until the others are there (default 20)
 *            rounds=N (default 12)   period=N   ticks between wake-ups (default 60)
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

static void sleep_until(uint64_t deadline)
{
    uint64_t before = wakeups;

    sbi_set_timer(deadline);
    while (wakeups == before) {
        wait_for_interrupt();
    }
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 12);
    uint64_t period = platform_number("period", 60);
    uint64_t jitter = platform_number("jitter", 0);
    uint64_t deadline;

    results_open();
    if (platform_number("sv39", 0) != 0) {
        small_pages_enable();
    }
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    csr_write(sie, INTERRUPT_TIMER);
    interrupts_enable();
    deadline = clock_now() + platform_number("start", 20);
    sleep_until(deadline);
    results_mark(1);
    for (uint64_t round = 0; round < rounds; round++) {
        deadline += period + round * jitter;
        sleep_until(deadline);
    }
    results_mark(2);
    results_end();
    results_pass("rtl-rtos");
}
