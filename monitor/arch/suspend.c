/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/suspend.h"

#include "abi/bundle.h"
#include "arch/csr.h"
#include "arch/wait.h"

/* arch/nap.S */
void vhart_nap(void);

/*
 * A vhart that shares its hart waits in the scheduler: all its interrupts come from the monitor,
 * which wakes it. The one that keeps the hart also has interrupts that the monitor does not see.
 */
void vhart_suspend(struct vhart *vhart)
{
    struct world *world = &vhart->world;

    if ((vhart->description->flags & COTENANT_VHART_WFI_YIELDS) != 0) {
        vhart->suspended_switches = vhart->schedulable.switches;
        vhart_wait(vhart);
        return;
    }
    vhart->rest.nap_pc = world->registers[REGISTER_PC];
    vhart->rest.nap_arguments[0] = world->registers[REGISTER_A0];
    vhart->rest.nap_arguments[1] = world->registers[REGISTER_A1];
    world->registers[REGISTER_PC] = (uint64_t)vhart_nap;
    world->mstatus = (world->mstatus & ~(uint64_t)MSTATUS_MPIE) | MSTATUS_MPP;
}

/* What the end of vhart_nap() does. */
void vhart_end_nap(struct vhart *vhart)
{
    struct world *world = &vhart->world;

    if (!vhart_is_napping(vhart)) {
        return;
    }
    world->registers[REGISTER_PC] = vhart->rest.nap_pc;
    world->registers[REGISTER_A0] = vhart->rest.nap_arguments[0];
    world->registers[REGISTER_A1] = vhart->rest.nap_arguments[1];
    world->mstatus = (world->mstatus & ~(uint64_t)(MSTATUS_MPP | MSTATUS_MPIE)) | MSTATUS_MPP_S;
    vhart->rest.nap_pc = 0;
}
