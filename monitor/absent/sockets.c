/* SPDX-License-Identifier: BSD-2-Clause */
/* No virtual sockets. */
#include "vdev/virtio.h"
#include "vdev/virtio_socket.h"

const struct virtio_type virtio_socket_type;

void virtio_socket_init(void)
{
}
