/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vharts that need something done each time they get or lose their hart: steal time
 * (core/steal.h), performance counters (core/pmu.h), debug triggers (core/triggers.h).
 *
 * Such a vhart has a budget, without a limit if need be: all that runs with a budget takes the
 * plain path of the schedule, where hart_schedule() looks after it, and the shortcuts of world
 * switches pay nothing. Called by the vhart's own hart, interrupts off.
 */
#ifndef COTENANT_CORE_PLAIN_PATH_H
#define COTENANT_CORE_PLAIN_PATH_H

#include "core/features.h"
#include "core/hart.h"
#include "core/vhart.h"

/* Reasons, bits of struct vhart.plain_path. */
#define PLAIN_PATH_STEAL 0x1
#define PLAIN_PATH_COUNTERS 0x2
#define PLAIN_PATH_TRIGGERS 0x4

/* The vhart, which has the hart, is looked after for `reason` from now on. */
void plain_path_begin(struct vhart *vhart, uint32_t reason);

/* No more for `reason`; nothing if it was not. */
void plain_path_end(struct vhart *vhart, uint32_t reason);

/* One of the vharts of this hart is looked after. */
static inline bool plain_path_is_taken(const struct hart *hart)
{
    return (FEATURE_STEAL || FEATURE_COUNTERS || FEATURE_TRIGGERS) && hart->accounts != 0;
}

#endif
