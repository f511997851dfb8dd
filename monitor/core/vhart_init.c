/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/memory.h"
#include "arch/vhart_setup.h"
#include "core/clock.h"
#include "core/hart.h"
#include "core/tenant.h"
#include "core/work.h"
#include "device/plic.h"

/* How many vharts of its hart are below it. */
static uint64_t count_lower(const struct bundle_vhart *vhart)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        count +=
            bundle->vharts[i].hart == vhart->hart && bundle->vharts[i].priority < vhart->priority;
    }
    return count;
}

void vhart_init(struct vhart *vhart, const struct bundle_vhart *description, struct tenant *tenant)
{
    struct hart *hart = &harts[description->hart];

    memset(vhart, 0, sizeof(*vhart));
    vhart->description = description;
    vhart->index = (uint32_t)(vhart - vharts);
    vhart->tenant = tenant;
    vhart->world.hart = hart;
    vhart->world.vhart_id = description->id;
    vhart->schedulable.priority = 2 * description->priority + 1; /* with room for guests below */
    vhart->schedulable.slice = ticks_from_us(description->slice_us);
    vhart_limit(vhart, ticks_from_us(description->budget_us),
                ticks_from_us(description->period_us));
    vhart->plic_threshold = PLIC_THRESHOLD_CLOSED;
    vhart->work_patience = count_lower(description) * ticks_from_us(WORK_PATIENCE_US);
    vhart_setup_protection(vhart);
}
