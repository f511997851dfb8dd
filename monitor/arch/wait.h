/* SPDX-License-Identifier: BSD-2-Clause */
/* What WFI means for a vhart that shares its hart. Inline: half of all world switches begin here.
 */
#ifndef COTENANT_ARCH_WAIT_H
#define COTENANT_ARCH_WAIT_H

#include "arch/interrupts.h"
#include "arch/timer.h"

/*
 * The loaded vhart waits for an interrupt (WFI or SBI hart_suspend): gives the hart to others until
 * one that it has enabled is pending, which may be so already. The global enable, sstatus.SIE, does
 * not matter (privileged ISA 3.3.3). The caller goes on to hart_schedule().
 */
static inline void vhart_wait(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;
    uint64_t enabled = CSR_READ(mie) & INTERRUPTS_SUPERVISOR;

    if ((CSR_READ(mip) & enabled) != 0) {
        return;
    }
    schedule_wait(&hart->scheduler, &vhart->schedulable,
                  (enabled & INTERRUPT_STI) != 0 ? timer_deadline(vhart) : TIME_NEVER);
    hart->reschedule = true;
}

#endif
