/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose each source of the board is. Interrupts off, shared lock held. */
#ifndef COTENANT_FEATURES_PLIC_OWNERSHIP_H
#define COTENANT_FEATURES_PLIC_OWNERSHIP_H

#include <stdint.h>

#include "abi/limits.h"
#include "core/hart.h"

#define NO_OWNER 0

/* Index of the owning tenant of each source + 1. Of those that a group shares, the active one. */
extern uint8_t source_owner[COTENANT_MAX_SOURCES];

/*
 * A source is pending and must not reach its next owner: claims and completes it, or one of others
 * that comes first, in the machine context of the hart, which it must have. It is disabled there
 * afterwards, with priority 0.
 */
void source_owner_drop(struct hart *hart, uint32_t source);

#endif
