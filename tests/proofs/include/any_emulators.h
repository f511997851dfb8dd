/* SPDX-License-Identifier: BSD-2-Clause */
/* What does refused and misaligned accesses of the vhart that has the hart, for entries of proofs.
 */
#ifndef COTENANT_TESTS_PROOFS_ANY_EMULATORS_H
#define COTENANT_TESTS_PROOFS_ANY_EMULATORS_H

#include "arch/csr.h"
#include "core/access.h"
#include "core/misaligned.h"
#include "proof.h"

/* What may become of the vhart: the entry's. */
static void goes_elsewhere(struct vhart *vhart);

static bool emulate(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    //@ assert cause == CAUSE_LOAD_ACCESS || cause == CAUSE_STORE_ACCESS;
    (void)cause;
    (void)address;
    goes_elsewhere(vhart);
    return any_bool();
}

ACCESS_EMULATOR(emulate);
HAS_ENTRIES(access_emulators, &emulate_emulator);

static bool make_bytes(struct vhart *vhart, uint64_t satp, struct misaligned_fault *fault)
{
    (void)satp;
    goes_elsewhere(vhart);
    fault->cause = any_bool() ? fault->cause : any64();
    fault->address += any64();
    return any_bool();
}

MISALIGNED_EMULATOR(make_bytes);
HAS_ENTRIES(misaligned_emulators, &make_bytes_emulator);

#endif
