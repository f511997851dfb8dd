/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steal time of a vhart, SBI section 16: how long it could have run while another vhart had its
 * hart, in memory that it shares with the monitor.
 *
 * A vhart with steal time is attended (core/attended.h). Called by the vhart's own hart, interrupts
 * off.
 */
#ifndef COTENANT_FEATURES_STA_STEAL_H
#define COTENANT_FEATURES_STA_STEAL_H

#include "core/vhart.h"

/* Counts from now on in the 64 bytes at `address`, which are the tenant's and aligned. */
void steal_begin(struct vhart *vhart, uint64_t address);

/* Counts no more, and never writes there again. */
void steal_end(struct vhart *vhart);

#endif
