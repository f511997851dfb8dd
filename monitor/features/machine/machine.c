/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/machine/machine.h"

#include "arch/guest_memory.h"
#include "arch/instruction.h"
#include "arch/timer.h"
#include "arch/trap_vector.h"
#include "core/misaligned.h"
#include "entry/fast_switch.h"
#include "features/decode/decode.h"
#include "features/machine/access_fault.h"

void machine_take_exception(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    const struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    CSR_WRITE(stvec, machine_vector(csrs));
    trap_reflect(vhart, cause, value);
    CSR_WRITE(stvec, machine_stvec(csrs));
}

static void illegal_instruction(struct vhart *vhart, uint64_t bits)
{
    struct world *world = &vhart->world;
    uint64_t pc = world->registers[REGISTER_PC];
    bool in_machine = (world->mstatus & MSTATUS_MPP) == MSTATUS_MPP_S;
    uint32_t instruction = (uint32_t)bits;
    uint8_t reg;

    if (bits == 0 && !guest_fetch(vhart->tenant, CSR_READ(satp), pc, &instruction)) {
        instruction = 0;
    }
    if (in_machine ? machine_execute(vhart, instruction)
                   : instruction == INSTRUCTION_WFI &&
                         (machine_of(vhart)->csrs.status & MSTATUS_TW) == 0 &&
                         machine_execute(vhart, instruction)) {
        if (in_machine) {
            machine_rewrite(vhart, pc, instruction);
        }
        return;
    }
    if (instruction_reads_time(instruction, &reg) &&
        (in_machine || (CSR_READ(scounteren) & COUNTER_TIME) != 0)) {
        if (reg != 0) {
            world->registers[reg] = hart_now(world->hart);
        }
        world->registers[REGISTER_PC] += 4;
        return;
    }
    machine_take_exception(vhart, CAUSE_ILLEGAL_INSTRUCTION, bits);
}

bool machine_access_timer(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    struct world *world = &vhart->world;
    bool store = cause == CAUSE_STORE_ACCESS;
    struct memory_access access;
    uint64_t value;

    if (CSR_READ(satp) >> SATP_MODE_SHIFT != 0 ||
        !instruction_decode(guest_fetch_native(world->registers[REGISTER_PC]), store, &access)) {
        return false;
    }
    value = access.reg == 0 ? 0 : world->registers[access.reg];
    if (!machine_access_clint(vhart, address, access.size, store, &value)) {
        return false;
    }
    if (!store && access.reg != 0) {
        world->registers[access.reg] = instruction_load_result(&access, value);
    }
    world->registers[REGISTER_PC] += access.length;
    return true;
}

static void misaligned_access(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    struct misaligned_fault fault = {cause, address};

    if (!misaligned_emulate(vhart, CSR_READ(satp), &fault)) {
        vhart->faults++;
        machine_take_exception(vhart, fault.cause, fault.address);
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
        return machine_access_fault(hart, vhart, cause, value, machine_take_exception);
    case CAUSE_LOAD_MISALIGNED:
    case CAUSE_STORE_MISALIGNED:
        misaligned_access(vhart, cause, value);
        return NO_CHANGE;
    default:
        machine_take_exception(vhart, cause, value);
        return NO_CHANGE;
    }
}

/* What trap_dispatch() and the fast paths before it do, for a vhart in machine mode. */
static world_change serve(struct hart *hart, struct vhart *vhart)
{
    uint64_t cause = CSR_READ(mcause);
    world_change change = NO_CHANGE;

    if (cause == CAUSE_INTERRUPT_MTI) {
        change = fast_wake(hart);
    } else if (cause == CAUSE_ILLEGAL_INSTRUCTION) {
        change = fast_wait(hart);
    }
    if (change != NO_CHANGE) {
        return change;
    }
    if ((int64_t)cause < 0) {
        return trap_dispatch(hart);
    }
    change = exception(hart, vhart, cause);
    if (change != NO_CHANGE) {
        return change;
    }
    if (!hart->reschedule && hart->loaded == vhart) {
        return fast_resume(hart, vhart);
    }
    return (CSR_READ(mip) & INTERRUPT_MTI) != 0 ? fast_preempt(hart) : hart_schedule(hart);
}

world_change machine_trap(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    uint32_t life = vhart->tenant->lives;
    world_change change;

    trap_use_fast_paths(true);
    change = serve(hart, vhart);
    if (hart->loaded == vhart && vhart->tenant->lives == life) {
        CSR_WRITE(mtvec, machine_parked[vhart_index(vhart)].entry);
    } else if ((uintptr_t)change == (uintptr_t)&vhart->world) {
        machine_park(vhart);
    }
    return change;
}
