/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/shared_lock.h"

#include "core/messages.h"
#include "core/wanted.h"

/*
 * Bits 0-7: index of the owner + 1, or 0; bits 8-15: harts that wait, by index; bits 16-23: those
 * of them that sleep meanwhile. One word, so that the lock is never handed to a hart that has just
 * given up, and the hart that hands it over knows whether to wake. tests/models/shared_lock.pml.
 */
static uint32_t state;

#define OWNER_MASK 0xffu
#define WAITING_SHIFT 8
#define ASLEEP_SHIFT 16
_Static_assert(COTENANT_MAX_HARTS <= ASLEEP_SHIFT - WAITING_SHIFT, "a bit for each hart");

static uint32_t owner_bits(uint32_t index)
{
    return index + 1;
}

static uint32_t waiting_bit(uint32_t index)
{
    return 1u << (WAITING_SHIFT + index);
}

static uint32_t asleep_bit(uint32_t index)
{
    return 1u << (ASLEEP_SHIFT + index);
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

/* Until the lock is handed over, or there is something else to do. */
static void sleep_in_queue(struct hart *hart)
{
    uint32_t now = __atomic_fetch_or(&state, asleep_bit(hart->index), __ATOMIC_ACQ_REL);

    if ((now & OWNER_MASK) == owner_bits(hart->index)) {
        __atomic_fetch_and(&state, ~asleep_bit(hart->index), __ATOMIC_RELAXED);
    } else {
        messages_sleep(hart);
    }
}

bool shared_lock_take(struct hart *hart, bool give_up)
{
    uint32_t mine = owner_bits(hart->index);
    uint32_t waiting = waiting_bit(hart->index);
    uint32_t in_queue = waiting | asleep_bit(hart->index);
    uint32_t looks = 0;

    /* In one instruction that always works: from here on no hart gets the lock twice before us. */
    __atomic_fetch_or(&state, waiting, __ATOMIC_ACQ_REL);
    for (;;) {
        uint32_t now = read_state();

        if ((now & OWNER_MASK) == mine) {
            return true; /* handed over, and no longer among those who wait */
        }
        if ((now & OWNER_MASK) == 0) {
            if (change(now, (now & ~in_queue) | mine)) {
                return true;
            }
            continue;
        }
        remote_fence_serve(hart);
        if (give_up && hart_is_wanted()) {
            now = __atomic_fetch_and(&state, ~in_queue, __ATOMIC_ACQ_REL);
            return (now & OWNER_MASK) == mine;
        }
        if (++looks > MESSAGES_MOST_LOOKS) {
            sleep_in_queue(hart);
        }
    }
}

bool shared_lock_has_waiting(void)
{
    return read_state() >> WAITING_SHIFT != 0; /* who sleeps, waits */
}

/* The first one that waits after `index`, in a circle; COTENANT_MAX_HARTS: none does. */
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
            then = (then & ~(waiting_bit(next) | asleep_bit(next))) | owner_bits(next);
        }
        if (change(now, then)) {
            if (next < COTENANT_MAX_HARTS && (now & asleep_bit(next)) != 0) {
                messages_wake(&harts[next]);
            }
            return;
        }
    }
}
