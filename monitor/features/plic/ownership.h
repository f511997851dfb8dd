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
 * Claims and completes sources of a word, a bit each, that are pending and must not reach their
 * next owner, in the machine context of the hart, which it must have. They are disabled there
 * afterwards, with priority 0.
 */
void source_owner_drop(struct hart *hart, uint32_t word, uint32_t sources);

#endif
