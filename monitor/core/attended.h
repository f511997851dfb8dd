/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attended vharts: those for which a feature has something to do each time they get or lose their
 * hart (hooks vhart_enters and vhart_leaves of core/hooks.h), such as steal time, performance
 * counters and debug triggers.
 *
 * Such a vhart has a budget, if need be without a limit: vharts with a budget take the plain path,
 * where hart_schedule() attends to them, so the shortcuts of world switches do not get longer.
 * Called by the vhart's own hart, interrupts off.
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

/* Takes the state of the attended vhart out of this hart (its counters, triggers), if any. */
void attended_leave(struct hart *hart);

/* One of the vharts of this hart is attended. */
static inline bool attended_is_any(const struct hart *hart)
{
    return hart->attended_vharts != 0;
}

#endif
