/* SPDX-License-Identifier: BSD-2-Clause */
/* SBI suspend: of a hart (section 9) and of the system (section 13), which ends as WFI does. */
#ifndef COTENANT_FEATURES_SUSP_SUSPEND_H
#define COTENANT_FEATURES_SUSP_SUSPEND_H

#include <stdbool.h>

#include "core/vhart.h"

/* The last suspend of a vhart, or the one that it asks for. nap.S knows where the first three are.
 */
struct suspend {
    /* Where the vhart goes on, and a0 and a1 there, after the nap of nap.S; 0: it has none. */
    uint64_t nap_pc;
    uint64_t nap_arguments[2];
    /* It waits in the scheduler until it has been given the hart this many times. */
    uint64_t switches;
    /* SBI SUSP waits since then for its tenant's other vharts to stop; ticks, or 0. */
    uint64_t waiting_since;
    bool of_system; /* it is one of SBI SUSP */
};

extern struct suspend suspends[COTENANT_MAX_VHARTS];

static inline struct suspend *suspend_of(const struct vhart *vhart)
{
    return &suspends[vhart_index(vhart)];
}

/*
 * The loaded vhart sleeps until an interrupt is pending that it has enabled in sie, whatever
 * sstatus.SIE says; then it goes on in S-mode with its registers as they are in its world.
 * `of_system`: for SBI SUSP. Called on its hart with interrupts off, at the end of an SBI call; the
 * caller goes on to hart_schedule().
 */
void vhart_suspend(struct vhart *vhart, bool of_system);

/*
 * Ends a nap of nap.S, if the vhart is in one: it goes on behind the call in its world. Called on
 * its hart, loaded or not.
 */
void vhart_end_nap(struct vhart *vhart);

/* It is in vhart_suspend() now. For any hart to ask. */
static inline bool vhart_is_suspended(const struct vhart *vhart)
{
    const struct suspend *suspend = suspend_of(vhart);

    return suspend->nap_pc != 0 || (vhart->schedulable.state == SCHEDULABLE_WAITING &&
                                    vhart->schedulable.switches == suspend->switches);
}

#endif
