/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steal time of a vhart, SBI section 16: how long it could have run while somebody else had its
 * hart, in memory that it shares with the monitor.
 *
 * The account is kept on the plain path of the schedule (core/plain_path.h). Called by the vhart's
 * own hart, interrupts off.
 */
#ifndef COTENANT_CORE_STEAL_H
#define COTENANT_CORE_STEAL_H

#include "core/vhart.h"

/* Counts from now on in the 64 bytes at `address`, which are the tenant's and aligned. */
void steal_begin(struct vhart *vhart, uint64_t address);

/* Counts no more, and never writes there again. */
void steal_end(struct vhart *vhart);

/* The vhart loses its hart at `now`, in ticks; `idle`: it had nothing to do with it. */
void steal_leave(struct vhart *vhart, uint64_t now, bool idle);

/* The vhart gets its hart. */
void steal_enter(struct vhart *vhart, uint64_t now);

#endif
