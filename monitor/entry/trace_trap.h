/* SPDX-License-Identifier: BSD-2-Clause */
/* Traps that are recorded: in place of the plain trap entry when the bundle asks for a trace. */
#ifndef COTENANT_ENTRY_TRACE_TRAP_H
#define COTENANT_ENTRY_TRACE_TRAP_H

#include "core/hart.h"
#include "entry/trap.h"

/*
 * Begins the rings of all harts where the bundle has a place for them; does nothing when it has
 * none. Called once at boot, before any hart sets mtvec, on a hart whose clock is set up. Takes 256
 * ticks of mtime, to measure how fast the cycle counter goes.
 */
void trace_begin(const struct hart *hart);

/* The first instruction of the trap entry that takes the place of trap_entry() when trace_is_on. */
void trace_entry(void);

/* trap_dispatch() with records around it. Called by entry/trace_entry.S in the same state. */
struct world_change trace_trap(struct hart *hart);

#endif
