/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Misaligned loads and stores on harts that trap on them (privileged ISA 3.1.15: causes 4 and 6): a
 * feature may do them for the tenant, else they are shown to it as the exceptions that they are.
 */
#ifndef COTENANT_CORE_MISALIGNED_H
#define COTENANT_CORE_MISALIGNED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"

struct vhart;

/* What the tenant is shown of an access that could not be done. */
struct misaligned_fault {
    uint64_t cause;
    uint64_t address;
};

/*
 * Does the access of the loaded vhart's instruction at its pc, which trapped with fault->cause at
 * fault->address, through `satp`, and moves the pc on; if the hart is wanted, nothing may be done
 * yet: the instruction is executed again. Returns false with the exception to reflect in *fault,
 * whose cause is as before if it is no instruction that can be done.
 */
typedef bool misaligned_emulator(struct vhart *vhart, uint64_t satp,
                                 struct misaligned_fault *fault);

TABLE(misaligned_emulator *const, misaligned_emulators);

#define MISALIGNED_EMULATOR(function)                                                              \
    static misaligned_emulator *const function##_emulator TABLE_ENTRY(misaligned_emulators) =      \
        (function)

static inline bool misaligned_emulate(struct vhart *vhart, uint64_t satp,
                                      struct misaligned_fault *fault)
{
    FOR_EACH_IN_TABLE(misaligned_emulators, emulate)
    {
        if ((*emulate)(vhart, satp, fault)) {
            return true;
        }
    }
    return false;
}

#endif
