/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two world switches that happen all the time, decided in a few instructions
 * (features/fast_switch): a vhart of higher priority is due, and a vhart waits while another is
 * ready. Called by the trap entry before trap_dispatch(), in the same state; each either does
 * everything that trap_dispatch() and hart_schedule() would have done, or changes nothing and
 * returns NO_CHANGE: whatever is out of the ordinary is left to them. So does all of it without the
 * feature.
 */
#ifndef COTENANT_ENTRY_FAST_SWITCH_H
#define COTENANT_ENTRY_FAST_SWITCH_H

#include "arch/timer.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/messages.h"
#include "core/vhart.h"
#include "entry/trap.h"

/* A machine timer interrupt, at `now`. */
world_change fast_wake(struct hart *hart, uint64_t now);

/* An illegal instruction, which may be the WFI of a vhart that shares its hart. */
world_change fast_wait(struct hart *hart);

/*
 * A timer interrupt is pending at the end of a trap that has changed something for the scheduler:
 * it is asked (hart_schedule()) unless that interrupt alone decides.
 */
world_change fast_preempt(struct hart *hart);

/*
 * The loaded vhart goes on after a trap in which a timer interrupt became pending, unless another
 * one became due: that is switched to here instead of after another trap, and waits a hundred
 * instructions less.
 */
static inline world_change fast_resume_late(struct hart *hart, struct vhart *vhart)
{
    world_change change = fast_wake(hart, hart_now(hart));

    if (change != NO_CHANGE) {
        return change;
    }
    if (hart->reschedule || hart_now(hart) >= hart->event_deadline) {
        vhart->world.interrupts++;
        hart->reschedule = true;
        return hart_schedule(hart);
    }
    return change_world(&vhart->world, &vhart->world);
}

/* The loaded vhart goes on after a trap. */
static inline world_change fast_resume(struct hart *hart, struct vhart *vhart)
{
    return (CSR_READ(mip) & INTERRUPT_MTI) != 0 ? fast_resume_late(hart, vhart)
                                                : change_world(&vhart->world, &vhart->world);
}

/*
 * `next` gets the hart: opens the hart's S-mode context of the PLIC for its user and closes it when
 * another vhart comes after the user. A store is less than to ask whether that changes anything.
 */
static inline void fast_route(const struct hart *hart, const struct vhart *next)
{
    if (HAS(plic)) {
        *hart->plic_threshold = next->plic_threshold;
    }
}

/*
 * From here on `vhart` has the hart and other harts know. Mail from one that did not know yet comes
 * back as an interrupt; but a caller of FENCE.I relies on it before the next instruction.
 */
static inline void fast_publish(struct hart *hart, struct vhart *vhart)
{
    if (messages_publish(hart, vhart)) {
        FENCE_I();
        *hart->msip = 1;
    }
}

/*
 * Notes which vhart will be due while the scheduler's running entity has the hart: the head of the
 * waiting list, if it goes before the running one and there are no budgets (less than 2^63), no
 * registers that it brings along, and no images to think of. Called whenever a vhart gets the hart.
 * Only fast_wake() reads it.
 */
static inline void fast_foresee(struct hart *hart)
{
    const struct schedulable *running = hart->scheduler.running;
    struct schedulable *due = hart->scheduler.waiting;

    hart->next_up = due;
    if (due != NULL && ((int64_t)running->budget > 0 || due->priority <= running->priority ||
                        vhart_of(due)->special != 0)) {
        hart->next_up = NULL;
    }
}

#endif
