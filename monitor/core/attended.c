/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/attended.h"

#include "core/hooks.h"

/* Budget of a vhart that may run as long as it likes but is attended: ages of ticks. */
#define BUDGET_WITHOUT_LIMIT (1ul << 62)

void attended_begin(struct vhart *vhart, bool *reason)
{
    struct hart *hart = vhart->world.hart;

    vhart->uses_features = true;
    if (*reason) {
        return;
    }
    *reason = true;
    if (vhart->attended == 0) {
        if (vhart->schedulable.budget == 0) {
            vhart_limit(vhart, BUDGET_WITHOUT_LIMIT, TIME_NEVER);
        }
        hart->attended_vharts++;
        hart->attended_last = &vhart->schedulable;
        hart->next_up = NULL; /* chosen when the vhart had no budget */
    }
    vhart->attended++;
}

void attended_end(struct vhart *vhart, bool *reason)
{
    if (!*reason) {
        return;
    }
    *reason = false;
    vhart->attended--;
    if (vhart->attended != 0) {
        return;
    }
    vhart->world.hart->attended_vharts--;
    if (vhart->schedulable.budget == BUDGET_WITHOUT_LIMIT) {
        vhart_limit(vhart, 0, 0);
    }
}

void attended_leave(struct hart *hart)
{
    if (hart->attended_last != NULL) {
        vhart_leaves(vhart_of(hart->attended_last));
        hart->attended_last = NULL;
    }
}
