/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread runs, and what it is told. The kernel decides nothing here: thread 0, the
 * scheduler's, asks for a thread to run, and is run itself as soon as there is an event.
 */
#ifndef COTENANT_COMPONENTS_KERNEL_H
#define COTENANT_COMPONENTS_KERNEL_H

#include "components/kernel/thread.h"

struct kernel {
    struct thread *current;
    uint64_t interrupts; /* that the scheduler has not been told of, a mask */
    uint64_t unwound;    /* threads likewise, a mask */
    bool dispatching;    /* thread 0 waits for an event */
};
extern struct kernel kernel;

/* At the start, or afresh: thread 0 runs. */
void kernel_init(void);

/* Gives thread 0 an event, and runs it. Only while it is dispatching. */
void kernel_event(uint64_t event, uint64_t thread, uint64_t a, uint64_t b, uint64_t c);

/* CALL_DISPATCH of thread 0. */
void kernel_dispatch(uint64_t thread, uint64_t answer, uint64_t time);

/* Refreshes a component and takes all threads out of it: calls in flight return an error. */
void kernel_restart(struct component *component);

/* An ecall of the current thread. */
void kernel_call(void);

/* Called by entry.S with the thread that was interrupted; returns the one to go on with. */
struct thread *trap(struct thread *thread, uint64_t cause, uint64_t value);

#endif
