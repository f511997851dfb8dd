/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/vhart.h"

#include "arch/interrupts.h"

void vhart_interrupt(struct vhart *vhart, uint64_t bits)
{
    vhart_raise_interrupt(vhart, bits);
    if (vhart->schedulable.state == SCHEDULABLE_WAITING &&
        (bits & vhart_enabled_interrupts(vhart)) != 0) {
        vhart_end_wait(vhart);
    }
}

uint64_t vhart_run_time(const struct vhart *vhart, uint64_t now)
{
    const struct scheduler *scheduler = &vhart->world.hart->scheduler;
    uint64_t charged = vhart->schedulable.run_time;

    return scheduler->running == &vhart->schedulable ? charged + (now - scheduler->charged)
                                                     : charged;
}
