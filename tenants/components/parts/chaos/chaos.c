/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/random.h"
#include "generated.h"
#include "system.h"

#define IDLE_US 10000
#define MOST_PAUSE_US 8192

static uint64_t rounds_left;
static uint64_t kills;

/* So many of each component, from now on. */
uint64_t export_begin(uint64_t rounds)
{
    __atomic_store_n(&rounds_left, rounds, __ATOMIC_RELAXED);
    return rounds;
}

uint64_t export_kills(void)
{
    return kills;
}

static void kill_all(uint64_t *seed)
{
    for (uint64_t id = 0; id < SYSTEM_COMPONENTS; id++) {
        /* The control loop is who is to miss nothing. */
        if (id != COMPONENT_ID && id != ID_CONTROL) {
            faults_kill(id);
            kills++;
            timer_sleep(random_next(seed) % MOST_PAUSE_US);
        }
    }
}

void thread_raid(uint64_t unused)
{
    uint64_t seed = 0xfedcba987654321;

    (void)unused;
    for (;;) {
        if (__atomic_load_n(&rounds_left, __ATOMIC_RELAXED) == 0) {
            timer_sleep(IDLE_US);
            continue;
        }
        kill_all(&seed);
        __atomic_fetch_sub(&rounds_left, 1, __ATOMIC_RELAXED);
    }
}
