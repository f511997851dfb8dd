/* SPDX-License-Identifier: BSD-2-Clause */
/* No virtual sockets. */
#include "vdev/virtio.h"

const struct virtio_type virtio_socket_type;
