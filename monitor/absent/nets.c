/* SPDX-License-Identifier: BSD-2-Clause */
/* No networks. */
#include "vdev/virtio.h"
#include "vdev/virtio_net.h"

const struct virtio_type virtio_net_type;

void virtio_net_init(void)
{
}
