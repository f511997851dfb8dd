/* SPDX-License-Identifier: BSD-2-Clause */
#include "entry/fast_switch.h"

#include "arch/csr.h"
#include "arch/instruction.h"
#include "core/attended.h"

/* schedule_charge() of an entity without a budget; returns the time since the last call. */
static inline uint64_t account(struct scheduler *scheduler, struct schedulable *running,
                               uint64_t now)
{
    uint64_t elapsed = now - scheduler->charged;

    scheduler->charged = now;
    running->run_time += elapsed;
    return elapsed;
}

/*
 * `due`, the head of the waiting list, gets the hart from the running one. Another one that is due
 * at the same time interrupts again at once: its moment is the next event.
 */
__attribute__((always_inline)) static inline world_change
wake(struct hart *hart, struct schedulable *due, uint64_t now)
{
    struct scheduler *scheduler = &hart->scheduler;
    struct schedulable *running = scheduler->running;
    uint64_t elapsed = account(scheduler, running, now);

    if (schedule_has_peer(running)) {
        running->slice_used += elapsed;
    }
    vhart_of(running)->world.interrupts++;
    note_lateness(due, now);
    scheduler->waiting = due->next;
    due->next = running;
    due->state = SCHEDULABLE_READY;
    scheduler->ready = due;
    scheduler->running = due;
    return fast_hand_over(hart, vhart_of(running), now);
}

/*
 * The head of the waiting list is due and above the running vhart, but vharts of the hart are
 * attended, the running one has a budget, or the one that is due brings registers: what a vhart
 * uses delays one above it by no more than it takes to put that aside.
 */
__attribute__((noinline)) static world_change wake_with_more(struct hart *hart, uint64_t now)
{
    struct schedulable *running = hart->scheduler.running;
    struct schedulable *due = hart->scheduler.waiting;

    if (due->budget != 0 || vhart_of(due)->loading) {
        return NO_CHANGE;
    }
    if (hart->attended_last != NULL) {
        attended_leave(hart);
    }
    if (HAS(fp) && vhart_of(due)->brings_registers) {
        fp_claim(vhart_of(due));
        now = hart_now(hart);
        if (due->next != NULL && due->next->wake <= now) {
            hart->reschedule = true; /* for one that may be more urgent */
            return NO_CHANGE;
        }
    }
    if (running->budget != 0) {
        running->budget_used += now - hart->scheduler.charged;
    }
    return wake(hart, due, now);
}

/* What else the trap has led to is for the scheduler to see to when `due` has had its turn. */
world_change fast_preempt(struct hart *hart)
{
    const struct scheduler *scheduler = &hart->scheduler;
    world_change change = NO_CHANGE;
    uint64_t now = hart_now(hart);

    if (hart->loaded != NULL && scheduler->running == &hart->loaded->schedulable &&
        scheduler->ready == scheduler->running && schedule_is_outdated(scheduler, now)) {
        change = wake_with_more(hart, now);
    }
    if (change == NO_CHANGE) {
        return hart_schedule(hart);
    }
    hart->reschedule = false;
    return change;
}

world_change fast_wake(struct hart *hart)
{
    struct schedulable *due = hart->next_up;
    uint64_t now = hart_now(hart);

    if (hart->reschedule || due == NULL || due->wake > now) {
        return hart->reschedule || !schedule_is_outdated(&hart->scheduler, now)
                   ? NO_CHANGE
                   : wake_with_more(hart, now);
    }
    return wake(hart, due, now);
}

/*
 * `next`, which fast_wait() would give the hart, has its registers elsewhere: they come first. The
 * running one cannot go on then without hart_schedule(), which brings its own back.
 */
__attribute__((noinline, cold)) static world_change wait_with_more(struct hart *hart,
                                                                   struct vhart *next)
{
    const struct schedulable *due = hart->scheduler.waiting;
    world_change change;

    fp_claim(next);
    change = due == NULL || due->wake > hart_now(hart) ? fast_wait(hart) : NO_CHANGE;
    hart->reschedule = change == NO_CHANGE;
    return change;
}

world_change fast_wait(struct hart *hart)
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
        (schedule_has_peer(next) && next->slice_used >= next->slice) || next->budget != 0 ||
        vhart_of(next)->loading) {
        return NO_CHANGE;
    }
    if (HAS(fp) && vhart_of(next)->brings_registers) {
        return wait_with_more(hart, vhart_of(next));
    }
    now = hart_now(hart);
    account(scheduler, running, now);
    vhart->world.registers[REGISTER_PC] += 4;
    scheduler->ready = next;
    running->slice_used = 0;
    insert_waiting(scheduler, running, SCHEDULABLE_WAITING,
                   (enabled & INTERRUPT_STI) != 0 ? timer_deadline(vhart) : TIME_NEVER);
    scheduler->running = next;
    return fast_hand_over(hart, vhart, now);
}
