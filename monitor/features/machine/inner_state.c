/* SPDX-License-Identifier: BSD-2-Clause */
/* What the hart is to be while a tenant with an S-mode of its own runs, from what the tenant set.
 */
#include "arch/timer.h"
#include "features/machine/inner.h"
#include "features/machine/machine.h"

#define INTERRUPT 0x8000000000000000
#define EXCEPTIONS_OF_TENANT (EXCEPTIONS_DELEGATED & ~(uint64_t)EXCEPTION_ILLEGAL_INSTRUCTION)
#define RIGHTS_TO_DATA 0x0303030303030303 /* PMP_READ and PMP_WRITE of 8 entries */
#define STATUS_TRAPS (MSTATUS_TW | MSTATUS_TVM | MSTATUS_TSR)

bool inner_modifies_privilege(const struct vhart *vhart)
{
    const struct inner *inner = &machine_of(vhart)->inner;

    return inner->in_machine && (inner->status & MSTATUS_MPRV) != 0 &&
           (inner->status & MSTATUS_MPP) != MSTATUS_MPP;
}

/* The interrupt of the highest priority goes first: section 3.1.9. */
static void take_interrupt(struct vhart *vhart)
{
    static const uint8_t order[] = {11, 3, 7, 9, 1, 5};
    const struct inner *inner = &machine_of(vhart)->inner;
    uint64_t enabled = inner->mie;
    uint64_t due;

    if (inner->in_machine && (inner->status & MSTATUS_MIE) == 0) {
        return;
    }
    if (!inner->in_machine) {
        enabled = (enabled & INTERRUPTS_MACHINE) | (CSR_READ(mie) & INTERRUPTS_SUPERVISOR);
    }
    due = enabled & ~inner->mideleg;
    due = due == 0 ? 0 : due & inner_pending(vhart);
    for (unsigned i = 0; due != 0 && i < sizeof(order); i++) {
        if ((due >> order[i] & 1) != 0) {
            inner_enter_machine(vhart, INTERRUPT | order[i], 0);
            return;
        }
    }
}

static void set_protection(struct vhart *vhart)
{
    struct inner *inner = &machine_of(vhart)->inner;
    struct world *world = &vhart->world;
    bool withdrawn = (inner->withdrawn[0] | inner->withdrawn[1]) != 0;

    if (inner_modifies_privilege(vhart) == withdrawn) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        uint64_t rights = withdrawn ? inner->withdrawn[i] : world->pmp_config[i] & RIGHTS_TO_DATA;

        inner->withdrawn[i] = withdrawn ? 0 : rights;
        world->pmp_config[i] ^= rights;
    }
    CSR_WRITE(pmpcfg0, world->pmp_config[0]);
    CSR_WRITE(pmpcfg2, world->pmp_config[1]);
    FENCE_TRANSLATION();
}

static void set_delegation(struct vhart *vhart, uint64_t exceptions)
{
    if (vhart->world.medeleg != exceptions) {
        vhart->world.medeleg = exceptions;
        CSR_WRITE(medeleg, exceptions);
    }
}

/* The deadline that its machine mode would be interrupted by. */
static uint64_t deadline(const struct vhart *vhart)
{
    const struct inner *inner = &machine_of(vhart)->inner;
    bool can_be = !inner->in_machine || (inner->status & MSTATUS_MIE) != 0;

    return can_be && (inner->mie & INTERRUPT_MTI) != 0 ? machine_parked[vhart_index(vhart)].mtimecmp
                                                       : TIME_NEVER;
}

void inner_settle(struct vhart *vhart)
{
    struct machine_parked *parked = &machine_parked[vhart_index(vhart)];
    const struct inner *inner = &machine_of(vhart)->inner;
    struct world *world = &vhart->world;
    uint64_t exceptions = 0;
    uint64_t traps = MSTATUS_TW;

    take_interrupt(vhart);
    if (inner->in_machine) {
        bool enabled = (inner->status & MSTATUS_MIE) != 0;

        parked->mideleg = 0;
        CSR_WRITE(mie, INTERRUPTS_MACHINE |
                           (enabled ? inner->mie & ~inner->mideleg & INTERRUPTS_SUPERVISOR : 0));
    } else {
        bool yields = (vhart->description->flags & COTENANT_VHART_WFI_YIELDS) != 0;

        parked->mideleg = inner->mideleg;
        traps = (inner->status & STATUS_TRAPS) | (yields ? MSTATUS_TW : 0);
        exceptions = inner->medeleg & (yields ? EXCEPTIONS_OF_TENANT : EXCEPTIONS_DELEGATED) &
                     ~world->hart->emulated_exceptions;
    }
    world->mstatus = (world->mstatus & ~(uint64_t)STATUS_TRAPS) | traps;
    set_delegation(vhart, exceptions);
    set_protection(vhart);
    parked->deadline = deadline(vhart);
}
