/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A member of a group with several harts, which suspends to RAM as Linux does: as soon as its other
 * harts have been told to stop, and before they have. Each round it starts them, lets each add to a
 * number, and suspends while they stop, some late; it finds them stopped when it resumes. Every few
 * rounds one does not stop: the suspend is refused, after a bounded time, and nothing is lost.
 * Arguments: rounds=N (10)
 */
#include "rt/check.h"
#include "rt/harts.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sbi.h"
#include "rt/suspend.h"

#define STOPS_WITHIN_US 5000
#define REFUSED_EVERY 5
#define MOST_TRIES 60
/* The monitor waits for 1 s; what others do on the harts comes on top. */
#define REFUSED_AFTER_LEAST_US 900000

const char payload_name[] = "switch-harts";

static uint64_t sums[HARTS_MAX];
static struct random randoms[HARTS_MAX];
static bool is_held;

/* Hart `id` adds what `round` is, and stops after a while: the last one when it is let go. */
static void add_and_stop(uint64_t argument)
{
    uint64_t id = hart_self()->id;

    sums[id] += argument;
    clock_spin(random_below(&randoms[id], STOPS_WITHIN_US));
    harts_await(!__atomic_load_n(&is_held, __ATOMIC_ACQUIRE) || id != 1, "hart 1 is held");
}

static void start_others(unsigned count, uint64_t round)
{
    for (unsigned id = 1; id < count; id++) {
        struct sbi_result result = harts_start(id, add_and_stop, round);

        check(result.error == SBI_SUCCESS, "round %lu: start of hart %u: error %ld", round, id,
              result.error);
    }
}

static void try_in_vain(uint64_t round)
{
    uint64_t start = clock_now();
    struct suspend_result result;

    suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, &result);
    check(result.resumed == 0 && result.error == SBI_ERR_DENIED,
          "round %lu: with a hart that runs: error %ld", round, result.error);
    check(clock_now() - start >= clock_ticks(REFUSED_AFTER_LEAST_US),
          "round %lu: refused too early", round);
    check(harts_state(1) == SBI_HSM_STATE_STARTED, "round %lu: hart 1 is gone", round);
    __atomic_store_n(&is_held, false, __ATOMIC_RELEASE);
}

static void do_round(unsigned count, uint64_t round)
{
    struct suspend_result result;

    is_held = round % REFUSED_EVERY == 0;
    start_others(count, round);
    if (is_held) {
        try_in_vain(round);
    }
    /* A busy host may keep a hart of an emulated machine for longer than the monitor waits. */
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, &result);
        if (result.resumed == 1 || result.error != SBI_ERR_DENIED) {
            break;
        }
    }
    check(result.resumed == 1 && result.hart == platform.hart, "round %lu: error %ld", round,
          result.error);
    for (unsigned id = 1; id < count; id++) {
        check(harts_state(id) == SBI_HSM_STATE_STOPPED, "round %lu: hart %u is in state %ld", round,
              id, harts_state(id));
        check(sums[id] == round * (round + 1) / 2, "round %lu: hart %u has added up to %lu", round,
              id, sums[id]);
    }
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 10);
    unsigned count = harts_count();

    interrupts_disable();
    check(count > 1, "there is one hart only");
    for (unsigned id = 0; id < count; id++) {
        randoms[id] = random_from(id + 1);
    }
    for (uint64_t round = 1; round <= rounds; round++) {
        do_round(count, round);
    }
    check_pass();
}
