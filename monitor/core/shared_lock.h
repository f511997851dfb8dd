/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one lock of the monitor: around everything that harts share.
 *
 * A hart's scheduler, world switches, timers, inter-processor interrupts and remote fences need no
 * lock: they touch what belongs to the hart, and ask others by messages (core/messages.h). The
 * lock is for the rest: the state of tenants and vharts, virtual devices and interrupt controllers,
 * the board's PLIC and UART, the console and the log. Functions that need it say "shared lock
 * held".
 *
 * Waiting is bounded: the lock goes round among the harts that wait, so that none waits for more
 * than one turn of every other hart. A caller that only carries out a request of a tenant gives up
 * waiting when the hart is wanted (core/wanted.h) and returns to the tenant with nothing done; the
 * tenant makes the request again. So a vhart of higher priority never waits because a lower one
 * needs the lock. Fences for other harts are served while waiting. Not recursive. M-mode with
 * interrupts off. In a system of one hart it costs a test of hart.features.
 */
#ifndef COTENANT_CORE_SHARED_LOCK_H
#define COTENANT_CORE_SHARED_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/feature.h"
#include "core/hart.h"

/* There is no other hart that shares anything. */
static inline bool hart_is_alone(const struct hart *hart)
{
    return !HAS(harts) || (hart->features & HART_ALONE) != 0;
}

/* The slow parts, of features/harts; see below. */
bool shared_lock_take(struct hart *hart, bool give_up);
bool shared_lock_has_waiting(void);
void shared_lock_pass_on(struct hart *hart);

/* Waits for the lock and takes it for this hart. */
static inline void shared_enter(struct hart *hart)
{
    if (!hart_is_alone(hart)) {
        shared_lock_take(hart, false);
    }
}

/* Takes the lock, or returns false if the hart is wanted before it is free. */
static inline bool shared_try_enter(struct hart *hart)
{
    return hart_is_alone(hart) || shared_lock_take(hart, true);
}

/* Another hart waits for the lock, which this hart has. */
static inline bool shared_is_wanted(const struct hart *hart)
{
    return !hart_is_alone(hart) && shared_lock_has_waiting();
}

/* Gives the lock, which this hart has, to the next one that waits. */
static inline void shared_leave(struct hart *hart)
{
    if (!hart_is_alone(hart)) {
        shared_lock_pass_on(hart);
    }
}

#endif
