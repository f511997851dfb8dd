/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/susp/suspend.h"

#include <stddef.h>

#include "abi/bundle.h"
#include "arch/csr.h"
#include "arch/wait.h"
#include "core/hooks.h"
#include "features/susp/nap.h"

struct suspend suspends[COTENANT_MAX_VHARTS];

_Static_assert(sizeof(struct suspend) == SUSPEND_SIZE &&
                   offsetof(struct suspend, nap_pc) == SUSPEND_NAP_PC &&
                   offsetof(struct suspend, nap_arguments) == SUSPEND_NAP_ARGUMENTS,
               "nap.S finds them there");

/* nap.S */
void vhart_nap(void);

/*
 * A vhart that shares its hart waits in the scheduler: all its interrupts come from the monitor,
 * which wakes it. The one that keeps the hart also has interrupts that the monitor does not see.
 */
void vhart_suspend(struct vhart *vhart, bool of_system)
{
    struct world *world = &vhart->world;
    struct suspend *suspend = suspend_of(vhart);

    suspend->of_system = of_system;
    if ((vhart->description->flags & COTENANT_VHART_WFI_YIELDS) != 0) {
        struct hart *hart = world->hart;

        suspend->switches = vhart->schedulable.switches;
        vhart_wait(vhart);
        /* One that goes on at once is given the hart anew, too: then the suspend is over. */
        schedule_charge(&hart->scheduler, hart_now(hart));
        hart->scheduler.running = NULL;
        hart->reschedule = true;
        return;
    }
    vhart->uses_features = true;
    suspend->nap_pc = world->registers[REGISTER_PC];
    suspend->nap_arguments[0] = world->registers[REGISTER_A0];
    suspend->nap_arguments[1] = world->registers[REGISTER_A1];
    world->registers[REGISTER_PC] = (uint64_t)vhart_nap;
    world->mstatus = (world->mstatus & ~(uint64_t)MSTATUS_MPIE) | MSTATUS_MPP;
}

/* What the end of vhart_nap() does. */
void vhart_end_nap(struct vhart *vhart)
{
    struct world *world = &vhart->world;
    struct suspend *suspend = suspend_of(vhart);

    if (suspend->nap_pc == 0) {
        return;
    }
    world->registers[REGISTER_PC] = suspend->nap_pc;
    world->registers[REGISTER_A0] = suspend->nap_arguments[0];
    world->registers[REGISTER_A1] = suspend->nap_arguments[1];
    world->mstatus = (world->mstatus & ~(uint64_t)(MSTATUS_MPP | MSTATUS_MPIE)) | MSTATUS_MPP_S;
    suspend->nap_pc = 0;
}

static void has_stopped(struct vhart *vhart)
{
    *suspend_of(vhart) = (struct suspend){0};
}

HOOK(vhart_nap_ends, vhart_end_nap);
HOOK(vhart_ends, has_stopped);
