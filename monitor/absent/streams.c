/* SPDX-License-Identifier: BSD-2-Clause */
/* No streams, memory channels and control ports. */
#include "vdev/virtio_console.h"

const struct virtio_type virtio_console_type;
