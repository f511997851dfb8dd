/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory protection units of PolarFire SoC (MSS technical reference manual, "Memory Protection
 * Unit"): one at each bus master that is no hart. What no entry matches is refused with a bus error
 * and does not reach the memory; so all that a master may do is what entries say. An entry is a
 * naturally aligned power of two of at least 4096 bytes of the addresses that the master puts on
 * the bus: an alias of the RAM at other addresses stays closed.
 *
 * An entry that is locked keeps what it is until the machine is reset. `base`: of the registers of
 * all of them, `master`: below MPFS_MPU_MASTERS, `entry`: below MPFS_MPU_ENTRIES. On any hart.
 */
#ifndef COTENANT_FEATURES_BUS_PROTECTION_MPFS_MPU_H
#define COTENANT_FEATURES_BUS_PROTECTION_MPFS_MPU_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"

#define MPFS_MPU_MASTERS 10
/* Registers of entries that a master's unit has room for; most implement fewer. */
#define MPFS_MPU_ENTRIES 16
/* Bits of the addresses that they know. */
#define MPFS_MPU_ADDRESS_BITS 38
/* Bytes of the smallest block. */
#define MPFS_MPU_LEAST_SIZE 0x1000

/* The entry matches nothing any more. */
void mpfs_mpu_close(uint64_t base, uint32_t master, uint32_t entry);

/*
 * The entry matches nothing until the machine is reset. False: it has been locked before, and still
 * matches.
 */
bool mpfs_mpu_lock(uint64_t base, uint32_t master, uint32_t entry);

/* The master may read and write `block`, a naturally aligned power of two of at least 4096 bytes.
 */
void mpfs_mpu_open(uint64_t base, uint32_t master, uint32_t entry, struct bundle_range block);

/*
 * Opens the entry for a block and closes it again, to see whether it holds what it is set to.
 * False: it is locked, or there is no such unit.
 */
bool mpfs_mpu_obeys(uint64_t base, uint32_t master, uint32_t entry, struct bundle_range block);

/* The first of the blocks that a range is divided into: of whole pages, and not empty. */
static inline struct bundle_range mpfs_mpu_first_block(struct bundle_range range)
{
    uint64_t size = MPFS_MPU_LEAST_SIZE;

    while ((range.base & size) == 0 && 2 * size <= range.size) {
        size *= 2;
    }
    return (struct bundle_range){range.base, size};
}

#endif
