/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Argument of the tenant: kills=N   of each component (default 50)
 *
 * An invocation of a component that is killed meanwhile fails; none may come back wrong, none stay
 * away, and in the end each component must have been restarted as often as it was killed, a lock
 * must be free, memory lent to nobody, and the control loop have missed no period.
 */
#include "components/lib/checked.h"
#include "components/lib/print.h"
#include "system.h"

#define DEFAULT_KILLS 50
#define MOST_PAUSE 300
#define LOCK 3
#define PATIENCE_US 10000
#define NO_NAME 0x21 /* "!" */

static uint64_t done;
static uint64_t failed;
static uint64_t wrong;
static uint64_t words[512] __attribute__((aligned(4096)));

/* What its caller gets of something that is killed now and then: `right`, or an error. */
static void judge(struct result result, uint64_t right)
{
    failed += result.error == ERROR_FAILED;
    wrong += result.error != ERROR_FAILED && (result.error != OK || result.value != right);
}

/* A lock, memory that is lent, a name, a setting. */
static void use_all(uint64_t value)
{
    struct result taken = locks_take(LOCK, PATIENCE_US);

    words[0] = value;
    words[1] = 1;
    kernel_call(CALL_LEND, CAPABILITY_READER_ADD, (uintptr_t)words, 0);
    judge(reader_add((uintptr_t)words, 2), value + 1);
    kernel_call(CALL_TAKE_BACK, 0, 0, 0);
    judge(names_find(NO_NAME, 0), SYSTEM_COMPONENTS);
    judge(settings_set(NO_NAME, 0, value), 1);
    if (taken.error == OK && taken.value == 1) {
        locks_give(LOCK); /* after a restart of the locks nobody holds it */
    }
}

void thread_work(uint64_t unused)
{
    uint64_t seed = 0x123456789abcdef;

    (void)unused;
    for (;;) {
        uint64_t a = random_next(&seed);
        uint64_t b = random_next(&seed);
        uint64_t sum = checked_sum(a, b, 3, 4, 5);
        struct result result = alpha_work(a, b, 3, 4, 5, sum);

        if (checked_result(result, mix(sum, 1), sum) == sum) {
            done++;
        } else if (result.error == ERROR_FAILED || result.value == CHECKED_FAILED) {
            failed++;
        } else {
            wrong++;
        }
        log_note(a, b);
        use_all(a);
        if (a % 64 == 0) {
            timer_sleep(a % 16);
        }
    }
}

/* Kills each but itself and the control loop; how many of them have not been restarted for it. */
static uint64_t kill_all(uint64_t *seed)
{
    uint64_t missing = 0;

    for (uint64_t id = 0; id < SYSTEM_COMPONENTS; id++) {
        uint64_t before = kernel_call(CALL_RESTARTS, id, 0, 0).value;

        if (id == COMPONENT_ID || id == ID_CONTROL) {
            continue;
        }
        faults_kill(id);
        missing += kernel_call(CALL_RESTARTS, id, 0, 0).value != before + 1;
        ticker_pause(random_next(seed) % MOST_PAUSE);
    }
    return missing;
}

void thread_kill(uint64_t unused)
{
    uint64_t kills = argument("kills");
    uint64_t seed = 0xfedcba987654321;
    uint64_t missing = 0;
    uint64_t taken;
    bool is_good;

    (void)unused;
    kills = kills != 0 ? kills : DEFAULT_KILLS;
    for (uint64_t round = 0; round < kills; round++) {
        missing += kill_all(&seed);
    }
    timer_sleep(PATIENCE_US); /* the other thread has given it */
    is_good = wrong == 0 && missing == 0 && failed != 0 && done > kills;
    is_good = is_good && control_samples().value != 0 && control_missed().value == 0;
    taken = locks_take(LOCK, PATIENCE_US).value;
    is_good = is_good && taken == 1;
    print_line(
        "%s components: kills=%lu done=%lu failed=%lu wrong=%lu missing=%lu missed=%lu of %lu "
        "taken=%lu",
        is_good ? "PASS" : "FAIL", kills * (SYSTEM_COMPONENTS - 2), done, failed, wrong, missing,
        control_missed().value, control_samples().value, taken);
    kernel_call(CALL_SHUTDOWN, !is_good, 0, 0);
}
