/* SPDX-License-Identifier: BSD-2-Clause */
/* Disks of the guest (virtio 1.2, section 5.2): raw files, or block devices of the host. */
#ifndef COHOST_DISK_H
#define COHOST_DISK_H

#include <stdbool.h>

#define DISK_MOST 4

/* Whether the host's kernel keeps what is read and written in its page cache. */
enum disk_cache {
    DISK_AS_POSSIBLE, /* not, where it can do without; of a served tenant it does */
    DISK_DIRECT,      /* not; a file with which it must is an error */
    DISK_CACHED,
};

/* Adds a disk to the bus. */
void disk_add(const char *file, bool readonly, enum disk_cache cache);

#endif
