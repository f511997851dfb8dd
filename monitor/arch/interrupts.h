/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vhart's interrupt state, wherever it is: in the hart while its world is loaded, else in the
 * world. Called by the vhart's own hart, interrupts off.
 *
 * mip is changed by csrs and csrc only: the external interrupt's bit that software owns is kept
 * apart from the line of the interrupt controller by the hart (privileged ISA 3.1.9).
 */
#ifndef COTENANT_ARCH_INTERRUPTS_H
#define COTENANT_ARCH_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/csr.h"
#include "core/hart.h"
#include "core/vhart.h"

static inline bool vhart_is_loaded(const struct vhart *vhart)
{
    return vhart->world.hart->loaded == vhart;
}

/* Supervisor interrupts that the vhart has enabled (its sie). */
static inline uint64_t vhart_enabled_interrupts(const struct vhart *vhart)
{
    return (vhart_is_loaded(vhart) ? CSR_READ(mie) : vhart->world.mie) & INTERRUPTS_SUPERVISOR;
}

static inline void vhart_raise_interrupt(struct vhart *vhart, uint64_t bits)
{
    vhart->world.pending |= bits;
    if (vhart_is_loaded(vhart)) {
        CSR_SET(mip, bits);
    }
}

static inline void vhart_clear_interrupt(struct vhart *vhart, uint64_t bits)
{
    vhart->world.pending &= ~bits;
    if (vhart_is_loaded(vhart)) {
        CSR_CLEAR(mip, bits);
    }
}

/* Ends the WFI of a vhart of this hart, if it waits. The caller goes on to hart_schedule(). */
static inline void vhart_end_wait(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    if (vhart->schedulable.state == SCHEDULABLE_WAITING) {
        schedule_wake(&hart->scheduler, &vhart->schedulable, hart_now(hart));
        hart->reschedule = true;
    }
}

#endif
