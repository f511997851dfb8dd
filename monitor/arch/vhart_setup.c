/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/vhart_setup.h"

#include "abi/bundle.h"
#include "arch/csr.h"
#include "arch/interrupts.h"
#include "arch/memory.h"
#include "arch/timer.h"
#include "core/hart.h"
#include "core/messages.h"
#include "core/tenant.h"

void vhart_setup_protection(struct vhart *vhart)
{
    const struct bundle_vhart *description = vhart->description;

    memcpy(vhart->rest.pmp_address, description->pmp_address, sizeof(description->pmp_address));
    memcpy(vhart->world.pmp_config, description->pmp_config, sizeof(description->pmp_config));
}

static void set_entry(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    struct world *world = &vhart->world;

    world->registers[REGISTER_PC] = address;
    world->registers[REGISTER_A0] = world->vhart_id;
    world->registers[REGISTER_A1] = argument;
    world->mstatus = MSTATUS_MPP_S | MSTATUS_SXL_UXL_64 |
                     (tenant_uses_fp(vhart->tenant) ? MSTATUS_FS_INITIAL : 0);
    if ((vhart->description->flags & COTENANT_VHART_WFI_YIELDS) != 0) {
        /* A WFI that traps comes as an illegal instruction, so those come to the monitor. */
        world->mstatus |= MSTATUS_TW;
    }
}

/* The tenant may change some of it by SBI FWFT, which lasts until the hart is reset. */
static void set_delegation(struct vhart *vhart)
{
    struct world *world = &vhart->world;

    world->medeleg = EXCEPTIONS_DELEGATED & ~world->hart->emulated_exceptions;
    if ((vhart->description->flags & COTENANT_VHART_WFI_YIELDS) != 0) {
        world->medeleg &= ~(uint64_t)EXCEPTION_ILLEGAL_INSTRUCTION;
    }
}

void vhart_setup_return(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    struct world *world = &vhart->world;

    world->stvec = 0;
    world->sscratch = 0;
    world->sepc = 0;
    world->scause = 0;
    world->stval = 0;
    world->satp = 0;
    world->senvcfg = 0;
    /* Every vDSO clock call of Linux dies without the counters; no kernel needs them off. */
    world->scounteren = COUNTERS_BASIC;
    world->mie = INTERRUPTS_MACHINE;
    world->pending &= INTERRUPT_SEI; /* follows the interrupt controller */
    world->deadline = TIME_NEVER;
    set_entry(vhart, address, argument);
    FENCE_I(); /* its code was written as data */
}

void vhart_setup_world(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    memset(vhart->world.registers, 0, sizeof(vhart->world.registers));
    vhart_setup_return(vhart, address, argument);
    set_delegation(vhart);
}

void vhart_setup_resume(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    set_entry(vhart, address, argument);
    if (!vhart_is_loaded(vhart)) {
        vhart->world.satp = 0;
        return;
    }
    CSR_WRITE(satp, 0);
    FENCE_TRANSLATION();
}

void vhart_unload(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    messages_publish(hart, NULL);
    CSR_WRITE(mie, INTERRUPTS_MACHINE);
    CSR_CLEAR(mip, INTERRUPTS_SUPERVISOR);
    if (timer_is_native(hart)) {
        write_stimecmp(TIME_NEVER);
    }
}
