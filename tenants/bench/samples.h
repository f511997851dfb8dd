/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction counts of the benchmarks: exact under QEMU's -icount, where the cycle CSR counts
 * instructions. A measurement is made SAMPLES times, its median is printed as
 *
 *     bench: NAME MEDIAN MAXIMUM
 *
 * and "bench: end" tells the reader that nothing is missing.
 */
#ifndef COTENANT_BENCH_SAMPLES_H
#define COTENANT_BENCH_SAMPLES_H

#include <stdint.h>

#define SAMPLES 33

/* One measurement: instructions, the reading of the counter not included. */
typedef uint64_t (*bench_measure)(void);

/* Instructions between two readings of the counter that follow each other. */
uint64_t bench_overhead(void);

/* Takes the samples and keeps the result for bench_finish(): printing would disturb what follows.
 */
void bench_sample(const char *name, bench_measure measure);

/* Prints all results and ends the tenant. */
__attribute__((noreturn)) void bench_finish(void);

#endif
