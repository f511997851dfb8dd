/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two world switches that happen all the time, decided in a few instructions: a vhart of higher
 * priority is due, and a vhart waits while another is ready. Called by the trap entry before
 * trap_dispatch(), in the same state; each either does everything that trap_dispatch() and
 * hart_schedule() would have done, or changes nothing and returns {NULL, NULL}: whatever is out of
 * the ordinary is left to them. They are leaves, so that the compiler saves no register again.
 *
 * tests/system/test_instruction_counts.py holds the counts of the whole paths.
 */
#include "arch/csr.h"
#include "arch/hart.h"
#include "arch/instruction.h"
#include "arch/timer.h"
#include "arch/trap.h"
#include "irq/routing.h"

static const struct world_change not_here = {NULL, NULL};

/* The hart can go to `vhart` without moving floating-point registers or loading images. */
static inline bool is_simple(const struct hart *hart, const struct vhart *vhart)
{
    return !vhart->loading && (!vhart->uses_fp || hart->fp_owner == vhart);
}

/* Gives the hart from `from`, which is loaded, to `to`: time, interrupts, accounts. */
static inline struct world_change hand_over(struct hart *hart, struct vhart *from, struct vhart *to,
                                            uint64_t now)
{
    uint64_t event = schedule_deadline(&hart->scheduler, now);

    if (hart->console_due < event) {
        event = hart->console_due;
    }
    to->schedulable.switches++;
    if (!timer_is_native(hart) && to->world.deadline <= now) {
        to->world.deadline = TIME_NEVER;
        to->world.pending |= INTERRUPT_STI;
    }
    timer_program(hart, to, event);
    routing_switch(hart, to);
    hart->loaded = to;
    return (struct world_change){&from->world, &to->world};
}

struct world_change fast_wake(struct hart *hart)
{
    struct scheduler *scheduler = &hart->scheduler;
    struct schedulable *running = scheduler->running;
    struct schedulable *due = scheduler->waiting;
    uint64_t now = hart_now(hart);

    if (hart->reschedule || running == NULL || due == NULL || due->wake > now ||
        now >= hart->console_due || due->priority <= running->priority ||
        (due->budget | running->budget) != 0 || running != scheduler->ready ||
        (due->next != NULL && due->next->wake <= now) || !is_simple(hart, vhart_of(due))) {
        return not_here;
    }
    charge(scheduler, now);
    vhart_of(running)->world.interrupts++;
    scheduler->waiting = due->next;
    due->next = running;
    due->state = SCHEDULABLE_READY;
    scheduler->ready = due;
    scheduler->running = due;
    return hand_over(hart, vhart_of(running), vhart_of(due), now);
}

struct world_change fast_wait(struct hart *hart)
{
    struct scheduler *scheduler = &hart->scheduler;
    struct schedulable *running = scheduler->running;
    struct schedulable *next = running->next;
    struct vhart *vhart = vhart_of(running);
    uint64_t enabled = CSR_READ(mie) & INTERRUPTS_SUPERVISOR;
    uint64_t now = hart_now(hart);

    if (CSR_READ(mtval) != INSTRUCTION_WFI ||
        (vhart->world.mstatus & MSTATUS_MPP) != MSTATUS_MPP_S || (CSR_READ(mip) & enabled) != 0 ||
        hart->reschedule || running != scheduler->ready || next == NULL ||
        (running->budget | next->budget) != 0 ||
        (has_peer(next) && next->slice_used >= next->slice) || now >= hart->console_due ||
        (scheduler->waiting != NULL && scheduler->waiting->wake <= now) ||
        !is_simple(hart, vhart_of(next))) {
        return not_here;
    }
    charge(scheduler, now);
    vhart->world.registers[REGISTER_PC] += 4;
    scheduler->ready = next;
    running->slice_used = 0;
    insert_waiting(scheduler, running, SCHEDULABLE_WAITING,
                   (enabled & INTERRUPT_STI) != 0 ? timer_deadline(vhart) : TIME_NEVER);
    scheduler->running = next;
    return hand_over(hart, vhart, vhart_of(next), now);
}
