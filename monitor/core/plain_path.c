/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plain_path.h"

/* Budget of a vhart that may run as long as it likes but is looked after: ages of ticks. */
#define BUDGET_WITHOUT_LIMIT (1ul << 62)

void plain_path_begin(struct vhart *vhart, uint32_t reason)
{
    struct hart *hart = vhart->world.hart;

    vhart->has_extras = true;
    if (vhart->plain_path == 0) {
        if (vhart->schedulable.budget == 0) {
            vhart->schedulable.budget = BUDGET_WITHOUT_LIMIT;
            vhart->schedulable.period = TIME_NEVER;
        }
        hart->accounts++;
        hart->accounted = &vhart->schedulable;
        hart->next_up = NULL; /* chosen when the vhart had no budget */
    }
    vhart->plain_path |= reason;
}

void plain_path_end(struct vhart *vhart, uint32_t reason)
{
    if ((vhart->plain_path & reason) == 0) {
        return;
    }
    vhart->plain_path &= ~reason;
    if (vhart->plain_path != 0) {
        return;
    }
    vhart->world.hart->accounts--;
    if (vhart->schedulable.budget == BUDGET_WITHOUT_LIMIT) {
        vhart->schedulable.budget = 0;
        vhart->schedulable.period = 0;
    }
}
