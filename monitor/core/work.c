/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/work.h"

#include <stdbool.h>
#include <stddef.h>

#include "core/clock.h"
#include "core/messages.h"

static struct {
    struct hart *hart;
    uint64_t step; /* ticks between steps */
    bool active;   /* the next step is at most `step` away */
} work;

void work_init(struct hart *hart)
{
    work.hart = hart;
    work.step = ticks_from_us(WORK_STEP_US);
}

void work_put_off(uint64_t now)
{
    work.hart->console_due = now + work.step;
}

void work_begin(void)
{
    work_put_off(hart_now(work.hart));
    work.hart->reschedule = true;
}

void work_post(void)
{
    if (work.active || work.hart == NULL) {
        return;
    }
    work.active = true;
    if (work.hart == hart_self()) {
        work_begin();
    } else {
        messages_wake_work(work.hart);
    }
}

void work_go_on(uint64_t now)
{
    work.active = true;
    work_put_off(now);
}

void work_rest(uint64_t due)
{
    work.active = false;
    work.hart->console_due = due;
}

void work_hurry(uint64_t now)
{
    work.hart->console_due = now;
}
