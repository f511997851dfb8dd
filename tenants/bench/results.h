/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result port of the RTL simulation (bench/rtl/harness/machine.h): text and marks for whoever
 * reads the simulator's output and its event log. Where no port exists, text goes to the console
 * and marks are lost.
 */
#ifndef COTENANT_BENCH_RESULTS_H
#define COTENANT_BENCH_RESULTS_H

#include <stdint.h>

/* Finds the tenant's first port in its device tree. Once, before the others. */
void results_open(void);

/* A line of text, formatted as print() does; "\n" ends it. */
__attribute__((format(printf, 1, 2))) void results_print(const char *format, ...);

/* Puts a mark into the event log, between what the core did before and after. */
void results_mark(uint64_t value);

/* Ends the simulation, whatever the other tenants do. */
void results_end(void);

/* "PASS name" or "FAIL name: why" as text, then the tenant shuts down. */
__attribute__((noreturn)) void results_pass(const char *name);
__attribute__((noreturn, format(printf, 2, 3))) void results_fail(const char *name,
                                                                  const char *format, ...);

#endif
