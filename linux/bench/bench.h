/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the measurements of a Linux share: the clock, the way to repeat, and the way to report.
 *
 * Time is read from the `time` CSR, which every process may. Under QEMU's `-icount shift=0` an
 * instruction takes a nanosecond of it, whichever tenant executes it: so a time is a number of
 * instructions, those of the firmware and of other tenants included. A tick of the CSR is TICK_NS
 * of them, which is why everything is measured over many rounds.
 */
#ifndef COTENANT_LINUX_BENCH_H
#define COTENANT_LINUX_BENCH_H

#include <stdint.h>
#include <stdio.h>

/* The device tree's timebase-frequency is 10 MHz. */
#define TICK_NS 100

/* Does a piece of work `rounds` times. */
typedef void (*work_function)(unsigned rounds);

/* Ends the program with a sentence about `what`, errno's text, and status 1. */
_Noreturn void give_up(const char *what);

/* Nanoseconds since the machine was reset. */
static inline uint64_t now_ns(void)
{
    uint64_t ticks;

    __asm__ volatile("rdtime %0" : "=r"(ticks)::"memory");
    return ticks * TICK_NS;
}

/* Nanoseconds since boot that the hart had nothing to do, as the kernel counts them. */
uint64_t idle_ns(void);

/*
 * Keeps a result: what `rounds` rounds took, in nanoseconds, at least, in the median and at most.
 * Nothing is printed before print_results, so that no measurement contains console output.
 */
void keep_result(const char *name, unsigned rounds, uint64_t least, uint64_t median, uint64_t most);

/* Measures `work` several times after a warm-up, and keeps the result. */
void measure(const char *name, work_function work, unsigned rounds);

/* Prints what was kept, a line `bench: NAME ROUNDS LEAST MEDIAN MOST` each, and forgets it. */
void print_results(void);

/* The groups of measurements; `scale` multiplies the rounds of each. */
void measure_calls(unsigned scale);
void measure_memory(unsigned scale);
void measure_processes(unsigned scale);
void measure_switches(unsigned scale);
void measure_timers(unsigned scale);
void measure_interrupts(unsigned scale);
void measure_console(unsigned scale);
void measure_device(const char *address, unsigned rounds);

/* Fixed work of the hart alone: `rounds` times 10 million instructions, give or take a few. */
void compute(unsigned rounds);

#endif
