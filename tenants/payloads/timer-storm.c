/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that no timer interrupt is lost, doubled or early: arms deadlines between the past and
 * half a millisecond ahead, one after the other, and counts exactly one interrupt for each. Half of
 * the time it waits in WFI, half of the time it stays busy. Some deadlines are replaced before they
 * fall due; those must never fire.
 *
 * Arguments: seconds=N (default 5)   seed=N
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sbi.h"
#include "rt/trap.h"

/* An interrupt that has not come this long after its deadline is lost, whatever runs besides. */
#define LOST_AFTER_US 2000000

const char payload_name[] = "timer-storm";

static volatile uint64_t interrupts;
static volatile uint64_t fired_at;
static volatile uint64_t deadline;
static uint64_t longest;

static void on_timer(void)
{
    fired_at = clock_now();
    interrupts++;
    sbi_set_timer(UINT64_MAX);
}

static void await_interrupt(uint64_t expected, bool sleep)
{
    uint64_t limit = clock_now() + clock_ticks(LOST_AFTER_US);
    uint64_t before = clock_now();

    while (interrupts < expected) {
        uint64_t now = clock_now();

        check(now >= before, "time went back from %lu to %lu", before, now);
        /* Preempted between the two, it may have come meanwhile. */
        check(now < limit || interrupts >= expected,
              "interrupt %lu for deadline %lu has not come at %lu", expected, deadline, now);
        before = now;
        /* With interrupts off from the test to the WFI, none can slip in between. */
        interrupts_disable();
        if (sleep && interrupts < expected) {
            wait_for_interrupt();
        }
        interrupts_enable();
    }
}

static void run_one(struct random *random, uint64_t number)
{
    uint64_t window = clock_ticks(500);
    uint64_t delta =
        random_below(random, 4) == 0 ? random_below(random, 16) : random_below(random, window);

    interrupts_disable();
    if (random_below(random, 4) == 0) {
        /* Replaced at once: it must not fire in place of, or besides, the second one. */
        sbi_set_timer(clock_now() + random_below(random, 64));
    }
    if (random_below(random, 8) == 0) {
        deadline = clock_now() - random_below(random, window);
    } else {
        deadline = clock_now() + delta;
    }
    sbi_set_timer(deadline);
    interrupts_enable();
    await_interrupt(number, random_below(random, 2) == 0);
    check(fired_at >= deadline, "fired at %lu, before its deadline %lu", fired_at, deadline);
    check(interrupts == number, "%lu interrupts for %lu deadlines", interrupts, number);
    if (fired_at - deadline > longest) {
        longest = fired_at - deadline;
    }
}

void main(void)
{
    struct random random = random_from(platform_number("seed", 1));
    uint64_t end = clock_now() + clock_ticks(platform_number("seconds", 5) * 1000000);
    uint64_t armed = 0;

    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    sbi_set_timer(UINT64_MAX);
    csr_write(sie, INTERRUPT_TIMER);
    while (clock_now() < end) {
        run_one(&random, ++armed);
    }
    clock_spin(2000);
    check(interrupts == armed, "%lu interrupts for %lu deadlines", interrupts, armed);
    print("timer-storm: deadlines=%lu interrupts=%lu longest-delay-ticks=%lu\n", armed, interrupts,
          longest);
    check_pass();
}
