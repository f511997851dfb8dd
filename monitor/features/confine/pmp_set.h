/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMP entries that software has written (privileged ISA 3.7.1): their CSRs, which hold what is
 * legal, and what they decide. Pure: no register is touched here. Addresses and sizes are in units
 * of 4 bytes, those of pmpaddr.
 */
#ifndef COTENANT_FEATURES_CONFINE_PMP_SET_H
#define COTENANT_FEATURES_CONFINE_PMP_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/limits.h"

#define PMP_EXECUTE 0x04
#define PMP_LOCKED 0x80

/* The size of the block of all addresses. */
#define PMP_ALL (1ul << 53)

struct pmp_set {
    uint64_t addresses[COTENANT_PMP_ENTRIES];
    uint8_t configs[COTENANT_PMP_ENTRIES];
};

/* pmpcfg0, pmpcfg2, pmpaddr0 to pmpaddr15, by number. False: it is none of them. */
bool pmp_set_read(const struct pmp_set *set, uint32_t number, uint64_t *value);
bool pmp_set_write(struct pmp_set *set, uint32_t number, uint64_t value);

/*
 * The first entry that matches an address decides about it. Returns what it says, or `decided`, and
 * makes the aligned block of `size` around the address so small that the same is decided about all
 * of it. `configs` has COTENANT_PMP_ENTRIES.
 */
uint8_t pmp_decide(const uint64_t *addresses, const uint8_t *configs, uint64_t at, uint64_t *size,
                   uint8_t decided);

/* Some entry is on; and not the first of them gives all rights to everything. */
bool pmp_set_confines(const struct pmp_set *set);

/* Some entry is on, and locked. */
bool pmp_set_is_locked(const struct pmp_set *set);

#endif
