/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that starts a guest, its initrd, gives it a few turns and kills it, wherever it is, again
 * and again: everything that was lent comes back each time, and the last guest runs to its end.
 *
 * Arguments: times=N (20)   seed=N   turns=N: at most, for each guest (40)
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/guest.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sbi.h"

#define MEMORY 0x200000
#define MOST_TICKS 2000

const char payload_name[] = "guest-churn";

/* One that has ended by itself needs no kill, but its slot is not free at once either. */
static void kill(struct guest *guest)
{
    struct hosted_request request = {.operation = COTENANT_HOSTED_DESTROY, .slot = guest->slot};
    uint32_t result = guest_request(&request);

    check(result == COTENANT_HOSTED_BUSY || guest->ended, "a guest cannot be killed");
    while (result == COTENANT_HOSTED_BUSY) {
        result = guest_request(&request);
    }
    check(result == COTENANT_HOSTED_STATE, "a guest does not end: result %u", result);
}

void main(void)
{
    struct random random = random_from(platform_number("seed", 1));
    uint64_t times = platform_number("times", 20);
    uint64_t turns = platform_number("turns", 40);
    uint64_t first = (platform.memory_base + 2 * COTENANT_HOSTED_GRAIN - 1) &
                     ~(uint64_t)(COTENANT_HOSTED_GRAIN - 1);
    struct guest guest = {0};

    check(guest_find(), "there are no guests");
    csr_write(sie, INTERRUPT_TIMER);
    for (uint64_t i = 0; i < times; i++) {
        guest_make(&guest, 0, first, MEMORY);
        for (uint64_t turn = random_below(&random, turns); turn != 0 && !guest.ended; turn--) {
            sbi_set_timer(clock_now() + random_below(&random, MOST_TICKS));
            (void)guest_take_turn(&guest);
        }
        kill(&guest);
    }
    sbi_set_timer(UINT64_MAX);
    csr_write(sie, 0);
    guest_make(&guest, 0, first, MEMORY);
    while (guest_take_turn(&guest)) {
    }
    check(!guest.crashed, "the last guest has crashed");
    print("guest-churn: killed=%lu\n", times);
    check_pass();
}
