/* SPDX-License-Identifier: BSD-2-Clause */
/* SBI suspend: of a hart (section 9) and of the system (section 13), which ends as WFI does. */
#ifndef COTENANT_ARCH_SUSPEND_H
#define COTENANT_ARCH_SUSPEND_H

#include <stdbool.h>

#include "core/vhart.h"

/*
 * The loaded vhart sleeps until an interrupt is pending that it has enabled in sie, whatever
 * sstatus.SIE says; then it goes on in S-mode with its registers as they are in its world. Called
 * on its hart with interrupts off, at the end of an SBI call; the caller goes on to
 * hart_schedule().
 */
void vhart_suspend(struct vhart *vhart);

/*
 * Ends a nap of arch/nap.S, if the vhart is in one: it goes on behind the call in its world. Called
 * on its hart, loaded or not.
 */
void vhart_end_nap(struct vhart *vhart);

/* It sleeps in arch/nap.S, whatever the scheduler says. */
static inline bool vhart_is_napping(const struct vhart *vhart)
{
    return vhart->rest.nap_pc != 0;
}

/* It is in vhart_suspend() now. For any hart to ask. */
static inline bool vhart_is_suspended(const struct vhart *vhart)
{
    return vhart_is_napping(vhart) || (vhart->schedulable.state == SCHEDULABLE_WAITING &&
                                       vhart->schedulable.switches == vhart->suspended_switches);
}

#endif
