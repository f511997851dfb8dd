/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/kernel/thread.h"

#include <string.h>

struct thread thread_slots[THREADS];

static void begin(struct thread *thread)
{
    memset(thread->registers, 0, sizeof(thread->registers));
    thread->top = thread->frame;
    thread->faults = 0;
    thread->waiting = thread->is_patient = false;
    thread->component = thread->home;
    thread->registers[0] = thread->entry;
    thread->registers[REGISTER_SP] = thread->home->stacks + thread->stack;
    thread->registers[REGISTER_A(0)] = thread->argument;
}

struct thread *thread_create(struct component *home, uint64_t entry, uint64_t argument)
{
    for (uint64_t id = 0; id < THREADS; id++) {
        struct thread *thread = &thread_slots[id];

        if (!thread->live) {
            thread->live = true;
            thread->id = id;
            thread->stack = id * STACK_SPACING;
            thread->home = home;
            thread->entry = entry;
            thread->argument = argument;
            begin(thread);
            return thread;
        }
    }
    return NULL;
}

void threads_init(void)
{
    memset(thread_slots, 0, sizeof(thread_slots));
    for (uint32_t i = 0; i < table.threads; i++) {
        thread_create(component_find(table.thread[i].component), table.thread[i].entry, 0);
    }
}

int64_t thread_invoke(struct thread *thread, const struct capability *capability, uint64_t pc)
{
    if (thread->top == thread->frame + DEPTH) {
        return ERROR_DEPTH;
    }
    *thread->top++ = (struct frame){
        .pc = pc, .sp = thread->registers[REGISTER_SP], .component = thread->component};
    thread->registers[REGISTER_CALLER] = thread->component->id;
    thread->registers[0] = capability->entry;
    thread->registers[REGISTER_SP] = capability->target->stacks + thread->stack;
    thread->component = capability->target;
    return OK;
}

/* Goes to where the last invocation came from. There is one. */
static void pop(struct thread *thread)
{
    const struct frame *frame = --thread->top;

    thread->component = frame->component;
    thread->registers[0] = frame->pc;
    thread->registers[REGISTER_SP] = frame->sp;
}

int64_t thread_return(struct thread *thread, uint64_t value)
{
    if (thread->top == thread->frame) {
        return ERROR_EMPTY;
    }
    pop(thread);
    thread_answer(thread, OK, value);
    return OK;
}

/* How often a thread has entered `component` and not left it. */
static unsigned visits_of(const struct thread *thread, const struct component *component)
{
    unsigned visits = thread->component == component;

    for (const struct frame *frame = thread->frame; frame < thread->top; frame++) {
        visits += frame->component == component;
    }
    for (uint64_t i = 0; i < thread->faults; i++) {
        visits += thread->fault[i].component == component;
    }
    return visits;
}

bool thread_report(struct thread *thread, const struct capability *handler, uint64_t cause,
                   uint64_t value)
{
    struct fault *fault = &thread->fault[thread->faults];
    uint64_t pc = thread->registers[0];

    if (handler->target == NULL || thread->faults == FAULT_DEPTH ||
        visits_of(thread, handler->target) != 0) {
        return false;
    }
    memcpy(fault->registers, thread->registers, sizeof(fault->registers));
    fault->component = thread->component;
    thread->component = &component_resume;
    thread->registers[REGISTER_SP] = 0;
    if (thread_invoke(thread, handler, 0) != OK) {
        thread->component = fault->component;
        thread->registers[REGISTER_SP] = fault->registers[REGISTER_SP];
        return false;
    }
    thread->faults++;
    thread->registers[REGISTER_A(0)] = cause;
    thread->registers[REGISTER_A(1)] = value;
    thread->registers[REGISTER_A(2)] = pc;
    thread->registers[REGISTER_A(3)] = fault->component->id;
    return true;
}

/* Back to the instruction that faulted. */
static void resume_fault(struct thread *thread, struct component **failed)
{
    const struct fault *fault = &thread->fault[--thread->faults];
    bool helped = (thread->registers[REGISTER_A(0)] | thread->registers[REGISTER_A(1)]) == 0;

    memcpy(thread->registers, fault->registers, sizeof(thread->registers));
    thread->component = fault->component;
    if (!helped && thread->component != &component_dead) {
        *failed = thread->component;
    }
}

void thread_settle(struct thread *thread, struct component **failed)
{
    *failed = NULL;
    thread->is_left = false;
    /* Each round takes a frame or a fault away, or ends. */
    while (*failed == NULL) {
        if (thread->component == &component_resume) {
            resume_fault(thread, failed);
        } else if (thread->component != &component_dead) {
            return;
        } else if (thread->top == thread->frame) {
            begin(thread);
            return;
        } else {
            pop(thread);
            thread_answer(thread, ERROR_FAILED, 0);
        }
    }
}

bool thread_expel(struct thread *thread, struct component *component)
{
    bool was_there = visits_of(thread, component) != 0;

    for (struct frame *frame = thread->frame; frame < thread->top; frame++) {
        if (frame->component == component) {
            *frame = (struct frame){.component = &component_dead};
        }
    }
    for (uint64_t i = 0; i < thread->faults; i++) {
        if (thread->fault[i].component == component) {
            thread->fault[i].component = &component_dead;
        }
    }
    if (thread->component == component) {
        thread->component = &component_dead;
    }
    return was_there;
}
