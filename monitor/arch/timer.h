/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timer of the running vhart and the hart's own: one machine timer serves both.
 *
 * Without Sstc mtimecmp holds the earlier of the running vhart's deadline and the hart's next
 * event. With Sstc the vhart has stimecmp for itself and mtimecmp holds the next event alone. The
 * deadline of a vhart that waits is its wake-up time in the scheduler's list.
 */
#ifndef COTENANT_ARCH_TIMER_H
#define COTENANT_ARCH_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/csr.h"
#include "arch/interrupts.h"
#include "core/hart.h"

static inline bool timer_is_native(const struct hart *hart)
{
    return (hart->features & HART_SSTC) != 0;
}

static inline uint64_t read_stimecmp(void)
{
    return CSR_READ(0x14d);
}

static inline void write_stimecmp(uint64_t deadline)
{
    CSR_WRITE(0x14d, deadline);
}

/* Programs mtimecmp for the vhart that will run (NULL: none) and the hart's next event. */
static inline void timer_program(struct hart *hart, const struct vhart *vhart, uint64_t event)
{
    uint64_t deadline = event;

    if (vhart != NULL && !timer_is_native(hart) && vhart->world.deadline < deadline) {
        deadline = vhart->world.deadline;
    }
    hart->event_deadline = event;
    *hart->mtimecmp = deadline;
}

/* SBI set_timer by the loaded vhart: the interrupt pending now is cleared by it. */
static inline void timer_set(struct vhart *vhart, uint64_t deadline)
{
    struct hart *hart = vhart->world.hart;

    if (timer_is_native(hart)) {
        write_stimecmp(deadline);
        return;
    }
    vhart->world.deadline = deadline;
    vhart_clear_interrupt(vhart, INTERRUPT_STI);
    timer_program(hart, vhart, hart->event_deadline);
}

/* The next timer interrupt of the loaded vhart, ticks. */
static inline uint64_t timer_deadline(const struct vhart *vhart)
{
    return timer_is_native(vhart->world.hart) ? read_stimecmp() : vhart->world.deadline;
}

/* Without Sstc: shows the vhart its timer interrupt if its deadline has come. */
static inline void timer_check(struct vhart *vhart, uint64_t now)
{
    if (vhart->world.deadline <= now && !timer_is_native(vhart->world.hart)) {
        vhart->world.deadline = TIME_NEVER;
        vhart_raise_interrupt(vhart, INTERRUPT_STI);
    }
}

#endif
