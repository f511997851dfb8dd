/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A chain: `low` holds FIRST; `middle` is busy; `high` wants FIRST. In the second round a component
 * fails with SECOND, and `high` gets that.
 */
#include "components/lib/print.h"

#define FIRST 0
#define SECOND 15
#define NO_LOCK 16
#define WORK_US 5000
#define BUSY_US 100000
#define PATIENCE_US 1000000

static volatile bool is_held;
static volatile bool is_given;
static volatile uint64_t busy_until;

static void spin(uint64_t duration_us)
{
    uint64_t end = timer_now_us().value + duration_us;

    while (timer_now_us().value < end) {
    }
}

void thread_low(uint64_t unused)
{
    (void)unused;
    locks_take(FIRST, PATIENCE_US);
    is_held = true;
    spin(WORK_US);
    is_given = true;
    locks_give(FIRST);
}

void thread_middle(uint64_t unused)
{
    (void)unused;
    while (!is_held) {
        timer_sleep(100);
    }
    spin(BUSY_US);
    busy_until = timer_now_us().value;
}

/* How long it has waited. */
static uint64_t wait_for(uint64_t lock, uint64_t *taken)
{
    uint64_t start = timer_now_us().value;

    *taken = locks_take(lock, PATIENCE_US).value;
    return timer_now_us().value - start;
}

void thread_high(uint64_t unused)
{
    uint64_t first;
    uint64_t second;
    uint64_t waited;
    uint64_t recovered;
    uint64_t refused;
    bool is_good;

    (void)unused;
    while (!is_held) {
        timer_sleep(100);
    }
    timer_sleep(200); /* now the one between has the hart */
    waited = wait_for(FIRST, &first);
    is_good = first == 1 && is_given && busy_until == 0 && waited < 2 * WORK_US;
    refused = locks_take(FIRST, 0).value + locks_take(NO_LOCK, 0).value +
              locks_give(NO_LOCK).value + locks_give(SECOND).value;
    locks_give(FIRST);

    is_good = is_good && careless_fail_with(SECOND).error == ERROR_FAILED;
    recovered = wait_for(SECOND, &second);
    is_good = is_good && second == 1 && refused == 0;
    timer_sleep(2 * BUSY_US);
    is_good = is_good && busy_until != 0; /* who was between has its turn */
    print_line("%s components: waited_us=%lu recovered_us=%lu", is_good ? "PASS" : "FAIL", waited,
               recovered);
    kernel_call(CALL_SHUTDOWN, !is_good, 0, 0);
}
