/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What keeps other types out: GPU (16), memory (24), persistent memory (27), balloon (5 and 13),
 * IOMMU (23) and video carry addresses of memory in their messages; file systems (26) may map
 * memory of the host; the processes behind sockets (19) and vhost devices suspend notifications at
 * times of their own, which shadow_listen() does not know; the others have not been tried. More
 * queues than there are in the table (several pairs of a network device, several ports of a
 * console) are not offered.
 */
#include "features/guard/types.h"

#include <stddef.h>

#define BIT(number) (1ul << (number))
#define BITS(first, last) (((1ul << ((last) - (first))) * 2 - 1) << (first))

static const struct guard_type types[] = {
    /*
     * Network (5.1): frames with a header of offsets and lengths, and commands about addresses of
     * the network: checksums, MTU, MAC, segmentation of what is sent, merged buffers, status, the
     * control queue and its commands, speed. Without the segmentation of what is received (7-10 and
     * 2), for which a device may wait for more buffers without asking to be notified, and without
     * MQ (22), with which there are more queues, and all that came later.
     */
    {BITS(0, 1) | BIT(3) | BITS(5, 6) | BITS(11, 21) | BIT(23) | BIT(63), 1, 3, GUARD_NO_FIELD},
    /*
     * Block (5.2): sectors and bytes. Without BARRIER (0) and SCSI (7) of the legacy interface and
     * MQ (12).
     */
    {BITS(1, 6) | BITS(9, 11) | BITS(13, 14) | BIT(16), 2, 1, 12},
    /* Console (5.3): bytes. Without MULTIPORT (1). */
    {BIT(0) | BIT(2), 3, 2, GUARD_NO_FIELD},
    /* Entropy (5.4): bytes. */
    {0, 4, 1, GUARD_NO_FIELD},
    /* SCSI (5.6): commands and bytes; logical units and tags name no memory. Without T10_PI (3). */
    {BITS(0, 2), 8, 3, 4},
    /* 9P: messages with names, file ids and offsets in files. */
    {BIT(0), 9, 1, GUARD_NO_FIELD},
    /* Input (5.8): events. */
    {0, 18, 2, GUARD_NO_FIELD},
};

const struct guard_type *guard_type_of(uint32_t id)
{
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].id == id) {
            return &types[i];
        }
    }
    return NULL;
}
