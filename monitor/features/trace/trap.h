/* SPDX-License-Identifier: BSD-2-Clause */
/* Traps that are recorded: in place of the plain trap entry when the bundle asks for a trace. */
#ifndef COTENANT_FEATURES_TRACE_TRAP_H
#define COTENANT_FEATURES_TRACE_TRAP_H

#include "core/hart.h"
#include "entry/trap.h"

/* The first instruction of the trap entry that takes the place of trap_entry() when something is
 * recorded. */
void trace_entry(void);

/* trap_dispatch() with records around it. Called by entry.S in the same state. */
world_change trace_trap(struct hart *hart);

#endif
