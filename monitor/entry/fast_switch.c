/* SPDX-License-Identifier: BSD-2-Clause */
#include "entry/fast_switch.h"

#include "arch/csr.h"
#include "arch/instruction.h"
#include "arch/timer.h"
#include "core/attended.h"

static const struct world_change not_here = {NULL, NULL};

/* What charge() does for an entity without a budget; returns the time since the last call. */
static inline uint64_t account(struct scheduler *scheduler, struct schedulable *running,
                               uint64_t now)
{
    uint64_t elapsed = now - scheduler->charged;

    scheduler->charged = now;
    running->run_time += elapsed;
    return elapsed;
}

/* Gives the hart from `from`, which is loaded, to the scheduler's running entity. */
__attribute__((always_inline)) static inline struct world_change
hand_over(struct hart *hart, struct vhart *from, uint64_t now)
{
    struct vhart *to = vhart_of(hart->scheduler.running);
    uint64_t event = schedule_deadline(&hart->scheduler, now);

    if (hart->work_due + to->work_patience < event) {
        event = hart->work_due + to->work_patience;
    }
    to->schedulable.switches++;
    if (!timer_is_native(hart) && to->world.deadline <= now) {
        to->world.deadline = TIME_NEVER;
        to->world.pending |= INTERRUPT_STI;
    }
    timer_program(hart, to, event);
    fast_route(hart, to);
    fast_foresee(hart);
    fast_publish(hart, to);
    return (struct world_change){&from->world, &to->world};
}

/*
 * `due`, the head of the waiting list, gets the hart from the running one. Another one that is due
 * at the same time interrupts again at once: its moment is the next event.
 */
__attribute__((always_inline)) static inline struct world_change
wake(struct hart *hart, struct schedulable *due, uint64_t now)
{
    struct scheduler *scheduler = &hart->scheduler;
    struct schedulable *running = scheduler->running;
    uint64_t elapsed = account(scheduler, running, now);

    if (has_peer(running)) {
        running->slice_used += elapsed;
    }
    vhart_of(running)->world.interrupts++;
    note_lateness(due, now);
    scheduler->waiting = due->next;
    due->next = running;
    due->state = SCHEDULABLE_READY;
    scheduler->ready = due;
    scheduler->running = due;
    return hand_over(hart, vhart_of(running), now);
}

/*
 * Where vharts of the hart are attended, or the running one has a budget: what a vhart uses
 * delays one above it by no more than it takes to put that aside.
 */
__attribute__((noinline, cold)) static struct world_change wake_above_attended(struct hart *hart)
{
    struct schedulable *running = hart->scheduler.running;
    struct schedulable *due = hart->scheduler.waiting;
    uint64_t now = hart_now(hart);

    if (due == NULL || due->wake > now || due->priority <= running->priority ||
        !fast_is_simple(due)) {
        return not_here;
    }
    if (running->budget != 0) {
        running->budget_used += now - hart->scheduler.charged;
    }
    if (attended_is_any(hart)) {
        hart_leave_attended(hart, due);
    }
    return wake(hart, due, now);
}

/* What else the trap has led to is for the scheduler to see to when `due` has had its turn. */
struct world_change fast_preempt(struct hart *hart)
{
    const struct scheduler *scheduler = &hart->scheduler;
    struct world_change change = not_here;

    if (hart->loaded != NULL && scheduler->running == &hart->loaded->schedulable &&
        scheduler->ready == scheduler->running) {
        change = wake_above_attended(hart);
    }
    if (change.run == NULL) {
        return hart_schedule(hart);
    }
    hart->reschedule = false;
    return change;
}

struct world_change fast_wake(struct hart *hart)
{
    struct schedulable *due = hart->next_up;
    uint64_t now = hart_now(hart);

    if (hart->reschedule || due == NULL || due->wake > now) {
        return attended_is_any(hart) && !hart->reschedule ? wake_above_attended(hart) : not_here;
    }
    return wake(hart, due, now);
}

struct world_change fast_wait(struct hart *hart)
{
    struct scheduler *scheduler = &hart->scheduler;
    struct schedulable *running = scheduler->running;
    struct schedulable *next = running->next;
    struct vhart *vhart = vhart_of(running);
    uint64_t enabled = CSR_READ(mie) & INTERRUPTS_SUPERVISOR;
    uint64_t now;

    if (CSR_READ(mtval) != INSTRUCTION_WFI ||
        (vhart->world.mstatus & MSTATUS_MPP) != MSTATUS_MPP_S || (CSR_READ(mip) & enabled) != 0 ||
        hart->reschedule || next == NULL || running->budget != 0 ||
        (has_peer(next) && next->slice_used >= next->slice) || !fast_is_simple(next)) {
        return not_here;
    }
    now = hart_now(hart);
    account(scheduler, running, now);
    vhart->world.registers[REGISTER_PC] += 4;
    scheduler->ready = next;
    running->slice_used = 0;
    insert_waiting(scheduler, running, SCHEDULABLE_WAITING,
                   (enabled & INTERRUPT_STI) != 0 ? timer_deadline(vhart) : TIME_NEVER);
    scheduler->running = next;
    return hand_over(hart, vhart, now);
}
