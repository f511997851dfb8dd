/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Argument of the tenant: kills=N   of each component (default 50)
 *
 * An invocation of a component that is killed meanwhile fails; none may come back wrong, none stay
 * away, and in the end each component must have been restarted as often as it was killed.
 */
#include "components/lib/checked.h"
#include "components/lib/print.h"
#include "system.h"

#define DEFAULT_KILLS 50
#define MOST_PAUSE 300

static uint64_t done;
static uint64_t failed;
static uint64_t wrong;

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
        if (a % 64 == 0) {
            timer_sleep(a % 16);
        }
    }
}

/* Kills each but itself; how many of them have not been restarted for it. */
static uint64_t kill_all(uint64_t *seed)
{
    uint64_t missing = 0;

    for (uint64_t id = 0; id < SYSTEM_COMPONENTS; id++) {
        uint64_t before = kernel_call(CALL_RESTARTS, id, 0, 0).value;

        if (id == COMPONENT_ID) {
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
    bool is_good;

    (void)unused;
    kills = kills != 0 ? kills : DEFAULT_KILLS;
    for (uint64_t round = 0; round < kills; round++) {
        missing += kill_all(&seed);
    }
    is_good = wrong == 0 && missing == 0 && failed != 0 && done > kills;
    print_line("%s components: kills=%lu done=%lu failed=%lu wrong=%lu missing=%lu",
               is_good ? "PASS" : "FAIL", kills * (SYSTEM_COMPONENTS - 1), done, failed, wrong,
               missing);
    kernel_call(CALL_SHUTDOWN, !is_good, 0, 0);
}
