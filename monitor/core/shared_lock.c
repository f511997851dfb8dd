/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/shared_lock.h"

#include "arch/interrupts.h"
#include "arch/remote_fence.h"

/*
 * Bits 0-7: index of the owner + 1, or 0; bits 8-15: harts that wait, by index. One word, so that
 * the lock is never handed to somebody who has just given up. tests/models/shared_lock.pml.
 */
static uint32_t state;

#define OWNER_MASK 0xffu
#define WAITING_SHIFT 8

static uint32_t owner_bits(uint32_t index)
{
    return index + 1;
}

static uint32_t waiting_bit(uint32_t index)
{
    return 1u << (WAITING_SHIFT + index);
}

static uint32_t read_state(void)
{
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

static bool change(uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&state, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

bool shared_lock_take(struct hart *hart, bool give_up)
{
    uint32_t mine = owner_bits(hart->index);
    uint32_t waiting = waiting_bit(hart->index);

    /* In one instruction that always works: from here on nobody gets the lock twice before us. */
    __atomic_fetch_or(&state, waiting, __ATOMIC_ACQ_REL);
    for (;;) {
        uint32_t now = read_state();

        if ((now & OWNER_MASK) == mine) {
            return true; /* handed over, and no longer among those who wait */
        }
        if ((now & OWNER_MASK) == 0) {
            if (change(now, (now & ~waiting) | mine)) {
                return true;
            }
            continue;
        }
        remote_fence_serve(hart);
        if (give_up && hart_is_wanted()) {
            now = __atomic_fetch_and(&state, ~waiting, __ATOMIC_ACQ_REL);
            return (now & OWNER_MASK) == mine;
        }
    }
}

bool shared_lock_has_waiting(void)
{
    return read_state() >> WAITING_SHIFT != 0;
}

/* The first one that waits after `index`, in a circle; COTENANT_MAX_HARTS: nobody does. */
static uint32_t next_waiting(uint32_t now, uint32_t index)
{
    for (uint32_t step = 1; step < COTENANT_MAX_HARTS; step++) {
        uint32_t candidate = (index + step) % COTENANT_MAX_HARTS;

        if ((now & waiting_bit(candidate)) != 0) {
            return candidate;
        }
    }
    return COTENANT_MAX_HARTS;
}

void shared_lock_pass_on(struct hart *hart)
{
    for (;;) {
        uint32_t now = read_state();
        uint32_t next = next_waiting(now, hart->index);
        uint32_t then = now & ~OWNER_MASK;

        if (next < COTENANT_MAX_HARTS) {
            then = (then & ~waiting_bit(next)) | owner_bits(next);
        }
        if (change(now, then)) {
            return;
        }
    }
}
