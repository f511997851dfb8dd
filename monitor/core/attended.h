/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attended vharts: those for which a feature has something to do each time they get or lose their
 * hart (hooks vhart_enters and vhart_leaves of core/hooks.h), such as steal time, performance
 * counters and debug triggers.
 *
 * Such a vhart has a budget, without a limit if need be: all that runs with a budget takes the
 * plain path of the schedule, where hart_schedule() attends to it, and the shortcuts of world
 * switches pay nothing. Called by the vhart's own hart, interrupts off.
 */
#ifndef COTENANT_CORE_ATTENDED_H
#define COTENANT_CORE_ATTENDED_H

#include "core/hart.h"
#include "core/vhart.h"

/*
 * The vhart, which has the hart, is attended from now on; nothing if it is already for this reason.
 * `*reason`, true while it is, belongs to the feature: one for each vhart.
 */
void attended_begin(struct vhart *vhart, bool *reason);

/* No more for this reason; nothing if it was not. */
void attended_end(struct vhart *vhart, bool *reason);

/* Takes what the attended vhart has of the hart for itself out of it, if there is one. */
void attended_leave(struct hart *hart);

/* One of the vharts of this hart is attended. */
static inline bool attended_is_any(const struct hart *hart)
{
    return hart->attended_vharts != 0;
}

#endif
