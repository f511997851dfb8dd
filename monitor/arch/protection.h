/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical memory protection of a vhart: what changes after boot. */
#ifndef COTENANT_ARCH_PROTECTION_H
#define COTENANT_ARCH_PROTECTION_H

#include <stdbool.h>

#include "core/vhart.h"

/* The PMP entries of all vharts of the hart have the same addresses: a switch need not write them.
 */
bool protection_is_resident(uint32_t hart_index);

/*
 * Writes the entries of a vhart of this hart and reads them back. Returns the number of the first
 * entry that the hart does not take as written, or -1. At boot; the entries stay.
 */
int protection_install(const struct vhart *vhart);

/* Writes a pmpaddr register of this hart. */
void protection_write_address(uint32_t entry, uint64_t value);

/* PMP entries that this hart implements, up to COTENANT_PMP_ENTRIES. Leaves them off. At boot. */
uint32_t protection_count_entries(void);

#endif
