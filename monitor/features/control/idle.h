/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long vharts compute. The lowest vhart of a hart waits natively in its own WFI, and so has the
 * hart all the time for the scheduler. While someone looks, the monitor looks as well now and then:
 * if the vhart waits at that moment, what it had of the hart since the last look was idle.
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
