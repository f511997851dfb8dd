/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/work.h"

#include <stdbool.h>
#include <stddef.h>

#include "core/clock.h"
#include "core/messages.h"
#include "core/recorder.h"
#include "core/shared_lock.h"
#include "core/wanted.h"

static struct {
    struct hart *hart;
    uint64_t step;              /* ticks between steps */
    bool active;                /* the next step is at most `step` away */
    const struct work *turn;    /* the one that is asked first in the next step */
    const struct work *at_once; /* one that said WORK_AT_ONCE in its last step, or NULL */
} work;

void work_init(struct hart *hart)
{
    work.hart = hart;
    work.step = ticks_from_us(WORK_STEP_US);
    work.turn = __start_works;
}

void work_begin(void)
{
    work.hart->work_due = hart_now(work.hart) + work.step;
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

/* There is more to do. */
static void go_on(uint64_t now)
{
    work.active = true;
    /* Steps that other harts cut short do not follow each other more often than others. */
    if (work.at_once != NULL && !shared_is_wanted(work.hart)) {
        work.hart->work_due = now;
    } else {
        work.hart->work_due = now + work.step;
    }
}

/*
 * There is nothing to do before the earliest deadline, unless work_post() is called. The step stays
 * due if the hart is wanted meanwhile.
 */
static void rest(uint64_t now)
{
    uint64_t earliest = WORK_NEVER;

    FOR_EACH_IN_TABLE(works, each)
    {
        uint64_t deadline = each->deadline == NULL ? TIME_NEVER : each->deadline();

        earliest = earlier(earliest, deadline);
        if (hart_is_wanted()) {
            return;
        }
    }
    work.active = false;
    work.hart->work_due = earliest > now ? earliest : now + work.step;
}

/* A step of the work whose turn it is. */
static unsigned take_turn(uint64_t now)
{
    const struct work *next = work.turn;
    unsigned result = next->step(now);

    if ((result & WORK_AT_ONCE) != 0) {
        work.at_once = next;
    } else if (work.at_once == next) {
        work.at_once = NULL;
    }
    if ((result & WORK_SAME) == 0) {
        work.turn = next + 1 == __stop_works ? __start_works : next + 1;
    }
    return result;
}

void work_step(uint64_t now)
{
    record_work(work.hart);
    FOR_EACH_IN_TABLE(works, each)
    {
        bool busy = take_turn(now) != WORK_NOTHING;

        if (hart_is_wanted() || busy) {
            go_on(now);
            return;
        }
    }
    rest(now);
}
