/* SPDX-License-Identifier: BSD-2-Clause */
/* PMP entries of a vhart that open registers of the board's PLIC. */
#ifndef COTENANT_FEATURES_PLIC_PLIC_ENTRIES_H
#define COTENANT_FEATURES_PLIC_PLIC_ENTRIES_H

#include <stdbool.h>

#include "core/vhart.h"

/*
 * Gives the vhart, whose description names an entry for it, the claim register of its hart's S-mode
 * PLIC context, or takes it away: the entry then matches and allows nothing. Does nothing where
 * that is so already.
 */
void plic_entry_set_claim(struct vhart *vhart, bool allowed);

/*
 * The same for the enable words of that context, which are an entry of their own; a vhart that has
 * none never reads them without a trap.
 */
void plic_entry_set_enables(struct vhart *vhart, bool allowed);

/* The entry of the enable words, which a vhart with an S-mode context may have, or COTENANT_NONE.
 */
uint32_t plic_entry_of_enables(const struct bundle_vhart *vhart);

#endif
