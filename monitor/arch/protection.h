/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical memory protection of a vhart: what changes after boot. */
#ifndef COTENANT_ARCH_PROTECTION_H
#define COTENANT_ARCH_PROTECTION_H

#include <stdbool.h>

#include "core/vhart.h"

/*
 * Gives the vhart, whose description names an entry for it, the claim register of its hart's S-mode
 * PLIC context, or takes it away: the entry then matches and allows nothing. Does nothing where
 * that is so already.
 */
void protection_set_claim(struct vhart *vhart, bool allowed);

/*
 * The same for the enable words of that context, which are an entry of their own; a vhart that has
 * none never reads them without a trap.
 */
void protection_set_enables(struct vhart *vhart, bool allowed);

/* The entry of the enable words, which a vhart with an S-mode context may have, or COTENANT_NONE.
 */
uint32_t protection_enables_entry(const struct bundle_vhart *vhart);

/* The PMP entries of all vharts of the hart have the same addresses: a switch need not write them.
 */
bool protection_is_resident(uint32_t hart_index);

/*
 * Writes the entries of a vhart of this hart and reads them back. Returns the number of the first
 * entry that the hart does not take as written, or -1. At boot; the entries stay.
 */
int protection_install(const struct vhart *vhart);

/* PMP entries that this hart implements, up to COTENANT_PMP_ENTRIES. Leaves them off. At boot. */
uint32_t protection_count_entries(void);

#endif
