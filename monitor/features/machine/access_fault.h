/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses of tenants in machine mode that fault, with an S-mode of their own or without. */
#ifndef COTENANT_FEATURES_MACHINE_ACCESS_FAULT_H
#define COTENANT_FEATURES_MACHINE_ACCESS_FAULT_H

#include <stdint.h>

#include "core/access.h"
#include "entry/fast_switch.h"
#include "features/machine/machine.h"

/* How a vhart is shown an exception: machine_take_exception() or inner_take_exception(). */
typedef void machine_exception_taker(struct vhart *vhart, uint64_t cause, uint64_t value);

/*
 * Does what a load or store access fault asks for: an access to its timer, to a register that is
 * emulated, or else the exception, by `take`. By the vhart's own hart with interrupts off.
 */
__attribute__((always_inline)) static inline world_change
machine_access_fault(struct hart *hart, struct vhart *vhart, uint64_t cause, uint64_t address,
                     machine_exception_taker *take)
{
    world_change change;

    if (machine_access_timer(vhart, cause, address)) {
        return NO_CHANGE;
    }
    change = cause == CAUSE_LOAD_ACCESS ? fast_load(hart) : fast_store(hart);
    if (change != NO_CHANGE) {
        return change;
    }
    FOR_EACH_IN_TABLE(access_emulators, emulate)
    {
        if ((*emulate)(vhart, cause, address)) {
            return NO_CHANGE;
        }
    }
    vhart->faults++;
    take(vhart, cause, address);
    return NO_CHANGE;
}

#endif
