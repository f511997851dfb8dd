/* SPDX-License-Identifier: BSD-2-Clause */
#include "entry/trap.h"

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "arch/instruction.h"
#include "arch/wait.h"
#include "core/access.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/misaligned.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "entry/fast_switch.h"
#include "sbi/sbi.h"

bool trap_find_instruction(const struct vhart *vhart, uint64_t pc, uint64_t bits,
                           uint32_t *instruction)
{
    *instruction = (uint32_t)bits;
    if (bits != 0) {
        return true;
    }
    *instruction = guest_fetch(vhart->tenant, CSR_READ(satp), pc);
    return !hart_is_wanted();
}

/* The trap that its handler was wanted for may tell why it has none. */
static void crashes(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    const uint64_t values[CRASH_PC] = {
        [CRASH_CAUSE] = cause,
        [CRASH_ADDRESS] = value,
        [CRASH_SCAUSE] = CSR_READ(scause),
        [CRASH_SEPC] = CSR_READ(sepc),
        [CRASH_STVAL] = CSR_READ(stval),
    };
    uint32_t instruction;

    if (values[CRASH_SCAUSE] == CAUSE_ILLEGAL_INSTRUCTION) {
        if (!trap_find_instruction(vhart, values[CRASH_SEPC], values[CRASH_STVAL], &instruction)) {
            return; /* the handler's fetch is made again */
        }
        instruction_is_refused(vhart, instruction, values[CRASH_SEPC]);
    }
    shared_enter(vhart->world.hart);
    tenant_crash(vhart, values);
    shared_leave(vhart->world.hart);
}

void trap_reflect(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    struct world *world = &vhart->world;
    uint64_t status = world->mstatus;
    uint64_t vector = CSR_READ(stvec) & ~3ul;

    /* Its own trap handler cannot be fetched: no instruction of it would ever run again. */
    if (cause == CAUSE_FETCH_ACCESS && world->registers[REGISTER_PC] == vector) {
        if (!hart_is_wanted()) {
            crashes(vhart, cause, value); /* else the fetch is made again */
        }
        return;
    }
    exception_is_shown(vhart, cause);
    CSR_WRITE(scause, cause);
    CSR_WRITE(stval, value);
    CSR_WRITE(sepc, world->registers[REGISTER_PC]);
    status &= ~(uint64_t)(MSTATUS_SPP | MSTATUS_SPIE);
    if ((world->mstatus & MSTATUS_MPP) == MSTATUS_MPP_S) {
        status |= MSTATUS_SPP;
    }
    if ((world->mstatus & MSTATUS_SIE) != 0) {
        status |= MSTATUS_SPIE;
    }
    status &= ~(uint64_t)(MSTATUS_SIE | MSTATUS_MPP);
    world->mstatus = status | MSTATUS_MPP_S;
    world->registers[REGISTER_PC] = vector;
}

static void access_fault(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    FOR_EACH_IN_TABLE(access_emulators, emulate)
    {
        if ((*emulate)(vhart, cause, address)) {
            return;
        }
    }
    vhart->faults++;
    firmware_event(vhart,
                   cause == CAUSE_LOAD_ACCESS ? SBI_PMU_FW_ACCESS_LOAD : SBI_PMU_FW_ACCESS_STORE);
    trap_reflect(vhart, cause, address);
}

bool trap_reads_time(struct vhart *vhart, uint32_t instruction)
{
    struct world *world = &vhart->world;
    bool from_s = (world->mstatus & MSTATUS_MPP) == MSTATUS_MPP_S;
    uint8_t reg;

    if (!instruction_reads_time(instruction, &reg) ||
        (!from_s && (CSR_READ(scounteren) & COUNTER_TIME) == 0)) {
        return false;
    }
    if (reg != 0) {
        world->registers[reg] = hart_now(world->hart);
    }
    world->registers[REGISTER_PC] += 4;
    return true;
}

static void misaligned_access(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    struct misaligned_fault fault = {cause, address};

    firmware_event(vhart, cause == CAUSE_LOAD_MISALIGNED ? SBI_PMU_FW_MISALIGNED_LOAD
                                                         : SBI_PMU_FW_MISALIGNED_STORE);
    if (!misaligned_emulate(vhart, CSR_READ(satp), &fault)) {
        vhart->faults++;
        trap_reflect(vhart, fault.cause, fault.address);
    }
}

static void illegal_instruction(struct vhart *vhart, uint64_t bits)
{
    uint64_t pc = vhart->world.registers[REGISTER_PC];
    bool from_s = (vhart->world.mstatus & MSTATUS_MPP) == MSTATUS_MPP_S;
    uint32_t instruction;

    if (!trap_find_instruction(vhart, pc, bits, &instruction)) {
        return; /* it is executed again */
    }
    if (instruction == INSTRUCTION_WFI && from_s) {
        vhart->world.registers[REGISTER_PC] += 4;
        vhart_wait(vhart);
        return;
    }
    if (trap_reads_time(vhart, instruction)) {
        return;
    }
    firmware_event(vhart, SBI_PMU_FW_ILLEGAL_INSN);
    instruction_is_refused(vhart, instruction, pc);
    trap_reflect(vhart, CAUSE_ILLEGAL_INSTRUCTION, bits);
}

/* Other than an environment call. Out of line: those do not save its registers. */
__attribute__((noinline)) static void exception(struct vhart *vhart, uint64_t cause)
{
    uint64_t value = CSR_READ(mtval);

    switch (cause) {
    case CAUSE_ILLEGAL_INSTRUCTION:
        illegal_instruction(vhart, value);
        break;
    case CAUSE_LOAD_ACCESS:
    case CAUSE_STORE_ACCESS:
        access_fault(vhart, cause, value);
        break;
    case CAUSE_LOAD_MISALIGNED:
    case CAUSE_STORE_MISALIGNED:
        misaligned_access(vhart, cause, value);
        break;
    default:
        vhart->faults++;
        trap_reflect(vhart, cause, value);
        break;
    }
}

world_change trap_dispatch(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    uint64_t cause = CSR_READ(mcause);

    if (cause == CAUSE_ECALL_FROM_S) {
        sbi_dispatch(vhart);
    } else if ((int64_t)cause >= 0) {
        exception(vhart, cause);
    } else {
        vhart->world.interrupts++;
        if (cause == CAUSE_INTERRUPT_MTI) {
            hart->reschedule = true;
            return hart_schedule(hart);
        }
        hart_poll_interrupts(hart);
    }
    if (!hart->reschedule && hart->loaded == vhart) {
        return fast_resume(hart, vhart);
    }
    return (CSR_READ(mip) & INTERRUPT_MTI) != 0 ? fast_preempt(hart) : hart_schedule(hart);
}
