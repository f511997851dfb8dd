/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads, which migrate: a thread is in one component at a time, and its invocation stack says
 * through which others it came there.
 */
#ifndef COTENANT_COMPONENTS_THREAD_H
#define COTENANT_COMPONENTS_THREAD_H

#include "components/kernel/component.h"

#define REGISTERS 32
#define REGISTER_SP 2
#define REGISTER_A(n) (10 + (n))
#define REGISTER_CALLER 5
#define REGISTER_CALL 17

/* Faults of a thread of which the handler is told one in the other. */
#define FAULT_DEPTH 2

/* Where a return goes. */
struct frame {
    uint64_t pc;
    uint64_t sp;
    struct component *component;
};

/* What was going on when a component faulted. */
struct fault {
    uint64_t registers[REGISTERS];
    struct component *component;
};

struct thread {
    uint64_t registers[REGISTERS]; /* of a thread that does not run; word 0 is pc */
    struct frame *top;             /* the first free one of `frame` */
    struct component *component;
    uint64_t stack;           /* offset of its stack from a component's first */
    struct component *nobody; /* NULL: of the frame below the first one */
    struct frame frame[DEPTH];
    struct fault fault[FAULT_DEPTH]; /* one for each frame of component_resume */
    uint64_t faults;
    uint64_t id;
    uint64_t entry; /* where it began, and begins again */
    uint64_t argument;
    struct component *home;
    bool live;
    bool waiting;    /* for the scheduler's answer */
    bool is_patient; /* likewise, to an event from EVENT_WAIT on */
    bool is_left;    /* one that it came through was restarted: not to wait for anything */
};

extern struct thread thread_slots[THREADS];

_Static_assert(offsetof(struct thread, registers) == THREAD_PC, "entry.S");
_Static_assert(offsetof(struct thread, top) == THREAD_TOP, "entry.S");
_Static_assert(offsetof(struct thread, component) == THREAD_COMPONENT, "entry.S");
_Static_assert(offsetof(struct thread, stack) == THREAD_STACK, "entry.S");
_Static_assert(offsetof(struct thread, frame) == THREAD_FRAMES, "entry.S");
_Static_assert(offsetof(struct thread, nobody) == THREAD_FRAMES + FRAME_COMPONENT - FRAME_SIZE, "");
_Static_assert(sizeof(struct frame) == FRAME_SIZE, "entry.S");
_Static_assert(offsetof(struct frame, component) == FRAME_COMPONENT, "entry.S");

/* Those of the table. */
void threads_init(void);

/* Thread `id` if it lives, else NULL. Thread 0, the scheduler's, always does. */
static inline struct thread *thread_find(uint64_t id)
{
    return id < THREADS && thread_slots[id].live ? &thread_slots[id] : NULL;
}

/* A thread in `home`, about to call entry(argument). NULL: no slot is free. */
struct thread *thread_create(struct component *home, uint64_t entry, uint64_t argument);

/* a0 and a1 of what comes back to it. */
static inline void thread_answer(struct thread *thread, int64_t error, uint64_t value)
{
    thread->registers[REGISTER_A(0)] = (uint64_t)error;
    thread->registers[REGISTER_A(1)] = value;
}

/*
 * Invokes `entry` of `target` with what is in its argument registers, from `pc` on. OK or
 * ERROR_DEPTH. What entry.S does in its hot path.
 */
int64_t thread_invoke(struct thread *thread, const struct capability *capability, uint64_t pc);

/* The return of it; `value` for the caller. OK or ERROR_EMPTY. */
int64_t thread_return(struct thread *thread, uint64_t value);

/*
 * A fault of the thread: its registers are kept, and the handler is invoked with `cause`, `value`
 * and pc. False: the thread is in too many invocations or faults, or in the handler already.
 */
bool thread_report(struct thread *thread, const struct capability *handler, uint64_t cause,
                   uint64_t value);

/*
 * Takes component_resume or component_dead off a thread that has come to it. The first: back to
 * where it had faulted, and `*failed` is the component there if the handler did not help (a0, a1
 * not both 0); the second: back to the caller, with ERROR_FAILED, or to where the thread began.
 */
void thread_settle(struct thread *thread, struct component **failed);

/* If it is in `component` or came through it, it is never to go on in it. Whether it was. */
bool thread_expel(struct thread *thread, struct component *component);

#endif
