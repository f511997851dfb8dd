/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/harts/stop.h"

#include "core/lifecycle.h"
#include "core/tenant.h"

void vhart_stop(struct vhart *vhart)
{
    struct tenant *tenant = vhart->tenant;

    if (tenant->state == TENANT_STOPPING) {
        return; /* and its hart will be told to let go of it */
    }
    vhart_release(vhart);
    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        if (tenant->vharts[i].state != VHART_STOPPED) {
            return;
        }
    }
    tenant_shut_down(tenant, "stopped its last hart");
}
