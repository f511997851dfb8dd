/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers with which a vhart starts, and its view of physical memory. */
#ifndef COTENANT_ARCH_VHART_SETUP_H
#define COTENANT_ARCH_VHART_SETUP_H

#include "core/vhart.h"

/* Takes the PMP entries of the vhart from its description. At boot. */
void vhart_setup_protection(struct vhart *vhart);

/*
 * The state in which SBI starts a hart (section 9.1): S-mode at `address`, satp and sstatus.SIE 0,
 * a0 = its id, a1 = `argument`, no interrupt enabled or pending, no timer. All else is zero, so
 * that nothing of an earlier life or of another tenant can be seen, and which exceptions it takes
 * itself is as at its first start. Not for a loaded vhart.
 */
void vhart_setup_world(struct vhart *vhart, uint64_t address, uint64_t argument);

/*
 * The same for one that goes on after a suspend to RAM (section 13.3): its general and
 * floating-point registers are what they were, which only it can see. Not for a loaded vhart.
 */
void vhart_setup_return(struct vhart *vhart, uint64_t address, uint64_t argument);

/*
 * SBI hart_suspend, resumed (section 9.4): as above, but only what the specification resets is
 * changed. For a vhart of this hart.
 */
void vhart_setup_resume(struct vhart *vhart, uint64_t address, uint64_t argument);

/* Forgets the registers of the loaded vhart: the next world is loaded without saving them. */
void vhart_unload(struct vhart *vhart);

#endif
