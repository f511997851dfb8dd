/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ecalls of components. Nothing that a component passes in is an address that the kernel follows:
 * text comes in registers, pages are named by their addresses and looked up.
 */
#include <string.h>

#include "components/kernel/kernel.h"
#include "components/kernel/machine.h"

#define ECALL_SIZE 4

/*
 * A call of the kernel. Its arguments are in the thread's registers, where it answers too: before
 * that it has read them.
 */
struct call {
    void (*handler)(struct thread *thread, const uint64_t *argument);
    uint32_t right;
};

static bool has_right(const struct component *component, uint32_t right)
{
    return component->image != NULL && (component->image->rights & right) == right;
}

static void call_exit(struct thread *thread, const uint64_t *argument)
{
    (void)argument;
    if (thread->id == 0 || thread->top != thread->frame) {
        thread_answer(thread, ERROR_INVALID, 0);
        return;
    }
    thread->live = false;
    kernel_event(EVENT_ENDED, thread->id, 0, 0, 0);
}

static void call_self(struct thread *thread, const uint64_t *argument)
{
    (void)argument;
    thread_answer(thread, OK, thread->id);
}

static void call_lend(struct thread *thread, const uint64_t *argument)
{
    struct component *lender = thread->component;
    struct component *borrower =
        argument[0] < CAPABILITIES ? lender->capability[argument[0]].target : NULL;

    thread_answer(
        thread,
        borrower == NULL ? ERROR_NOT_PERMITTED : component_lend(lender, borrower, argument[1]), 0);
}

static void call_take_back(struct thread *thread, const uint64_t *argument)
{
    (void)argument;
    component_take_back(thread->component);
    thread_answer(thread, OK, 0);
}

/* Whether the thread is where it may do that. */
static bool unmask(const struct thread *thread, uint64_t interrupt)
{
    const struct component *component = thread->component;
    bool is_own = component->device != 0 && interrupt == INTERRUPT_DEVICES + component->id;

    if (!has_right(component, RIGHT_INTERRUPTS) || (interrupt >= INTERRUPT_DEVICES && !is_own)) {
        return false;
    }
    machine_unmask(interrupt);
    return true;
}

static void call_event(struct thread *thread, const uint64_t *argument)
{
    if (thread->id == 0 || argument[0] < EVENT_CLIENT) {
        thread_answer(thread, ERROR_INVALID, 0);
        return;
    }
    if (argument[0] >= EVENT_WAIT && thread->is_left) {
        thread->is_left = false;
        thread_answer(thread, ERROR_FAILED, 0);
        return;
    }
    if (argument[4] != 0 && !unmask(thread, argument[4])) {
        thread_answer(thread, ERROR_NOT_PERMITTED, 0);
        return;
    }
    thread->waiting = true;
    thread->is_patient = argument[0] >= EVENT_WAIT;
    kernel_event(argument[0], thread->id, argument[1], argument[2], argument[3]);
}

static void call_dispatch(struct thread *thread, const uint64_t *argument)
{
    if (thread->id != 0) {
        thread_answer(thread, ERROR_NOT_PERMITTED, 0);
        return;
    }
    kernel_dispatch(argument[0], argument[1], argument[2]);
}

static void call_thread(struct thread *thread, const uint64_t *argument)
{
    struct thread *created = thread_create(thread->component, argument[0], argument[1]);

    thread_answer(thread, created == NULL ? ERROR_NO_ROOM : OK, created == NULL ? 0 : created->id);
    if (created != NULL && kernel.dispatching) {
        kernel_event(EVENT_CREATED, created->id, thread->id, 0, 0);
    }
}

static void call_restart(struct thread *thread, const uint64_t *argument)
{
    struct component *component = component_find(argument[0]);

    thread_answer(thread, component == NULL ? ERROR_INVALID : OK, 0);
    if (component != NULL) {
        kernel_restart(component);
    }
}

static void call_where(struct thread *thread, const uint64_t *argument)
{
    const struct thread *asked = thread_find(argument[0]);

    thread_answer(thread, asked == NULL ? ERROR_INVALID : OK,
                  asked == NULL ? 0 : asked->component->id);
}

static void call_restarts(struct thread *thread, const uint64_t *argument)
{
    const struct component *component = component_find(argument[0]);

    thread_answer(thread, component == NULL ? ERROR_INVALID : OK,
                  component == NULL ? 0 : component->restarts);
}

static void call_live(struct thread *thread, const uint64_t *argument)
{
    uint64_t mask = 0;

    (void)argument;
    for (uint64_t id = 0; id < THREADS; id++) {
        mask |= (uint64_t)(thread_find(id) != NULL) << id;
    }
    thread_answer(thread, OK, mask);
}

static void call_print(struct thread *thread, const uint64_t *argument)
{
    if (argument[0] > PRINT_BYTES) {
        thread_answer(thread, ERROR_INVALID, 0);
        return;
    }
    thread_answer(thread, OK, machine_print((const char *)&argument[1], argument[0]));
}

static void call_map(struct thread *thread, const uint64_t *argument)
{
    struct component *component = component_find(argument[0]);

    thread_answer(thread, component == NULL ? ERROR_INVALID : component_map(component, argument[1]),
                  0);
}

static void call_unmask(struct thread *thread, const uint64_t *argument)
{
    thread_answer(thread, unmask(thread, argument[0]) ? OK : ERROR_INVALID, 0);
}

static void call_raise(struct thread *thread, const uint64_t *argument)
{
    (void)argument;
    machine_raise();
    thread_answer(thread, OK, 0);
}

static void call_argument(struct thread *thread, const uint64_t *argument)
{
    char name[2 * sizeof(uint64_t) + 1] = {0};

    memcpy(name, argument, sizeof(name) - 1);
    thread_answer(thread, OK, machine_argument(name, argument[2]));
}

static void call_distance(struct thread *thread, const uint64_t *argument)
{
    bool is_driver = thread->component->device != 0;
    const struct memory_window *window = &thread->component->window;

    (void)argument;
    thread_answer(thread, is_driver ? OK : ERROR_NOT_PERMITTED,
                  is_driver ? thread->component->distance : 0);
    thread->registers[REGISTER_A(2)] = window->size;
    thread->registers[REGISTER_A(3)] = window->end;
    thread->registers[REGISTER_A(4)] = window->doorbell % PAGE_SIZE;
}

static void call_copy(struct thread *thread, const uint64_t *argument)
{
    thread_answer(
        thread,
        component_copy(thread->component, argument[0], argument[1], argument[2], argument[3] != 0),
        0);
}

static void call_caller(struct thread *thread, const uint64_t *argument)
{
    const struct component *caller =
        thread->top == thread->frame ? NULL : thread->top[-1].component;

    (void)argument;
    thread_answer(thread,
                  caller == NULL              ? ERROR_EMPTY
                  : caller == &component_dead ? ERROR_FAILED
                                              : OK,
                  caller == NULL ? 0 : caller->id);
}

static void call_shutdown(struct thread *thread, const uint64_t *argument)
{
    (void)thread;
    machine_shutdown(argument[0] != 0);
}

/* By -a7. */
static const struct call calls[CALLS + 1] = {
    [-CALL_EXIT] = {call_exit, 0},
    [-CALL_SELF] = {call_self, 0},
    [-CALL_LEND] = {call_lend, 0},
    [-CALL_TAKE_BACK] = {call_take_back, 0},
    [-CALL_EVENT] = {call_event, RIGHT_SCHEDULE},
    [-CALL_DISPATCH] = {call_dispatch, RIGHT_DISPATCH},
    [-CALL_THREAD] = {call_thread, RIGHT_THREADS},
    [-CALL_RESTART] = {call_restart, RIGHT_RESTART},
    [-CALL_WHERE] = {call_where, RIGHT_RESTART},
    [-CALL_RESTARTS] = {call_restarts, RIGHT_INSPECT},
    [-CALL_LIVE] = {call_live, RIGHT_INSPECT},
    [-CALL_PRINT] = {call_print, RIGHT_CONSOLE},
    [-CALL_MAP] = {call_map, RIGHT_MAP},
    [-CALL_UNMASK] = {call_unmask, RIGHT_INTERRUPTS},
    [-CALL_RAISE] = {call_raise, RIGHT_INTERRUPTS},
    [-CALL_ARGUMENT] = {call_argument, RIGHT_INSPECT},
    [-CALL_SHUTDOWN] = {call_shutdown, RIGHT_SHUTDOWN},
    [-CALL_DISTANCE] = {call_distance, 0},
    [-CALL_COPY] = {call_copy, 0},
    [-CALL_CALLER] = {call_caller, 0},
};

static int64_t invoke(struct thread *thread, uint64_t index)
{
    const struct capability *capability = &thread->component->capability[index];

    return capability->target == NULL ? ERROR_NOT_PERMITTED
                                      : thread_invoke(thread, capability, thread->registers[0]);
}

void kernel_call(void)
{
    struct thread *thread = kernel.current;
    uint64_t number = thread->registers[REGISTER_CALL];
    int64_t error;

    thread->registers[0] += ECALL_SIZE;
    if (number < CAPABILITIES) {
        error = invoke(thread, number);
    } else if (number == (uint64_t)CALL_RETURN) {
        error = thread_return(thread, thread->registers[REGISTER_A(1)]);
    } else if (-number <= CALLS && has_right(thread->component, calls[-number].right)) {
        calls[-number].handler(thread, &thread->registers[REGISTER_A(0)]);
        return;
    } else {
        error = ERROR_NOT_PERMITTED;
    }
    if (error != OK) {
        thread_answer(thread, error, 0);
    }
}
