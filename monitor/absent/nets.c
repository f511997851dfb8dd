/* SPDX-License-Identifier: BSD-2-Clause */
/* No networks. */
#include "vdev/virtio.h"

const struct virtio_type virtio_net_type;
