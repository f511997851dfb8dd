/* SPDX-License-Identifier: BSD-2-Clause */
/* What the registers of the tenant's CLINT are to the hart. */
#include "arch/interrupts.h"
#include "arch/timer.h"
#include "core/hooks.h"
#include "features/machine/machine.h"

/* Another hart has written it if the vhart is not loaded. */
static void set_timer(struct vhart *vhart)
{
    uint64_t mtimecmp = __atomic_load_n(clint_of(vhart)->mtimecmp, __ATOMIC_RELAXED);

    if (vhart_is_loaded(vhart)) {
        timer_set(vhart, mtimecmp);
        return;
    }
    vhart->world.deadline = mtimecmp;
    vhart_clear_interrupt(vhart, INTERRUPT_STI);
}

void machine_look_at_clint(struct vhart *vhart, uint32_t registers)
{
    if (is_inner(vhart)) {
        /* The monitor computes what is pending at the end of each trap: when it goes on, the hart's
         * timer interrupts it at once. */
        machine_parked[vhart_index(vhart)].deadline = 0;
        return;
    }
    if ((registers & CLINT_MTIMECMP) != 0) {
        set_timer(vhart);
    }
    if ((registers & CLINT_MSIP) != 0) {
        bool raised = __atomic_load_n(&clint_of(vhart)->msip, __ATOMIC_RELAXED) != 0;

        (raised ? vhart_interrupt : vhart_clear_interrupt)(vhart, INTERRUPT_SSI);
    }
}

CLINT_LISTENER(machine_look_at_clint);

/* The line of its M-mode context may have risen. */
static void look_at_line(struct vhart *vhart)
{
    if (is_inner(vhart) && vhart->plic->machine_line) {
        machine_look_at_clint(vhart, 0);
        vhart_end_wait(vhart);
    }
}

HOOK(vhart_is_routed, look_at_line);
