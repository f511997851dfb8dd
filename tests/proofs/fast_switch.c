/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shortcuts of world switches, from any state of a hart with up to three vharts that are ready
 * and up to two that wait: who gets the hart heads those that are ready, and all vharts are in one
 * list still.
 */
#include "one_hart.h"

#include "core/attended.h"
#include "core/clock.h"

/* A hint to the compiler. */
#define __builtin_expect(value, expected) (value)

#include "features/fast_switch/fast_switch.c"

#define MOST_READY 3
#define MOST_WAITING 2
#define VHARTS (MOST_READY + MOST_WAITING)

/* Moments at which those that wait wake: only their order matters. */
static const uint64_t wakes[MOST_WAITING] = {100, 200};

static struct vhart own[VHARTS];
static uint64_t mtimecmp;
static uint32_t msip;
static uint32_t threshold;
static struct scheduler *const scheduler = &harts[0].scheduler;

/* What is called of the rest. */

world_change hart_schedule(struct hart *hart)
{
    //@ assert hart == &harts[0];
    hart->reschedule = false;
    return change_world(NULL, NULL);
}

void attended_leave(struct hart *hart)
{
    //@ assert hart == &harts[0];
    hart->attended_last = NULL;
}

void fp_claim(struct vhart *vhart)
{
    //@ assert vhart->brings_registers || vhart->special == 0;
    vhart->brings_registers = false;
    mtime = any64();
}

/* Flags are no states apart, as those of any_bool() would be. */
static void make(struct vhart *vhart)
{
    vhart->world.hart = &harts[0];
    vhart->world.deadline = any64();
    vhart->world.mstatus = any64();
    vhart->world.pending = any64();
    vhart->work_patience = any64();
    vhart->brings_registers = any_up_to(1) != 0;
    vhart->loading = any_up_to(1) != 0;
    vhart->limited = any_up_to(1) != 0;
    vhart->schedulable.priority = any32();
    vhart->schedulable.budget = any64();
    vhart->schedulable.slice = any64();
    vhart->schedulable.slice_used = any64();
    vhart->schedulable.lateness = any64();
}

/* Returns the first one that waits, or NULL. */
static struct schedulable *set_up(unsigned ready, unsigned waiting)
{
    for (unsigned i = 0; i < VHARTS; i++) {
        make(&own[i]);
    }
    for (unsigned i = 0; i < ready; i++) {
        own[i].schedulable.state = SCHEDULABLE_READY;
        own[i].schedulable.next = i + 1 < ready ? &own[i + 1].schedulable : NULL;
    }
    for (unsigned i = 0; i < waiting; i++) {
        insert_in_line(scheduler, &own[MOST_READY + i].schedulable, SCHEDULABLE_WAITING, wakes[i]);
    }
    scheduler->ready = ready == 0 ? NULL : &own[0].schedulable;
    scheduler->running = scheduler->ready;
    scheduler->charged = any64();
    pass_moment();
    harts[0].loaded = ready == 0 ? NULL : &own[0];
    harts[0].mtimecmp = &mtimecmp;
    harts[0].msip = &msip;
    harts[0].plic_threshold = &threshold;
    harts[0].event_deadline = any64();
    harts[0].work_due = any64();
    harts[0].mail = any64();
    harts[0].attended_last = any_bool() ? scheduler->running : NULL;
    return scheduler->waiting;
}

/* Times that the vhart is in a list, which has an end: one that goes around would be walked on. */
static unsigned times_in(const struct schedulable *list, const struct vhart *vhart)
{
    unsigned found = 0;

    for (unsigned steps = 0; list != NULL; steps++) {
        //@ assert steps < VHARTS;
        found += list == &vhart->schedulable ? 1 : 0;
        list = list->next;
    }
    return found;
}

static void check(world_change change, unsigned ready, unsigned waiting)
{
    for (unsigned i = 0; i < VHARTS; i++) {
        bool is_there = i < ready || (i >= MOST_READY && i < MOST_READY + waiting);
        unsigned found =
            times_in(scheduler->ready, &own[i]) + times_in(scheduler->waiting, &own[i]);

        //@ assert found == (is_there ? 1 : 0);
        (void)is_there;
        (void)found;
    }
    if (change != NO_CHANGE) {
        //@ assert scheduler->running == scheduler->ready;
    }
}

/* It has executed an illegal instruction, such as a WFI. */
static void wants_to_wait(unsigned ready, unsigned waiting)
{
    world_change change;

    (void)set_up(ready, waiting);
    change = fast_wait(&harts[0]);
    check(change, ready, waiting);
    if (change != NO_CHANGE) {
        //@ assert scheduler->ready == &own[1].schedulable && harts[0].loaded == &own[1];
    }
}

/* What fast_foresee() has noted goes before the running one, and has nothing of its own. */
static void is_interrupted(unsigned ready, unsigned waiting, bool foreseen)
{
    struct schedulable *first = set_up(ready, waiting);

    if (first != NULL && foreseen) {
        vhart_of(first)->special = 0;
        harts[0].next_up = first;
    }
    check(any_bool() ? fast_preempt(&harts[0]) : fast_resume_late(&harts[0], &own[0]), ready,
          waiting);
}

/* Behind a trap of the hart that waits for an interrupt: nobody is ready. */
static void is_idle(unsigned waiting)
{
    (void)set_up(0, waiting);
    check(fast_preempt(&harts[0]), 0, waiting);
}

int main(void)
{
    unsigned ready = (unsigned)Frama_C_interval_split(1, MOST_READY);
    unsigned waiting = (unsigned)Frama_C_interval_split(0, MOST_WAITING);

    switch (Frama_C_interval_split(0, 3)) {
    case 0:
        wants_to_wait(ready, waiting);
        break;
    case 1:
        is_idle(waiting);
        break;
    case 2:
        is_interrupted(ready, waiting, false);
        break;
    default:
        is_interrupted(ready, waiting, true);
        break;
    }
    return 0;
}
