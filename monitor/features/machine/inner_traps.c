/* SPDX-License-Identifier: BSD-2-Clause */
/* Traps of tenants in machine mode with an S-mode of their own, from either. */
#include "arch/guest_memory.h"
#include "arch/instruction.h"
#include "arch/timer.h"
#include "arch/trap_vector.h"
#include "core/misaligned.h"
#include "entry/fast_switch.h"
#include "features/machine/access_fault.h"
#include "features/machine/inner.h"
#include "features/machine/machine.h"

#define CAUSE_INTERRUPT_MSI 0x8000000000000003
#define CAUSE_INTERRUPT_MEI 0x800000000000000b
#define CAUSE_ECALL_FROM_U 8
#define CAUSE_ECALL_FROM_M 11

static bool read_time(struct vhart *vhart, uint32_t instruction)
{
    struct world *world = &vhart->world;
    bool from_u = !machine_of(vhart)->inner.in_machine && (world->mstatus & MSTATUS_MPP) == 0;
    uint8_t reg;

    if (!instruction_reads_time(instruction, &reg) ||
        (from_u && (CSR_READ(scounteren) & COUNTER_TIME) == 0)) {
        return false;
    }
    if (reg != 0) {
        world->registers[reg] = hart_now(world->hart);
    }
    world->registers[REGISTER_PC] += 4;
    return true;
}

static void illegal_instruction(struct vhart *vhart, uint64_t bits)
{
    const struct inner *inner = &machine_of(vhart)->inner;
    const struct world *world = &vhart->world;
    uint32_t instruction = (uint32_t)bits;

    if (bits == 0 &&
        !guest_fetch(vhart->tenant, CSR_READ(satp), world->registers[REGISTER_PC], &instruction)) {
        instruction = 0;
    }
    if (read_time(vhart, instruction) || (inner->in_machine && inner_execute(vhart, instruction))) {
        return;
    }
    if (!inner->in_machine && instruction == INSTRUCTION_WFI &&
        (world->mstatus & MSTATUS_MPP) == MSTATUS_MPP_S && (inner->status & MSTATUS_TW) == 0) {
        inner_wait(vhart);
        return;
    }
    inner_take_exception(vhart, CAUSE_ILLEGAL_INSTRUCTION, bits);
}

static world_change access_fault(struct hart *hart, struct vhart *vhart, uint64_t cause,
                                 uint64_t address)
{
    if (inner_modifies_privilege(vhart)) {
        inner_access_as_below(vhart, cause == CAUSE_STORE_ACCESS, address);
        return NO_CHANGE;
    }
    return machine_access_fault(hart, vhart, cause, address, inner_take_exception);
}

static void misaligned_access(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    struct misaligned_fault fault = {cause, address};

    if (inner_modifies_privilege(vhart)) {
        inner_access_as_below(vhart, cause == CAUSE_STORE_MISALIGNED, address);
    } else if (!misaligned_emulate(vhart, CSR_READ(satp), &fault)) {
        inner_take_exception(vhart, fault.cause, fault.address);
    }
}

static world_change exception(struct hart *hart, struct vhart *vhart, uint64_t cause)
{
    uint64_t value = CSR_READ(mtval);

    switch (cause) {
    case CAUSE_ILLEGAL_INSTRUCTION:
        illegal_instruction(vhart, value);
        return NO_CHANGE;
    case CAUSE_LOAD_ACCESS:
    case CAUSE_STORE_ACCESS:
        return access_fault(hart, vhart, cause, value);
    case CAUSE_LOAD_MISALIGNED:
    case CAUSE_STORE_MISALIGNED:
        misaligned_access(vhart, cause, value);
        return NO_CHANGE;
    case CAUSE_ECALL_FROM_U:
        cause = machine_of(vhart)->inner.in_machine ? CAUSE_ECALL_FROM_M : cause;
        break;
    default:
        break;
    }
    inner_take_exception(vhart, cause, value);
    return NO_CHANGE;
}

/* Whether the vhart is loaded and runs on in the life that it had. */
static bool goes_on(const struct hart *hart, const struct vhart *vhart, uint32_t life)
{
    return hart->loaded == vhart && vhart->tenant->lives == life;
}

static world_change serve(struct hart *hart, struct vhart *vhart)
{
    uint64_t cause = CSR_READ(mcause);
    uint32_t life = vhart->tenant->lives;
    world_change change = NO_CHANGE;

    if (cause == CAUSE_INTERRUPT_MTI) {
        change = fast_wake(hart);
        if (change == NO_CHANGE && (hart->reschedule || hart_now(hart) >= hart->event_deadline)) {
            return trap_dispatch(hart);
        }
        /* Else it is the deadline of its machine mode. */
    } else if (cause == CAUSE_INTERRUPT_MSI || cause == CAUSE_INTERRUPT_MEI) {
        return trap_dispatch(hart);
    } else if ((int64_t)cause >= 0) {
        change = exception(hart, vhart, cause);
    }
    if (change != NO_CHANGE) {
        return change;
    }
    if (!hart->reschedule && hart->loaded == vhart && (CSR_READ(mip) & INTERRUPT_MTI) == 0) {
        return change_world(&vhart->world, &vhart->world);
    }
    /* While it waits, mie says what wakes it. */
    if (goes_on(hart, vhart, life) && vhart->schedulable.state == SCHEDULABLE_READY) {
        inner_settle(vhart);
    }
    if (!hart->reschedule && hart->loaded == vhart) {
        return fast_resume(hart, vhart);
    }
    return (CSR_READ(mip) & INTERRUPT_MTI) != 0 ? fast_preempt(hart) : hart_schedule(hart);
}

/* The hart's own timer is for the earlier one of its next event and the vhart's. */
static void program_timer(const struct hart *hart, const struct machine_parked *parked)
{
    *hart->mtimecmp =
        parked->deadline < hart->event_deadline ? parked->deadline : hart->event_deadline;
}

world_change machine_inner_trap(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    const struct machine_parked *parked = &machine_parked[vhart_index(vhart)];
    uint32_t life = vhart->tenant->lives;
    world_change change;

    CSR_WRITE(mideleg, INTERRUPTS_SUPERVISOR);
    trap_use_fast_paths(true);
    change = serve(hart, vhart);
    if (goes_on(hart, vhart, life)) {
        inner_settle(vhart);
        program_timer(hart, parked);
        CSR_WRITE(mideleg, parked->mideleg);
        CSR_WRITE(mtvec, parked->entry);
    } else if ((uintptr_t)change == (uintptr_t)&vhart->world) {
        machine_park(vhart);
    }
    return change;
}
