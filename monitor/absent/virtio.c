/* SPDX-License-Identifier: BSD-2-Clause */
/* No virtual devices: a bundle that has some is refused. */
#include "vdev/virtio.h"
#include "boot/check_rules.h"
#include "core/scheduler.h"

void virtio_init(void)
{
}

uint64_t virtio_deadline(void)
{
    return TIME_NEVER;
}

void virtio_tell_one(uint64_t now)
{
    (void)now;
}

void virtio_reset_device(const struct tenant *tenant, uint32_t number)
{
    (void)tenant;
    (void)number;
}

struct check_result check_virtual(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *tenant = &bundle->tenants[index];

    REQUIRE(tenant->device_count == 0 && (tenant->flags & COTENANT_TENANT_DOORBELLS) == 0,
            "tenant.device_count: this monitor is built without virtual devices", index);
    return check_good();
}

struct check_result check_channels(const struct bundle *bundle)
{
    REQUIRE(bundle->device_count == 0 && bundle->channel_count == 0,
            "channel_count: this monitor is built without virtual devices", -1);
    return check_good();
}
