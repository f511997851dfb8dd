/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A chain: `low` holds FIRST; `middle` is busy; `high` wants FIRST. In the second round a component
 * fails with SECOND, and `high` gets that. In the third one is killed in which `low` waits for
 * THIRD, which `high` holds: `low` is told at once, and the lock does not go to one who is gone.
 */
#include "components/lib/print.h"

#define FIRST 0
#define THIRD 7
#define SECOND 15
#define NO_LOCK 16
#define WORK_US 5000
#define BUSY_US 100000
#define PATIENCE_US 1000000

static volatile bool is_held;
static volatile bool is_given;
static volatile uint64_t busy_until;
static volatile bool is_third;
static volatile uint64_t told; /* when `low` was, and what */
static volatile int64_t told_what;

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
    while (!is_third) {
        timer_sleep(100);
    }
    told_what = careless_wait_for(THIRD).error;
    told = timer_now_us().value;
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

/* Whether a lock for which a thread waits in a component that is killed is as if it had not. */
static bool kill_who_waits(void)
{
    uint64_t killed;

    locks_take(THIRD, 0);
    is_third = true;
    timer_sleep(WORK_US);
    killed = timer_now_us().value;
    faults_kill(ID_CARELESS);
    timer_sleep(WORK_US);
    if (told_what != ERROR_FAILED || told - killed > WORK_US) {
        return false;
    }
    locks_give(THIRD);
    timer_sleep(WORK_US);
    return locks_take(THIRD, 0).value == 1;
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
    is_good = kill_who_waits() && is_good;
    print_line("%s components: waited_us=%lu recovered_us=%lu", is_good ? "PASS" : "FAIL", waited,
               recovered);
    kernel_call(CALL_SHUTDOWN, !is_good, 0, 0);
}
