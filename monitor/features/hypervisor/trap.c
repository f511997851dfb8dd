/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of a tenant's own guests, which the monitor emulates nothing for. */
#include "arch/csr.h"
#include "arch/instruction.h"
#include "entry/fast_switch.h"
#include "features/hypervisor/hypervisor.h"

/* hstatus, 8.2.1 */
#define HSTATUS_GVA 0x40
#define HSTATUS_SPV 0x80
#define HSTATUS_SPVP 0x100
#define HSTATUS_VTW 0x200000

#define MSTATUS_GVA (1ul << MSTATUS_GVA_SHIFT)
#define MSTATUS_MPV (1ul << MSTATUS_MPV_SHIFT)

#define CAUSE_VIRTUAL_INSTRUCTION 22

/* As the hart takes a trap from V = 1 to HS-mode (8.6.2), which then sees to the rest. */
static void show_exception(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    struct world *world = &vhart->world;
    uint64_t status = CSR_READ(hstatus) & ~(uint64_t)(HSTATUS_GVA | HSTATUS_SPVP);

    if ((world->mstatus & MSTATUS_GVA) != 0) {
        status |= HSTATUS_GVA;
    }
    if ((world->mstatus & MSTATUS_MPP) == MSTATUS_MPP_S) {
        status |= HSTATUS_SPVP;
    }
    CSR_WRITE(hstatus, status | HSTATUS_SPV);
    CSR_WRITE(htval, CSR_READ(mtval2));
    CSR_WRITE(htinst, CSR_READ(mtinst));
    world->mstatus &= ~(MSTATUS_GVA | MSTATUS_MPV);
    vhart->faults++;
    trap_reflect(vhart, cause, value);
}

/* WFI traps here only because the vhart shares its hart (mstatus.TW); VTW is the tenant's wish. */
static void wait_of_guest(struct vhart *vhart, uint64_t instruction)
{
    if ((CSR_READ(hstatus) & HSTATUS_VTW) != 0) {
        show_exception(vhart, CAUSE_VIRTUAL_INSTRUCTION, instruction);
    } else {
        vhart->world.registers[REGISTER_PC] += 4;
    }
}

world_change hypervisor_trap(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    uint64_t cause = CSR_READ(mcause);
    uint64_t value = CSR_READ(mtval);

    if (cause == CAUSE_ILLEGAL_INSTRUCTION && value == INSTRUCTION_WFI &&
        (vhart->world.mstatus & (MSTATUS_MPP | MSTATUS_TW)) == (MSTATUS_MPP_S | MSTATUS_TW)) {
        wait_of_guest(vhart, value);
    } else {
        show_exception(vhart, cause, value);
    }
    if (!hart->reschedule && hart->loaded == vhart) {
        return fast_resume(hart, vhart);
    }
    return hart_schedule(hart);
}
