/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Argument of the tenant: invocations=N   how many to make (default 100000), three for each call
 *                                         of alpha.work, by both threads together
 */
#include "components/lib/checked.h"
#include "components/lib/print.h"

#define DEFAULT_INVOCATIONS 100000
#define EACH 3
#define MOST_PAUSE 64

static uint64_t made;
static uint64_t interruptions; /* times that the thread of the higher priority came between */
static uint64_t wrong;

static void call_once(uint64_t *seed)
{
    uint64_t a = random_next(seed);
    uint64_t b = random_next(seed);
    uint64_t c = random_next(seed);
    uint64_t d = random_next(seed);
    uint64_t e = random_next(seed);
    uint64_t sum = checked_sum(a, b, c, d, e);
    struct result result = alpha_work(a, b, c, d, e, sum);

    if (result.error != OK || result.value != mix(sum, 1)) {
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&made, EACH, __ATOMIC_RELAXED);
}

void thread_often(uint64_t unused)
{
    uint64_t seed = 0x123456789abcdef;
    uint64_t wanted = argument("invocations");

    (void)unused;
    wanted = wanted != 0 ? wanted : DEFAULT_INVOCATIONS;
    while (made < wanted && wrong == 0) {
        call_once(&seed);
    }
    print_line("%s components: invocations=%lu interruptions=%lu wrong=%lu",
               wrong == 0 ? "PASS" : "FAIL", made, interruptions, wrong);
    kernel_call(CALL_SHUTDOWN, wrong != 0, 0, 0);
}

void thread_seldom(uint64_t unused)
{
    uint64_t seed = 0xfedcba987654321;

    (void)unused;
    for (;;) {
        ticker_pause(random_next(&seed) % MOST_PAUSE);
        call_once(&seed);
        doorbell_ring();
        interruptions++;
        if (doorbell_answered().value != interruptions) { /* it has the higher priority */
            wrong++;
        }
    }
}
