/* SPDX-License-Identifier: BSD-2-Clause */
/* Misaligned accesses are shown to the tenant as the exceptions that they are. */
#include "arch/misaligned.h"

bool misaligned_emulate(struct vhart *vhart, uint64_t satp, struct misaligned_fault *fault)
{
    (void)vhart;
    (void)satp;
    (void)fault;
    return false;
}
