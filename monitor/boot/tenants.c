/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/tenants.h"

#include "core/foreground.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "sbi/sbi.h"

/* It is zero before: empty, and nothing is loaded. */
static void tenant_init(struct tenant *tenant, uint32_t index)
{
    const struct bundle_tenant *description = &bundle->tenants[index];

    tenant->description = description;
    tenant->index = index;
    tenant->vharts = &vharts[description->vhart_first];
    tenant->vhart_count = description->vhart_count;
    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        vhart_init(&tenant->vharts[i], &bundle->vharts[description->vhart_first + i], tenant);
        tenant->vharts[i].calls = sbi_slots;
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
