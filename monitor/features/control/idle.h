/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long vharts compute. The lowest vhart of a hart waits natively in its own WFI, and so has the
 * hart all the time for the scheduler. While a program asks for it, the monitor samples: if the
 * vhart waits at that moment, its time since the last sample counts as idle.
 *
 * That is for the vharts of the hart that does the monitor's work (core/work.h); those of others
 * are charged for their waiting.
 */
#ifndef COTENANT_FEATURES_CONTROL_IDLE_H
#define COTENANT_FEATURES_CONTROL_IDLE_H

#include <stdint.h>

struct vhart;

/*
 * Ticks that a vhart has computed until about `now`, without what was seen to be idle. Never less
 * than the last time. The looks go on for a minute. M-mode with interrupts off, shared lock held.
 */
uint64_t idle_computed(const struct vhart *vhart, uint64_t now);

#endif
