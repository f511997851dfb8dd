/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Misaligned loads and stores on harts that trap on them (privileged ISA 3.1.15: causes 4 and 6).
 *
 * One access is done byte by byte, in at most two pages, each translated and checked as the hart
 * would have done it. It is atomic with regard to faults only: nothing is written before both pages
 * are known to be good. It must be in the tenant's RAM; devices get an access fault, as on harts
 * whose devices take no misaligned access.
 */
#ifndef COTENANT_ARCH_MISALIGNED_H
#define COTENANT_ARCH_MISALIGNED_H

#include <stdbool.h>
#include <stdint.h>

struct vhart;

/* What the tenant is shown of an access that could not be done. */
struct misaligned_fault {
    uint64_t cause;
    uint64_t address;
};

/*
 * Does the access of the loaded vhart's instruction at its pc, which trapped with fault->cause at
 * fault->address, and moves the pc on. Returns false with the exception to reflect in *fault: the
 * original one for instructions that have to be aligned (atomics), else what the access ran into.
 */
bool misaligned_emulate(struct vhart *vhart, uint64_t satp, struct misaligned_fault *fault);

#endif
