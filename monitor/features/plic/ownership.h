/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose each source of the board is. Interrupts off, shared lock held. */
#ifndef COTENANT_FEATURES_PLIC_OWNERSHIP_H
#define COTENANT_FEATURES_PLIC_OWNERSHIP_H

#include <stdint.h>

#include "abi/limits.h"

#define NO_OWNER 0

/* Index of the owning tenant of each source + 1. Of those that a group shares, the active one. */
extern uint8_t source_owner[COTENANT_MAX_SOURCES];

#endif
