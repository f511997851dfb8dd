/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every virtual device that it has, every register, by the protocol and then not: it sets a device
 * up, sends and receives, and breaks the rules at any step of that. Queues are taken away in the
 * middle of a transfer and placed in the memory of others; chains change after they were published;
 * the status goes up and down; registers are accessed in every width. After all rounds each device
 * must still be one that a reset brings back.
 *
 * Arguments: rounds=N (1000)   seed=N   after=N: milliseconds that it sleeps before (0)
 *            touch=0x...,0x...: memory that is not its own, for queues and buffers   only=N: the
 * devices of this id alone   steps=BITS: what it does, a bit for each case of step() in
 * hostile/rings.c
 */
#include "hostile/rings.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"

const char payload_name[] = "hostile-virtio";

void main(void)
{
    uint64_t rounds = platform_number("rounds", 1000);
    uint64_t steps = platform_number("steps", UINT64_MAX);
    struct random random = random_from(platform_number("seed", 1));
    uint32_t count = rings_find(platform_number("only", 0));

    interrupts_disable();
    clock_sleep(platform_number("after", 0) * 1000);
    print("hostile-virtio: begins\n");
    check(count > 0, "there is no virtual device");
    for (uint64_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < count; i++) {
            if (round % 8 == 0) {
                (void)rings_start(i);
            }
            rings_step(&random, i, steps);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        check(rings_start(i), "a reset does not help device %u", i);
    }
    print("hostile-virtio: rounds=%lu devices=%u places=%u\n", rounds, count, rings_places());
    check_pass();
}
