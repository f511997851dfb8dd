/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/hart.h"

#include "arch/csr.h"
#include "arch/timer.h"
#include "core/attended.h"
#include "core/clock.h"
#include "core/console.h"
#include "core/feature.h"
#include "core/foreground.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/recorder.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "core/work.h"
#include "entry/fast_switch.h"
#include "entry/trap.h"
#include "irq/board.h"

/* Out of line: a look that finds none takes a few instructions. */
static void __attribute__((noinline, cold)) take_interrupts(struct hart *hart, uint64_t pending)
{
    if (HAS(harts) && (pending & INTERRUPT_MSI) != 0 && hart->msip != NULL) {
        requests_take(hart);
        pending = CSR_READ(mip) & INTERRUPTS_MACHINE;
        if ((pending & INTERRUPT_MTI) != 0 && hart_now(hart) >= hart->event_deadline) {
            return; /* who is due goes first: the device interrupts again */
        }
    }
    if ((pending & INTERRUPT_MEI) != 0) {
        shared_enter(hart);
        board_external_interrupt(hart);
        shared_leave(hart);
    }
}

void hart_poll_interrupts(struct hart *hart)
{
    uint64_t pending = CSR_READ(mip) & INTERRUPTS_MACHINE;

    if ((pending & ~(uint64_t)INTERRUPT_MTI) != 0) {
        take_interrupts(hart, pending);
    }
}

/* Those that the world switch does not move. */
static inline void take_registers(struct vhart *vhart)
{
    if (HAS(fp) && vhart->brings_registers) {
        fp_claim(vhart);
    }
}

/* `vhart`, which has its registers and its timer, runs: the rest that the trap exit does not do. */
static world_change enter(struct hart *hart, struct vhart *vhart)
{
    struct vhart *loaded = hart->loaded;

    if (loaded != vhart) {
        fast_route(hart, vhart);
    }
    fast_publish(hart, vhart);
    return change_world(loaded == NULL ? NULL : &loaded->world, &vhart->world);
}

/* When the step of work has to be done although `next` (NULL: none) would like to run. */
static uint64_t work_moment(const struct hart *hart, struct schedulable *next)
{
    return hart->work_due + (next == NULL ? 0 : vhart_of(next)->work_patience);
}

/* The timer interrupt of the vhart that gives way to the step now, if that must not be late. */
static uint64_t own_deadline(const struct hart *hart, struct schedulable *next)
{
    const struct vhart *vhart = next == NULL ? NULL : vhart_of(next);

    if (vhart == NULL || vhart->work_patience == 0) {
        return TIME_NEVER;
    }
    return hart->loaded == vhart ? timer_deadline(vhart) : vhart->world.deadline;
}

/*
 * A step that is late by this is done although the hart is wanted: a tenant could see to it that it
 * always is. Another vhart may have had the hart for WORK_PATIENCE_US before.
 */
#define MOST_WAIT_US (2 * WORK_PATIENCE_US)

/*
 * The step of work; mtimecmp meanwhile holds what would interrupt it. It is for all tenants: the
 * attended vhart loses the hart for it, as for another vhart. If it takes long, since other harts
 * let it wait for the lock, a pause as long follows, whatever the work says: or it could always be
 * due when it ends, and no vhart below would run.
 */
static void serve_work(struct hart *hart, struct schedulable *next, uint64_t now)
{
    uint64_t others = schedule_deadline(&hart->scheduler, now);
    uint64_t share;

    timer_program(hart, NULL, others);
    if (hart_is_wanted() && now - hart->work_due < ticks_from_us(MOST_WAIT_US)) {
        return; /* the step stays due, and is not for `next` to prevent */
    }
    timer_program(hart, NULL, earlier(own_deadline(hart, next), others));
    if (shared_try_enter(hart)) {
        work_step(now);
        shared_leave(hart);
    } else {
        hart->work_due = now + ticks_from_us(WORK_STEP_US);
    }
    share = hart_is_alone(hart) ? 0 : 2 * (hart_now(hart) - now);
    if (share > ticks_from_us(WORK_STEP_US) && hart->work_due < now + share) {
        hart->work_due = now + share;
    }
}

/*
 * `vhart`, which is attended or brings registers, gets the hart; one that is attended is given it
 * here only, see core/attended.h. What it brings along takes as long as the switch itself, so a
 * more urgent vhart is looked for in between, `event` being the next moment for that. Returns false
 * if the scheduler is to be asked again, as a hook may want too. Apart and cold, so that no other
 * vhart pays for it.
 */
__attribute__((noinline, cold)) static bool attend(struct hart *hart, struct vhart *vhart,
                                                   uint64_t event)
{
    if (vhart->attended == 0) {
        return !schedule_is_outdated(&hart->scheduler, hart_now(hart));
    }
    timer_program(hart, NULL, event);
    if (hart_is_wanted()) {
        return false;
    }
    if (vhart->loading) {
        return true; /* what it computes with is not wanted for what is done in its time */
    }
    hart->attended_last = &vhart->schedulable;
    take_registers(vhart);
    FOR_EACH_IN_TABLE(vhart_enters, hook)
    {
        if (hart->reschedule || hart_is_wanted()) {
            return false;
        }
        (*hook)(vhart);
    }
    return !hart->reschedule && !hart_is_wanted();
}

world_change hart_schedule(struct hart *hart)
{
    if (!hart->reschedule && hart->loaded != NULL) {
        return change_world(&hart->loaded->world, &hart->loaded->world);
    }
    for (;;) {
        struct schedulable *next;
        struct vhart *vhart;
        uint64_t event, now;

        /* What led here was long, as the scheduler and the switch are. */
        hart_poll_interrupts(hart);
        /* Before the scheduler is asked: one that becomes due meanwhile is found at once. */
        if (hart->attended_last != NULL) {
            attended_leave(hart);
        }
        now = hart_now(hart);
        hart->reschedule = false;
        next = schedule_next(&hart->scheduler, now);
        if (now >= work_moment(hart, next)) {
            serve_work(hart, next, now);
            continue;
        }
        event = earlier(work_moment(hart, next), schedule_deadline(&hart->scheduler, now));
        vhart = next == NULL ? NULL : vhart_of(next);
        if (vhart != NULL && (attended_is_any(hart) || (HAS(vector) && vhart->has_vectors)) &&
            (vhart->attended != 0 || vhart->brings_registers) && !attend(hart, vhart, event)) {
            continue;
        }
        if (vhart != NULL && !vhart->loading) {
            take_registers(vhart);
            timer_check(vhart, now);
            timer_program(hart, vhart, event);
            if (HAS(fast_switch)) {
                fast_foresee(hart);
            }
            /* Each time another one has become due, which waits no more when the scheduler is asked
             * again: that ends. */
            if (!schedule_is_outdated(&hart->scheduler, hart_now(hart))) {
                return enter(hart, vhart);
            }
            continue;
        }
        /* An emulator that lets idle time leap to the next timer must find one. */
        timer_program(hart, NULL, earlier(event, now + bundle->board.timebase_hz));
        record_running(hart, vhart);
        if (messages_publish(hart, hart->loaded) && !hart_is_wanted()) {
            requests_take(hart); /* for those below there may be some each time */
        }
        if (vhart == NULL && !hart->reschedule) {
            WAIT_FOR_INTERRUPT();
        } else if (!hart->reschedule && vhart->tenant->loader.phase != LOADER_IDLE) {
            tenant_load_step(vhart->tenant);
        } else if (!hart->reschedule && !hart_is_wanted()) {
            foreground_go_on(vhart);
        }
    }
}

void monitor_failure(uint64_t cause, uint64_t pc, uint64_t value)
{
    console_failure("monitor: internal failure", cause, pc, value);
}
