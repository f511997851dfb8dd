/* SPDX-License-Identifier: BSD-2-Clause */
/* Disks of the guest (virtio 1.2, section 5.2): raw files, or block devices of the host. */
#ifndef COHOST_DISK_H
#define COHOST_DISK_H

#include <stdbool.h>

#define DISK_MOST 4

/* Adds a disk to the bus. `direct`: the host's kernel keeps none of it in its memory. */
void disk_add(const char *file, bool readonly, bool direct);

#endif
