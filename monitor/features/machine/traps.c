/* SPDX-License-Identifier: BSD-2-Clause */
/* Traps of tenants in machine mode, with an S-mode of their own (see machine.h) or without. */
#include "arch/guest_memory.h"
#include "arch/instruction.h"
#include "arch/timer.h"
#include "arch/trap_vector.h"
#include "core/access.h"
#include "core/misaligned.h"
#include "core/recorder.h"
#include "entry/fast_switch.h"
#include "features/machine/machine.h"

#define CAUSE_INTERRUPT_MSI 0x8000000000000003
#define CAUSE_INTERRUPT_MEI 0x800000000000000b
#define CAUSE_ECALL_FROM_U 8
#define CAUSE_ECALL_FROM_M 11

static uint64_t mode_of_hart(const struct vhart *vhart)
{
    return vhart->world.mstatus & MSTATUS_MPP;
}

static bool is_in_machine(const struct vhart *vhart)
{
    return is_inner(vhart) ? machine_of(vhart)->inner.in_machine
                           : mode_of_hart(vhart) == MSTATUS_MPP_S;
}

static void take_exception(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    const struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    if (is_inner(vhart)) {
        inner_take_exception(vhart, cause, value);
        return;
    }
    CSR_WRITE(stvec, machine_vector(csrs));
    trap_reflect(vhart, cause, value);
    CSR_WRITE(stvec, machine_stvec(csrs));
}

/* Of the modes below, S-mode may wait, and U-mode where it is the only one. */
static bool may_wait(const struct vhart *vhart)
{
    const struct machine *machine = machine_of(vhart);
    uint64_t status = machine->csrs.status | machine->inner.status;

    return (status & MSTATUS_TW) == 0 && (!is_inner(vhart) || mode_of_hart(vhart) == MSTATUS_MPP_S);
}

static void illegal_instruction(struct vhart *vhart, uint64_t bits)
{
    uint64_t pc = vhart->world.registers[REGISTER_PC];
    bool in_machine = is_in_machine(vhart);
    uint32_t instruction;

    if (!trap_find_instruction(vhart, pc, bits, &instruction)) {
        return; /* it is executed again */
    }
    if ((in_machine || (instruction == INSTRUCTION_WFI && may_wait(vhart))) &&
        machine_execute(vhart, instruction)) {
        if (in_machine && !is_inner(vhart)) {
            machine_rewrite(vhart, pc, instruction);
        }
        return;
    }
    if (!trap_reads_time(vhart, instruction)) {
        take_exception(vhart, CAUSE_ILLEGAL_INSTRUCTION, bits);
    }
}

/*
 * A load or store that the hart has not made, for one of three reasons. `cause` is that it is
 * misaligned. Or it is in two blocks of what the vhart may access. Or machine mode has MPRV: then
 * it is made as by the mode in MPP, so translated and checked by the page tables of S-mode
 * (privileged ISA 3.1.6.3), in memory only.
 */
static void access_bytes(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    struct machine *machine = machine_of(vhart);
    const struct inner *inner = &machine->inner;
    bool load = cause == CAUSE_LOAD_ACCESS || cause == CAUSE_LOAD_MISALIGNED;
    struct world *world = &vhart->world;
    struct misaligned_fault fault = {load ? CAUSE_LOAD_MISALIGNED : CAUSE_STORE_MISALIGNED,
                                     address};
    uint64_t mode = mode_of_hart(vhart);
    uint64_t satp = CSR_READ(satp);
    enum confine_verdict verdict = CONFINE_ALLOWED;

    if (inner_modifies_privilege(vhart)) {
        satp = inner->satp;
        world->mstatus |= inner->status & MSTATUS_MPP; /* it is U */
    }
    if (*machine->confinement.purpose != RIGHTS_OWN && machine->confined) {
        verdict = confine_allows(vhart, &machine->confinement, satp, !load, address);
    }
    if (verdict == CONFINE_ALLOWED && misaligned_emulate(vhart, satp, &fault)) {
        verdict = CONFINE_OPENED;
    }
    world->mstatus = (world->mstatus & ~(uint64_t)MSTATUS_MPP) | mode;
    if (verdict == CONFINE_OPENED) {
        return; /* it has been made, or is made again */
    }
    if (fault.cause == CAUSE_LOAD_MISALIGNED || fault.cause == CAUSE_STORE_MISALIGNED) {
        /* An instruction of another kind. Or it is denied: 1 makes 4 and 6 the access faults. */
        fault.cause = verdict == CONFINE_DENIED ? cause | 1 : cause;
    }
    vhart->faults++;
    take_exception(vhart, fault.cause, fault.address);
}

/* False: it has nothing to do with the tenant's own PMP entries. */
static bool is_refused_by_tenant(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    struct machine *machine = machine_of(vhart);
    enum confine_verdict verdict;

    if (machine_has_rules(machine) && machine_protect(vhart)) {
        return true;
    }
    if (*machine->confinement.purpose >= RIGHTS_OWN) {
        return false;
    }
    verdict = confine_look_up(vhart, &machine->confinement, cause, address);
    if (verdict == CONFINE_DENIED) {
        vhart->faults++;
        take_exception(vhart, cause, address);
    } else if (verdict == CONFINE_ALLOWED && cause != CAUSE_FETCH_ACCESS) {
        access_bytes(vhart, cause, address);
    } else {
        return verdict == CONFINE_OPENED;
    }
    return true;
}

static world_change access_fault(struct hart *hart, struct vhart *vhart, uint64_t cause,
                                 uint64_t address)
{
    world_change change = NO_CHANGE;

    if (is_refused_by_tenant(vhart, cause, address)) {
        return NO_CHANGE;
    }
    if (cause != CAUSE_FETCH_ACCESS && inner_modifies_privilege(vhart)) {
        access_bytes(vhart, cause, address);
        return NO_CHANGE;
    }
    if (cause != CAUSE_FETCH_ACCESS) {
        change = cause == CAUSE_LOAD_ACCESS ? fast_load(hart) : fast_store(hart);
    }
    if (change != NO_CHANGE) {
        return change;
    }
    FOR_EACH_IN_TABLE(access_emulators, emulate)
    {
        if (cause != CAUSE_FETCH_ACCESS && (*emulate)(vhart, cause, address)) {
            return NO_CHANGE;
        }
    }
    vhart->faults += cause != CAUSE_FETCH_ACCESS;
    take_exception(vhart, cause, address);
    return NO_CHANGE;
}

static world_change exception(struct hart *hart, struct vhart *vhart, uint64_t cause)
{
    uint64_t value = CSR_READ(mtval);

    switch (cause) {
    case CAUSE_ILLEGAL_INSTRUCTION:
        illegal_instruction(vhart, value);
        return NO_CHANGE;
    case CAUSE_FETCH_ACCESS:
    case CAUSE_LOAD_ACCESS:
    case CAUSE_STORE_ACCESS:
        return access_fault(hart, vhart, cause, value);
    case CAUSE_LOAD_MISALIGNED:
    case CAUSE_STORE_MISALIGNED:
        access_bytes(vhart, cause, value);
        return NO_CHANGE;
    case CAUSE_ECALL_FROM_U:
        cause = machine_of(vhart)->inner.in_machine ? CAUSE_ECALL_FROM_M : cause;
        break;
    default:
        break;
    }
    take_exception(vhart, cause, value);
    return NO_CHANGE;
}

/* Whether the vhart is loaded and runs on in the life that it had. */
static bool goes_on(const struct hart *hart, const struct vhart *vhart, uint32_t life)
{
    return hart->loaded == vhart && vhart->tenant->lives == life;
}

/* An interrupt that the hart takes to the monitor for its machine mode above an S-mode. */
static bool is_of_inner(const struct hart *hart, const struct vhart *vhart, uint64_t cause)
{
    return is_inner(vhart) && cause != CAUSE_INTERRUPT_MSI && cause != CAUSE_INTERRUPT_MEI &&
           (cause != CAUSE_INTERRUPT_MTI ||
            (!hart->reschedule && hart_now(hart) < hart->event_deadline));
}

/* What trap_dispatch() and the fast paths before it do, for a vhart in machine mode. */
static world_change serve(struct hart *hart, struct vhart *vhart)
{
    uint64_t cause = CSR_READ(mcause);
    uint32_t life = vhart->tenant->lives;
    world_change change = NO_CHANGE;

    if (cause == CAUSE_INTERRUPT_MTI) {
        change = fast_wake(hart, hart_now(hart));
    } else if (cause == CAUSE_ILLEGAL_INSTRUCTION && !is_inner(vhart)) {
        change = fast_wait(hart);
    }
    if (change == NO_CHANGE && (int64_t)cause >= 0) {
        change = exception(hart, vhart, cause);
    } else if (change == NO_CHANGE && !is_of_inner(hart, vhart, cause)) {
        change = trap_dispatch(hart);
    }
    if (change != NO_CHANGE) {
        return change;
    }
    if (!hart->reschedule && hart->loaded == vhart && (CSR_READ(mip) & INTERRUPT_MTI) == 0) {
        return change_world(&vhart->world, &vhart->world);
    }
    /* It may lose the hart. While it waits, mie says what wakes it. */
    if (is_inner(vhart) && goes_on(hart, vhart, life) &&
        vhart->schedulable.state == SCHEDULABLE_READY) {
        inner_settle(vhart);
    }
    if (!hart->reschedule && hart->loaded == vhart) {
        return fast_resume(hart, vhart);
    }
    return (CSR_READ(mip) & INTERRUPT_MTI) != 0 ? fast_preempt(hart) : hart_schedule(hart);
}

world_change machine_trap(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    const struct machine_parked *parked = &machine_parked[vhart_index(vhart)];
    uint32_t life = vhart->tenant->lives;
    bool inner = is_inner(vhart);
    world_change change;

    if (inner) {
        CSR_WRITE(mideleg, INTERRUPTS_SUPERVISOR);
    }
    trap_use_fast_paths(true);
    change = serve(hart, vhart);
    if (hart->loaded != vhart) {
        record_running(hart, hart->loaded);
    }
    if (goes_on(hart, vhart, life)) {
        if (inner) {
            inner_settle(vhart);
            *hart->mtimecmp =
                parked->deadline < hart->event_deadline ? parked->deadline : hart->event_deadline;
            CSR_WRITE(mideleg, parked->mideleg);
        } else if (machine_has_rules(machine_of(vhart))) {
            machine_set_entry(vhart);
        }
        CSR_WRITE(mtvec, parked->entry);
    } else if ((uintptr_t)change == (uintptr_t)&vhart->world) {
        machine_park(vhart);
    }
    return change;
}
