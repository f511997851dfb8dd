/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine and a system of components for the kernel of tenants/components. */
#ifndef COTENANT_TESTS_COMPONENT_BENCH_H
#define COTENANT_TESTS_COMPONENT_BENCH_H

#include "components/kernel/kernel.h"

/* The components. The first four may invoke those behind them; `loop` itself too. */
#define SCHEDULER 0
#define HANDLER 1
#define FRONT 2
#define MIDDLE 3
#define BACK 4
#define BENCH_COMPONENTS 5

/* Threads from the start: the scheduler's, the handler's, and two that begin in FRONT. */
#define BENCH_THREADS 4

/* Entries of capability tables. */
#define FRONT_TO_MIDDLE 0
#define FRONT_TO_BACK 1
#define MIDDLE_TO_BACK 0
#define MIDDLE_TO_MIDDLE 1

#define CAUSE_FETCH_PAGE 12
#define CAUSE_STORE_PAGE 15

/* MIDDLE drives a device, whose registers are there. */
#define BENCH_DEVICE 1
#define BENCH_REGISTERS 0x10001000
/* MIDDLE asks for the window of that channel, which is there if bench.window has a size. */
#define BENCH_WINDOW "shared"

/* Bytes that the console takes at once. */
#define BENCH_ROOM 8

struct bench {
    uint64_t pending;  /* interrupts that are there */
    uint64_t unmasked; /* as the kernel asked for */
    uint64_t timer;
    uint64_t space; /* satp */
    unsigned waits;
    unsigned shutdowns;
    char printed[64];
    struct memory_window window;
};
extern struct bench bench;

/* As after the boot: the scheduler runs. */
void bench_start(void);
void bench_start_with(struct memory_window window);

/* The current thread executes an ecall; returns the thread that goes on. */
struct thread *bench_call(int64_t number, uint64_t a0, uint64_t a1, uint64_t a2);

/* The scheduler, which runs, dispatches a thread. */
struct thread *bench_dispatch(uint64_t thread);

/* The current thread faults. */
struct thread *bench_fault(uint64_t cause, uint64_t value);

/* An interrupt comes while the current thread runs. */
struct thread *bench_interrupt(uint64_t number);

/* If the current thread is where nothing can run, it faults, as the hardware makes it. */
struct thread *bench_fall(void);

uint64_t bench_argument(const struct thread *thread, unsigned number);

/* Id of the component where the current thread is. */
uint64_t bench_where(void);

#endif
