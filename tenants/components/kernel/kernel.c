/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/kernel/kernel.h"

#include "components/kernel/machine.h"

#define CAUSE_INTERRUPT 0x8000000000000000
#define CAUSE_ECALL_U 8
#define INTERRUPT_TIMER 5

struct kernel kernel;

/* The number of the lowest bit that is set; there is one. */
static uint64_t lowest(uint64_t mask)
{
    uint64_t number = 0;

    for (; (mask & 0xff) == 0; mask >>= 8) {
        number += 8;
    }
    for (; (mask & 1) == 0; mask >>= 1) {
        number++;
    }
    return number;
}

void kernel_init(void)
{
    kernel = (struct kernel){.current = &thread_slots[0]};
}

void kernel_event(uint64_t event, uint64_t thread, uint64_t a, uint64_t b, uint64_t c)
{
    struct thread *scheduler = &thread_slots[0];

    thread_answer(scheduler, OK, event);
    scheduler->registers[REGISTER_A(2)] = thread;
    scheduler->registers[REGISTER_A(3)] = a;
    scheduler->registers[REGISTER_A(4)] = b;
    scheduler->registers[REGISTER_A(5)] = c;
    kernel.dispatching = false;
    kernel.current = scheduler;
}

/* Tells thread 0 what it has not been told of, if it is dispatching. */
static void kernel_tell(void)
{
    uint64_t running = kernel.current->id;

    if (!kernel.dispatching) {
        return;
    }
    if (kernel.unwound != 0) {
        uint64_t unwound = kernel.unwound;

        kernel.unwound = 0;
        kernel_event(EVENT_UNWOUND, running, unwound, 0, 0);
    } else if (kernel.interrupts != 0) {
        bool is_timer = (kernel.interrupts & 1ull << INTERRUPT_TIMER) != 0;
        uint64_t interrupt = is_timer ? INTERRUPT_TIMER : lowest(kernel.interrupts);

        kernel.interrupts &= ~(1ull << interrupt);
        kernel_event(is_timer ? EVENT_TIMER : EVENT_INTERRUPT, running, interrupt, 0, 0);
    }
}

void kernel_dispatch(uint64_t id, uint64_t answer, uint64_t time)
{
    struct thread *scheduler = &thread_slots[0];
    struct thread *thread = thread_find(id);

    if (id != NO_THREAD && (thread == NULL || thread == scheduler)) {
        thread_answer(scheduler, ERROR_INVALID, 0);
        return;
    }
    kernel.interrupts &= ~(1ull << INTERRUPT_TIMER);
    machine_set_timer(time);
    kernel.dispatching = true;
    if ((kernel.unwound | kernel.interrupts) != 0) {
        kernel_tell();
        return;
    }
    if (thread == NULL) {
        machine_wait();
        kernel.interrupts |= machine_interrupts();
        kernel_tell();
        if (kernel.dispatching) { /* it was for nothing: the scheduler may look at the time */
            kernel_event(EVENT_TIMER, NO_THREAD, 0, 0, 0);
        }
        return;
    }
    if (thread->waiting) {
        thread->waiting = thread->is_patient = false;
        thread_answer(thread, OK, answer);
    }
    kernel.current = thread;
}

static bool is_nowhere(const struct thread *thread)
{
    return thread->component == &component_dead || thread->component == &component_resume;
}

/* Takes a thread out of what is no component. What that restarts is added to *restart, a mask. */
static void settle(struct thread *thread, uint64_t *restart)
{
    struct component *failed;

    if (!is_nowhere(thread)) {
        return;
    }
    thread_settle(thread, &failed);
    if (failed != NULL) {
        *restart |= 1ull << failed->id;
        return;
    }
    if (thread->id == 0) {
        kernel.dispatching = false;
    } else {
        thread->waiting = thread->is_patient = false;
        kernel.unwound |= 1ull << thread->id;
    }
}

/* What a thread in another component waits for, or will, nobody is there to be told of any more. */
static void end_waiting(struct thread *thread)
{
    thread->is_left = true;
    if (thread->is_patient && !is_nowhere(thread)) {
        thread->is_left = thread->is_patient = thread->waiting = false;
        thread_answer(thread, ERROR_FAILED, 0);
        kernel.unwound |= 1ull << thread->id;
    }
}

static void restart_one(struct component *component, uint64_t *restart)
{
    component_refresh(component);
    component->restarts++;
    for (uint64_t id = 0; id < THREADS; id++) {
        struct thread *thread = thread_find(id);

        if (thread == NULL) {
            continue;
        }
        if (thread_expel(thread, component)) {
            end_waiting(thread);
        }
        settle(thread, restart);
    }
}

/*
 * A handler that is restarted has not helped those that it was invoked for, which are restarted
 * too. Each time that takes a fault away from a thread, so it ends.
 */
static void restart_all(uint64_t restart)
{
    while (restart != 0) {
        uint64_t id = lowest(restart);

        restart &= restart - 1;
        restart_one(component_find(id), &restart);
    }
    if (!kernel.dispatching) { /* the scheduler, who was interrupted or has begun again */
        kernel.current = &thread_slots[0];
    }
    kernel_tell();
}

void kernel_restart(struct component *component)
{
    restart_all(1ull << component->id);
}

/* The current thread has returned to nowhere. */
static void kernel_settle(void)
{
    struct thread *thread = kernel.current;
    uint64_t restart = 0;

    settle(thread, &restart);
    if (restart != 0) {
        restart_all(restart);
    } else {
        kernel.unwound &= ~(1ull << thread->id); /* it runs, and goes on running */
    }
}

/* An exception of the current thread that is no ecall. */
static void kernel_exception(uint64_t cause, uint64_t value)
{
    struct thread *thread = kernel.current;
    const struct capability handler = {
        .entry = table.fault_handler.entry,
        .target = component_find(table.fault_handler.target),
    };

    if (thread->id == 0 || !thread_report(thread, &handler, cause, value)) {
        kernel_restart(thread->component);
    }
}

struct thread *trap(struct thread *thread, uint64_t cause, uint64_t value)
{
    bool settled = is_nowhere(thread);

    machine_check(thread);
    if (settled) { /* by its fault there, or by an interrupt before that */
        kernel_settle();
    }
    if ((cause & CAUSE_INTERRUPT) != 0) {
        kernel.interrupts |= machine_interrupts();
        kernel_tell();
    } else if (cause == CAUSE_ECALL_U) {
        kernel_call();
    } else if (!settled) {
        kernel_exception(cause, value);
    }
    machine_set_space(kernel.current->component->satp);
    return kernel.current;
}
