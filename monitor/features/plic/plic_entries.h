/* SPDX-License-Identifier: BSD-2-Clause */
/* PMP entries of a vhart that open registers of the board's PLIC. */
#ifndef COTENANT_FEATURES_PLIC_PLIC_ENTRIES_H
#define COTENANT_FEATURES_PLIC_PLIC_ENTRIES_H

#include <stdbool.h>

#include "core/vhart.h"

/*
 * Gives the vhart what an entry of its description opens, or takes it away: the entry then matches
 * and allows nothing. The entry is that of the claim register of its hart's S-mode PLIC context
 * (plic_claim_entry), or the one of the enable words of that context; a vhart that has none
 * (COTENANT_NONE) never reaches them without a trap.
 */
void plic_entry_set(struct vhart *vhart, uint32_t entry, bool allowed);

/* The entry of the enable words, which a vhart with an S-mode context may have, or COTENANT_NONE.
 */
uint32_t plic_entry_of_enables(const struct bundle_vhart *vhart);

#endif
