/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tenants with an S-mode of their own: from one mode to another, by traps to machine mode, MRET,
 * SRET and WFI; and what the hart is to be while the tenant runs, from what it has set.
 */
#include "arch/timer.h"
#include "features/machine/machine.h"

#define EXCEPTIONS_OF_TENANT (EXCEPTIONS_DELEGATED & ~(uint64_t)EXCEPTION_ILLEGAL_INSTRUCTION)
#define STATUS_TRAPS (MSTATUS_TW | MSTATUS_TVM | MSTATUS_TSR)
#define MPP_SHIFT 11

static void set_mode(struct vhart *vhart, uint64_t mode)
{
    vhart->world.mstatus = (vhart->world.mstatus & ~(uint64_t)MSTATUS_MPP) | mode << MPP_SHIFT;
}

/* mie as its machine mode sees it. */
static uint64_t enabled_interrupts(const struct vhart *vhart)
{
    const struct inner *inner = &machine_of(vhart)->inner;
    uint64_t own = inner->mie & INTERRUPTS_MACHINE;

    return inner->in_machine ? inner->mie : own | (CSR_READ(mie) & INTERRUPTS_SUPERVISOR);
}

static void leave_below(struct vhart *vhart)
{
    struct inner *inner = &machine_of(vhart)->inner;

    inner->mie = enabled_interrupts(vhart);
    inner->in_machine = true;
    inner->satp = CSR_READ(satp);
    inner->scounteren = CSR_READ(scounteren);
    CSR_WRITE(satp, 0);
    CSR_WRITE(scounteren, COUNTERS_BASIC);
    set_mode(vhart, 0);
}

/* To S-mode (1) or U-mode (0). */
static void enter_below(struct vhart *vhart, uint64_t mode)
{
    struct inner *inner = &machine_of(vhart)->inner;

    inner->in_machine = false;
    CSR_WRITE(mie, INTERRUPTS_MACHINE | (inner->mie & INTERRUPTS_SUPERVISOR));
    CSR_WRITE(satp, inner->satp);
    CSR_WRITE(scounteren, inner->scounteren);
    set_mode(vhart, mode);
}

void inner_enter_machine(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    struct inner *inner = &machine_of(vhart)->inner;
    const struct machine_csrs *csrs = &machine_of(vhart)->csrs;
    struct world *world = &vhart->world;
    uint64_t vector = machine_vector(csrs);
    uint64_t from = MSTATUS_MPP;
    uint64_t status = inner->status & ~(uint64_t)(MSTATUS_MPP | MSTATUS_MPIE | MSTATUS_MIE);

    if (inner->in_machine && cause == CAUSE_FETCH_ACCESS &&
        world->registers[REGISTER_PC] == vector) {
        /* Its handler cannot be fetched: no instruction of it would ever run again. */
        CSR_WRITE(scause, inner->mcause);
        CSR_WRITE(sepc, inner->mepc);
        CSR_WRITE(stval, inner->mtval);
        CSR_WRITE(stvec, vector);
        trap_reflect(vhart, cause, value);
        return;
    }
    if (!inner->in_machine) {
        from = world->mstatus & MSTATUS_MPP;
        leave_below(vhart);
    }
    if ((inner->status & MSTATUS_MIE) != 0) {
        status |= MSTATUS_MPIE;
    }
    inner->status = status | from;
    inner->mepc = world->registers[REGISTER_PC];
    inner->mcause = cause;
    inner->mtval = value;
    if ((cause & INTERRUPT) != 0 && machine_is_vectored(csrs)) {
        vector += 4 * (cause & ~INTERRUPT);
    }
    world->registers[REGISTER_PC] = vector;
}

void inner_take_exception(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    const struct inner *inner = &machine_of(vhart)->inner;

    if (!inner->in_machine && (inner->medeleg >> (cause & 63) & 1) != 0) {
        trap_reflect(vhart, cause, value);
    } else {
        inner_enter_machine(vhart, cause, value);
    }
}

void inner_return_from_machine(struct vhart *vhart)
{
    struct inner *inner = &machine_of(vhart)->inner;
    uint64_t mode = inner->status & MSTATUS_MPP;
    uint64_t status = inner->status & ~(uint64_t)(MSTATUS_MIE | MSTATUS_MPP);

    if ((status & MSTATUS_MPIE) != 0) {
        status |= MSTATUS_MIE;
    }
    if (mode != MSTATUS_MPP) {
        status &= ~(uint64_t)MSTATUS_MPRV;
    }
    inner->status = status | MSTATUS_MPIE;
    vhart->world.registers[REGISTER_PC] = inner->mepc;
    if (mode != MSTATUS_MPP) {
        enter_below(vhart, mode >> MPP_SHIFT);
    }
}

void inner_return_from_supervisor(struct vhart *vhart)
{
    struct world *world = &vhart->world;
    uint64_t before = world->mstatus;

    world->mstatus = (before & ~(uint64_t)(MSTATUS_SIE | MSTATUS_SPP)) | MSTATUS_SPIE;
    if ((before & MSTATUS_SPIE) != 0) {
        world->mstatus |= MSTATUS_SIE;
    }
    machine_of(vhart)->inner.status &= ~(uint64_t)MSTATUS_MPRV;
    world->registers[REGISTER_PC] = CSR_READ(sepc);
    enter_below(vhart, (before & MSTATUS_SPP) != 0);
}

void inner_wait(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;
    uint64_t enabled = enabled_interrupts(vhart);
    uint64_t wake;

    if ((inner_pending(vhart) & enabled) != 0) {
        return;
    }
    /* What wakes it; inner_settle() makes it what may interrupt again. */
    CSR_WRITE(mie, INTERRUPTS_MACHINE | (enabled & INTERRUPTS_SUPERVISOR));
    wake =
        (enabled & INTERRUPT_MTI) != 0 ? machine_parked[vhart_index(vhart)].mtimecmp : TIME_NEVER;
    if ((enabled & INTERRUPT_STI) != 0 && timer_is_native(hart) && read_stimecmp() < wake) {
        wake = read_stimecmp();
    }
    schedule_wait(&hart->scheduler, &vhart->schedulable, wake);
    hart->reschedule = true;
}

/* The interrupt of the highest priority goes first: section 3.1.9. */
static void take_interrupt(struct vhart *vhart)
{
    static const uint8_t order[] = {11, 3, 7, 9, 1, 5};
    const struct inner *inner = &machine_of(vhart)->inner;
    uint64_t due = enabled_interrupts(vhart) & ~inner->mideleg;

    if (inner->in_machine && (inner->status & MSTATUS_MIE) == 0) {
        return;
    }
    due = due == 0 ? 0 : due & inner_pending(vhart);
    for (unsigned i = 0; due != 0 && i < sizeof(order); i++) {
        if ((due >> order[i] & 1) != 0) {
            inner_enter_machine(vhart, INTERRUPT | order[i], 0);
            return;
        }
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

    CSR_SET(mip, parked->external);
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
    world->medeleg = exceptions;
    CSR_WRITE(medeleg, exceptions);
    machine_protect(vhart);
    parked->deadline = deadline(vhart);
}
