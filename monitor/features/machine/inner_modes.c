/* SPDX-License-Identifier: BSD-2-Clause */
/* From one mode of the tenant to another: traps to its machine mode, MRET, SRET and WFI. */
#include "arch/instruction.h"
#include "arch/timer.h"
#include "core/lifecycle.h"
#include "core/shared_lock.h"
#include "features/machine/csr_access.h"
#include "features/machine/inner.h"
#include "features/machine/machine.h"

#define INSTRUCTION_SRET 0x10200073
#define SFENCE_VMA 0x12000073
#define SFENCE_VMA_MASK 0xfe007fff
#define INTERRUPT 0x8000000000000000
#define MPP_SHIFT 11

static struct inner *inner_of(const struct vhart *vhart)
{
    return &machine_of(vhart)->inner;
}

static void set_mode(struct vhart *vhart, uint64_t mode)
{
    vhart->world.mstatus = (vhart->world.mstatus & ~(uint64_t)MSTATUS_MPP) | mode << MPP_SHIFT;
}

static void leave_below(struct vhart *vhart)
{
    struct inner *inner = inner_of(vhart);

    inner->in_machine = true;
    inner->mie = (inner->mie & INTERRUPTS_MACHINE) | (CSR_READ(mie) & INTERRUPTS_SUPERVISOR);
    inner->satp = CSR_READ(satp);
    inner->scounteren = CSR_READ(scounteren);
    CSR_WRITE(satp, 0);
    CSR_WRITE(scounteren, COUNTERS_BASIC);
    set_mode(vhart, 0);
}

/* To S-mode (1) or U-mode (0). */
static void enter_below(struct vhart *vhart, uint64_t mode)
{
    struct inner *inner = inner_of(vhart);

    inner->in_machine = false;
    CSR_WRITE(mie, INTERRUPTS_MACHINE | (inner->mie & INTERRUPTS_SUPERVISOR));
    CSR_WRITE(satp, inner->satp);
    CSR_WRITE(scounteren, inner->scounteren);
    set_mode(vhart, mode);
}

/* Its handler cannot be fetched: no instruction of it would ever run again. */
static void crash(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    const struct inner *inner = inner_of(vhart);
    const uint64_t values[CRASH_PC] = {
        [CRASH_CAUSE] = cause,      [CRASH_ADDRESS] = value,      [CRASH_SCAUSE] = inner->mcause,
        [CRASH_SEPC] = inner->mepc, [CRASH_STVAL] = inner->mtval,
    };

    shared_enter(vhart->world.hart);
    tenant_crash(vhart, values);
    shared_leave(vhart->world.hart);
}

void inner_enter_machine(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    struct inner *inner = inner_of(vhart);
    const struct machine_csrs *csrs = &machine_of(vhart)->csrs;
    struct world *world = &vhart->world;
    uint64_t vector = machine_vector(csrs);
    uint64_t from = MSTATUS_MPP;
    uint64_t status = inner->status & ~(uint64_t)(MSTATUS_MPP | MSTATUS_MPIE | MSTATUS_MIE);

    if (inner->in_machine && cause == CAUSE_FETCH_ACCESS &&
        world->registers[REGISTER_PC] == vector) {
        crash(vhart, cause, value);
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
    const struct inner *inner = inner_of(vhart);

    if (!inner->in_machine && (inner->medeleg >> (cause & 63) & 1) != 0) {
        trap_reflect(vhart, cause, value);
    } else {
        inner_enter_machine(vhart, cause, value);
    }
}

static void return_from_machine(struct vhart *vhart)
{
    struct inner *inner = inner_of(vhart);
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

/* SRET in machine mode, which may do so. */
static void return_from_supervisor(struct vhart *vhart)
{
    struct world *world = &vhart->world;
    uint64_t before = world->mstatus;

    world->mstatus = (before & ~(uint64_t)(MSTATUS_SIE | MSTATUS_SPP)) | MSTATUS_SPIE;
    if ((before & MSTATUS_SPIE) != 0) {
        world->mstatus |= MSTATUS_SIE;
    }
    inner_of(vhart)->status &= ~(uint64_t)MSTATUS_MPRV;
    world->registers[REGISTER_PC] = CSR_READ(sepc);
    enter_below(vhart, (before & MSTATUS_SPP) != 0);
}

void inner_wait(struct vhart *vhart)
{
    const struct inner *inner = inner_of(vhart);
    struct hart *hart = vhart->world.hart;
    uint64_t enabled = inner->mie;
    uint64_t wake;

    vhart->world.registers[REGISTER_PC] += 4;
    if (!inner->in_machine) {
        enabled = (enabled & INTERRUPTS_MACHINE) | (CSR_READ(mie) & INTERRUPTS_SUPERVISOR);
    }
    if ((inner_pending(vhart) & enabled) != 0) {
        return;
    }
    /* What wakes it; inner_settle() makes it what may interrupt again. */
    CSR_WRITE(mie, INTERRUPTS_MACHINE | (enabled & INTERRUPTS_SUPERVISOR));
    wake =
        (enabled & INTERRUPT_MTI) != 0 ? machine_parked[vhart_index(vhart)].mtimecmp : TIME_NEVER;
    schedule_wait(&hart->scheduler, &vhart->schedulable, wake);
    hart->reschedule = true;
}

bool inner_execute(struct vhart *vhart, uint32_t instruction)
{
    struct csr_instruction access;

    switch (instruction) {
    case INSTRUCTION_MRET:
        return_from_machine(vhart);
        return true;
    case INSTRUCTION_SRET:
        return_from_supervisor(vhart);
        return true;
    case INSTRUCTION_WFI:
        inner_wait(vhart);
        return true;
    default:
        if ((instruction & SFENCE_VMA_MASK) == SFENCE_VMA) {
            FENCE_TRANSLATION();
            vhart->world.registers[REGISTER_PC] += 4;
            return true;
        }
        return csr_decode(instruction, &access) &&
               csr_access(vhart, &access, inner_read_csr, inner_write_csr);
    }
}
