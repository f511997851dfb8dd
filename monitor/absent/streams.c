/* SPDX-License-Identifier: BSD-2-Clause */
/* No streams, memory channels and control ports. */
#include "vdev/virtio_console.h"

const struct virtio_type virtio_console_type;

void virtio_console_ring(const struct tenant *tenant, uint32_t number)
{
    (void)tenant;
    (void)number;
}
