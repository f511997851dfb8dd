/* SPDX-License-Identifier: BSD-2-Clause */
/* Which tenants may be in machine mode. */
#include "core/bundle_check.h"

static struct check_result check_machine(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];
    const struct bundle_vhart *vhart = &bundle->vharts[tenant->vhart_first];

    if ((tenant->flags & COTENANT_TENANT_MACHINE) == 0) {
        REQUIRE((tenant->flags & (COTENANT_TENANT_KEEP_CODE | COTENANT_TENANT_S_MODE)) == 0,
                "tenant.flags: code to keep, or S-mode below, without machine mode", index);
        return check_good();
    }
    REQUIRE((vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) == 0,
            "tenant.flags: machine mode with a PLIC that is passed through", index);
    REQUIRE(tenant->guest_count == 0, "tenant.flags: machine mode with guests", index);
    return check_good();
}

BUNDLE_CHECK_EACH(CHECK_ADDED, check_machine);
