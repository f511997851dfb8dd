/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A board's unit that confines bus masters other than harts: PMP does not stop what a device reads
 * and writes. Each master whose devices a tenant has reaches the memory of that tenant and nothing
 * else, from when the tenant starts or goes on until it stops or suspends for another one of its
 * group; in between it reaches nothing. Masters whose devices have no owner are locked.
 *
 * The unit's registers are the monitor's alone: check_device_range().
 */
#ifndef COTENANT_FEATURES_BUS_PROTECTION_BUS_PROTECTION_H
#define COTENANT_FEATURES_BUS_PROTECTION_BUS_PROTECTION_H

#include "features/bus_protection/mpfs_mpu.h"

/*
 * Bytes that are to be made entries of, and the block that is the next one. Begins with the
 * tenant's `memory`, and ends when the size of a block is 0.
 */
struct bus_blocks {
    const struct bundle_tenant *tenant;
    uint32_t number; /* of the range of its memory, of which */
    uint64_t done;   /* so many bytes are in blocks before */
};

/* The next block of the tenant's memory; size 0: there is none. */
static inline struct bundle_range bus_next_block(struct bus_blocks *blocks)
{
    struct bundle_range block = {0, 0};

    while (blocks->number < COTENANT_MAX_MEMORY_RANGES &&
           blocks->done >= blocks->tenant->memory[blocks->number].size) {
        blocks->number++;
        blocks->done = 0;
    }
    if (blocks->number < COTENANT_MAX_MEMORY_RANGES) {
        const struct bundle_range *range = &blocks->tenant->memory[blocks->number];

        block = mpfs_mpu_first_block(
            (struct bundle_range){range->base + blocks->done, range->size - blocks->done});
        blocks->done += block.size;
    }
    return block;
}

#endif
