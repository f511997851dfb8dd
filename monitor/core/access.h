/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores that PMP has refused: a feature may carry them out for the tenant; otherwise
 * they are reflected to it as access faults.
 */
#ifndef COTENANT_CORE_ACCESS_H
#define COTENANT_CORE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"

struct vhart;

/*
 * The loaded vhart's instruction at its pc trapped with `cause` at `address`. Returns false, with
 * nothing done, if the trap is to be reflected to it; otherwise it goes on at its pc.
 */
typedef bool access_emulator(struct vhart *vhart, uint64_t cause, uint64_t address);

TABLE(access_emulator *const, access_emulators);

#define ACCESS_EMULATOR(function)                                                                  \
    static access_emulator *const function##_emulator TABLE_ENTRY(access_emulators) = (function)

#endif
