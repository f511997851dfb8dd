/* SPDX-License-Identifier: BSD-2-Clause */
/* From a trap to the world that runs next. */
#ifndef COTENANT_ENTRY_TRAP_H
#define COTENANT_ENTRY_TRAP_H

#include <stddef.h>

#include "arch/world.h"
#include "core/hart.h"

/*
 * What the trap exit does: keep the registers of one world (NULL: none), run another. A pair of
 * pointers, the first one below; a struct of two would go through memory on each way out of a trap.
 */
__extension__ typedef unsigned __int128 world_change;

#define NO_CHANGE ((world_change)0) /* of those that may leave it to others */

static inline world_change change_world(struct world *keep, struct world *run)
{
    return (world_change)(uintptr_t)run << 64 | (uintptr_t)keep;
}

/*
 * Of fast_load() and fast_store(): the loaded world goes on, and of its registers those that C
 * functions preserve (gp, s0 to s11) are what they were: they are in the hart still.
 */
static inline world_change world_unchanged(struct world *world)
{
    return change_world(world, NULL);
}

/*
 * Called by the trap entry on the hart's own stack, interrupts off, with the general registers,
 * pc and mstatus of the loaded vhart in its world.
 */
world_change trap_dispatch(struct hart *hart);

/*
 * Chooses the vhart that runs next on the hart, idles and loads images meanwhile, and prepares its
 * world. Does not return before a vhart can run.
 */
world_change hart_schedule(struct hart *hart);

/*
 * Looks at the machine interrupts that are pending and acts on each once; what it leads to is
 * found by hart_schedule(). The timer's, which is for the scheduler, is left to the caller.
 */
void hart_poll_interrupts(struct hart *hart);

/*
 * The accesses that tenants make most to what the monitor emulates. Called by the trap entry before
 * trap_dispatch(), in the same state, for an access fault of a load or a store; each either does
 * everything that trap_dispatch() would have done, or changes nothing and returns NO_CHANGE. The
 * feature that emulates registers replaces the functions: a table would make the path longer.
 */
world_change fast_load(struct hart *hart);
world_change fast_store(struct hart *hart);

/* Does it; does not return. */
_Noreturn void world_enter(world_change change);

/* The first instruction of the trap entry, and of one that has none of its fast paths. */
void trap_entry(void);
void trap_plain_entry(void);

/* Shows a synchronous exception to the loaded vhart, as hardware would (privileged ISA 4.1). */
void trap_reflect(struct vhart *vhart, uint64_t cause, uint64_t value);

/*
 * The instruction at `pc`, whose exception gave `bits` in mtval; if they are 0 (privileged ISA
 * 3.1.16) it is fetched, and 0 if it cannot be. False: that took long, and the hart is wanted. Then
 * the vhart is to come to the same exception again.
 */
bool trap_find_instruction(const struct vhart *vhart, uint64_t pc, uint64_t bits,
                           uint32_t *instruction);

/* Does the read of a time CSR that the hart lacks (3.1.10, 4.1.5); false: it is none. */
bool trap_reads_time(struct vhart *vhart, uint32_t instruction);

/* A trap inside the monitor, always a defect: says so and returns, after which the hart stops. */
void monitor_failure(uint64_t cause, uint64_t pc, uint64_t value);

#endif
