/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that the monitor knows of a dormant tenant besides its memory, to be kept in a file and
 * brought back, in the same machine or in another one with the same configuration.
 *
 * It is this little because the tenant has suspended to RAM: registers, timers and interrupts are
 * lost, devices are reset, and its other harts are stopped. The time goes on as `mtime` of the
 * machine does, which no tenant can have of its own; a kernel takes it anew when it resumes.
 */
#ifndef COTENANT_ABI_DORMANT_H
#define COTENANT_ABI_DORMANT_H

/* Raised whenever the structure below changes. */
#define COTENANT_DORMANT_VERSION 1

/* struct dormant_state.flags: what it set by SBI FWFT for the hart that resumes. */
#define COTENANT_DORMANT_MISALIGNED_DELEGATED 0x1
#define COTENANT_DORMANT_MISALIGNED_LOCKED 0x2

#ifndef __ASSEMBLER__

#include <stdint.h>

struct dormant_state {
    uint32_t version; /* COTENANT_DORMANT_VERSION */
    uint32_t vhart;   /* the one that resumes; all others are stopped */
    uint32_t flags;   /* COTENANT_DORMANT_* */
    uint32_t reserved;
    uint64_t address;  /* where it resumes, in its memory */
    uint64_t argument; /* its a1 there */
};

#endif

#endif
