/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/tenants.h"

#include "arch/memory.h"
#include "arch/vhart_setup.h"
#include "core/clock.h"
#include "core/foreground.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/work.h"

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

static void vhart_init(struct vhart *vhart, const struct bundle_vhart *description,
                       struct tenant *tenant)
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
    vhart->schedulable.budget = ticks_from_us(description->budget_us);
    vhart->schedulable.period = ticks_from_us(description->period_us);
    vhart->work_patience = count_lower(description) * ticks_from_us(WORK_PATIENCE_US);
    vhart_setup_protection(vhart);
}

static void tenant_init(struct tenant *tenant, uint32_t index)
{
    const struct bundle_tenant *description = &bundle->tenants[index];

    tenant->description = description;
    tenant->index = index;
    tenant->state = TENANT_EMPTY;
    tenant->vharts = &vharts[description->vhart_first];
    tenant->vhart_count = description->vhart_count;
    tenant->loader.phase = LOADER_IDLE;
    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        vhart_init(&tenant->vharts[i], &bundle->vharts[description->vhart_first + i], tenant);
    }
    vuart_init(&tenant->uart);
    tenant_is_set_up(tenant);
}

void tenants_init(void)
{
    uint32_t started = 0;

    tenant_count = bundle->tenant_count;
    for (uint32_t i = 0; i < tenant_count; i++) {
        tenant_init(&tenants[i], i);
    }
    machine_begins();
    for (uint32_t i = 0; i < tenant_count; i++) {
        if ((tenants[i].description->flags & COTENANT_TENANT_AUTOSTART) != 0 &&
            foreground_has_devices(&tenants[i])) {
            tenant_start_at_boot(&tenants[i]);
            started++;
        }
    }
    monitor_log_begin();
    monitor_puts("starting ");
    monitor_put_u64(started);
    monitor_puts(" of ");
    monitor_put_u64(tenant_count);
    monitor_puts(" tenants\n");
}
