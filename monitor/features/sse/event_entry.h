/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a vhart when the handler of a software event begins and ends, SBI sections 17.5
 * and 17.6. Neither the hypervisor extension nor Zicfilp nor Ssdbltrp is there for tenants.
 *
 * Called by the vhart's own hart, interrupts off, on the plain path of a trap.
 */
#ifndef COTENANT_FEATURES_SSE_EVENT_ENTRY_H
#define COTENANT_FEATURES_SSE_EVENT_ENTRY_H

#include "core/vhart.h"
#include "features/sse/software_events.h"

/*
 * The vhart, loaded or not, goes on at virtual address `pc` in S-mode with a6 = its id and a7 =
 * `argument`. What that changes is noted in *interrupted. It ends a suspend.
 */
void event_enter(struct vhart *vhart, uint64_t pc, uint64_t argument,
                 struct interrupted *interrupted);

/* The loaded vhart goes on where it was interrupted, which the tenant may have changed. */
void event_leave(struct vhart *vhart, const struct interrupted *interrupted);

#endif
