/* SPDX-License-Identifier: BSD-2-Clause */
/* No virtual devices: a bundle that has some is refused. */
#include "vdev/virtio.h"
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
