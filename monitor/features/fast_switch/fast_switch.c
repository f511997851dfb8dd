/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shortcuts of entry/fast_switch.h. They are leaves, so that the compiler saves no register.
 * tests/system/test_instruction_counts.py holds the counts of the whole paths.
 */
#include "entry/fast_switch.h"

#include "arch/csr.h"
#include "arch/instruction.h"
#include "core/attended.h"
#include "core/clock.h"

FEATURE(fast_switch);

/* What the compiler is to lay out the shortest paths for. */
#define LIKELY(condition) __builtin_expect(condition, true)
#define UNLIKELY(condition) __builtin_expect(condition, false)

/* From the lower bit of MPP to the sign. */
#define MSTATUS_MPP_S_TO_SIGN 52

/* schedule_charge() of an entity without a budget; returns the time since the last call. */
static inline uint64_t account(struct scheduler *scheduler, struct schedulable *running,
                               uint64_t now)
{
    uint64_t elapsed = now - scheduler->charged;

    scheduler->charged = now;
    running->run_time += elapsed;
    return elapsed;
}

/* When the hart's work is due: `next` lets it wait for a while. */
static inline uint64_t work_event(const struct hart *hart, struct schedulable *next)
{
    return hart->work_due + vhart_of(next)->work_patience;
}

/*
 * fast_foresee() and schedule_deadline() for an entity with `priority`, without a budget and peers:
 * `first` is the head of those that wait, `event` what comes at the latest.
 */
__attribute__((always_inline)) static inline uint64_t
foresee(struct hart *hart, struct schedulable *first, uint32_t priority, uint64_t event)
{
    const struct schedulable *waiting = first;

    if (first->priority > priority && vhart_of(first)->special == 0) {
        hart->next_up = first;
        return earlier(first->wake, event);
    }
    hart->next_up = NULL;
    while (waiting->priority < priority) {
        waiting = waiting->next;
        if (waiting == NULL) {
            return event;
        }
    }
    return earlier(waiting->wake, event);
}

/*
 * Gives the hart from `from`, which is loaded, to the scheduler's running entity, which has been
 * chosen without schedule_next() and brings no registers; `event`: what next needs the hart is due.
 * `native`: timer_is_native(). `due`: mostly it has waited for its deadline.
 */
__attribute__((always_inline)) static inline world_change fast_give(struct hart *hart,
                                                                    struct vhart *from,
                                                                    uint64_t now, uint64_t event,
                                                                    bool native, bool due)
{
    struct vhart *to = vhart_of(hart->scheduler.running);

    to->schedulable.switches++;
    hart->event_deadline = event;
    if (LIKELY(!native)) {
        uint64_t own = to->world.deadline;

        if (__builtin_expect(own <= now, due)) {
            to->world.deadline = TIME_NEVER;
            to->world.pending |= INTERRUPT_STI;
        } else if (own < event) {
            event = own;
        }
    }
    *hart->mtimecmp = event;
    fast_route(hart, to);
    fast_publish(hart, to);
    return change_world(&from->world, &to->world);
}

/*
 * `due`, the head of the waiting list, gets the hart from the running one, which it goes before; it
 * has no budget. Another one that is due at the same time interrupts again at once: its moment is
 * the next event.
 */
__attribute__((always_inline)) static inline world_change
wake(struct hart *hart, struct schedulable *due, uint64_t now)
{
    struct scheduler *scheduler = &hart->scheduler;
    struct schedulable *running = scheduler->running;
    struct schedulable *next = due->next;
    uint64_t elapsed = account(scheduler, running, now);
    uint64_t event = work_event(hart, due);

    if (schedule_has_peer(running)) {
        running->slice_used += elapsed;
    }
    vhart_of(running)->world.interrupts++;
    note_lateness(due, now);
    scheduler->waiting = next;
    due->next = running;
    due->state = SCHEDULABLE_READY;
    scheduler->ready = due;
    scheduler->running = due;
    hart->next_up = NULL;
    if (next != NULL) {
        event = foresee(hart, next, due->priority, event);
    }
    return fast_give(hart, vhart_of(running), now, event, timer_is_native(hart), true);
}

/*
 * The head of the waiting list is due at `now` and above the running vhart, but vharts of the hart
 * are attended, the running one has a budget, or the one that is due brings registers: what a vhart
 * uses delays one above it by no more than it takes to put that aside.
 */
__attribute__((noinline)) static world_change wake_with_more(struct hart *hart, uint64_t now)
{
    struct schedulable *running = hart->scheduler.running;
    struct schedulable *due = hart->scheduler.waiting;

    if (vhart_of(due)->limited || vhart_of(due)->loading) {
        return NO_CHANGE;
    }
    if (hart->attended_last != NULL) {
        attended_leave(hart);
    }
    if (HAS(fp) && vhart_of(due)->brings_registers) {
        if (due->next != NULL && due->next->wake <= hart_now(hart)) {
            return NO_CHANGE; /* for one that may be more urgent, as behind the registers */
        }
        fp_claim(vhart_of(due));
        now = hart_now(hart);
        if (due->next != NULL && due->next->wake <= now) {
            hart->reschedule = true;
            return NO_CHANGE;
        }
    }
    if (running->budget != 0) {
        running->budget_used += now - hart->scheduler.charged;
    }
    hart->next_up = due;
    return fast_wake(hart, now);
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

/* A vhart runs, so `reschedule` is false: who sets it goes on to hart_schedule(). */
world_change fast_wake(struct hart *hart, uint64_t now)
{
    struct schedulable *due = hart->next_up;

    if (due == NULL || due->wake > now) {
        return schedule_is_outdated(&hart->scheduler, now) ? wake_with_more(hart, now) : NO_CHANGE;
    }
    return wake(hart, due, now);
}

/*
 * `next`, which fast_wait() would give the hart, may have its registers elsewhere: they come first.
 * The running one cannot go on then without hart_schedule(), which brings its own back, and is not
 * foreseen. To wait it may.
 */
__attribute__((noinline, noclone, cold)) static world_change
wait_with_more(struct hart *hart, struct vhart *running, struct vhart *next)
{
    const struct schedulable *due = hart->scheduler.waiting;
    world_change change;
    bool brings;

    if (!HAS(fp) || running->special != 0 || next->limited || next->loading) {
        return NO_CHANGE;
    }
    fp_claim(next);
    brings = running->brings_registers;
    running->brings_registers = false;
    change = due == NULL || due->wake > hart_now(hart) ? fast_wait(hart) : NO_CHANGE;
    running->brings_registers = brings;
    if (brings && hart->next_up == &running->schedulable) {
        hart->next_up = NULL;
    }
    hart->reschedule = change == NO_CHANGE;
    return change;
}

/* It has executed a WFI that was illegal, which is not so in M-mode: one bit tells. */
static inline bool is_in_s_mode(const struct vhart *vhart)
{
    return (int64_t)(vhart->world.mstatus << MSTATUS_MPP_S_TO_SIGN) < 0;
}

world_change fast_wait(struct hart *hart)
{
    struct scheduler *scheduler = &hart->scheduler;
    struct schedulable *running = scheduler->running;
    struct schedulable *next = running->next;
    struct vhart *vhart = vhart_of(running);
    uint64_t enabled = CSR_READ(mie) & INTERRUPTS_SUPERVISOR;
    bool native = timer_is_native(hart);
    struct schedulable *head = scheduler->waiting;
    const struct schedulable *below;
    uint32_t priority;
    uint64_t wake = TIME_NEVER;
    uint64_t event;
    uint64_t now;

    if (CSR_READ(mtval) != INSTRUCTION_WFI || !is_in_s_mode(vhart) ||
        (CSR_READ(mip) & enabled) != 0 || next == NULL) {
        return NO_CHANGE;
    }
    if (UNLIKELY((vhart->special | vhart_of(next)->special) != 0)) {
        return wait_with_more(hart, vhart, vhart_of(next));
    }
    below = next->next;
    priority = next->priority;
    if (UNLIKELY(below != NULL && below->priority == priority && next->slice_used >= next->slice)) {
        return NO_CHANGE;
    }
    now = hart_now(hart);
    account(scheduler, running, now);
    vhart->world.registers[REGISTER_PC] += 4;
    scheduler->ready = next;
    scheduler->running = next;
    running->slice_used = 0;
    if ((enabled & INTERRUPT_STI) != 0) {
        wake = UNLIKELY(native) ? read_stimecmp() : vhart->world.deadline;
    }
    running->state = SCHEDULABLE_WAITING;
    running->wake = wake;
    event = work_event(hart, next);
    if (LIKELY(head == NULL || head->wake > wake)) {
        insert_first(scheduler, running, head);
        event = earlier(wake, event);
        hart->next_up = running;
        if (UNLIKELY(running->priority == priority)) {
            hart->next_up = NULL;
        }
    } else {
        insert_behind(scheduler, running);
        event = foresee(hart, head, priority, event);
    }
    if (UNLIKELY(below != NULL && below->priority == priority)) {
        event = earlier(event, now + (next->slice - next->slice_used));
    }
    return fast_give(hart, vhart, now, event, native, false);
}
