/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three tenants for the control protocol to work on, each with BENCH_MEMORY bytes: one that runs,
 * one that is dormant, one that is empty; and one hart with a clock.
 */
#ifndef COTENANT_TESTS_CONTROL_BENCH_H
#define COTENANT_TESTS_CONTROL_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/dormant.h"
#include "core/tenant.h"
#include "features/commands/tenant_commands.h"

#define BENCH_MEMORY 8192
#define BENCH_RUNNING 0
#define BENCH_DORMANT 1
#define BENCH_EMPTY 2
#define BENCH_CONTROL_TENANTS 3
#define BENCH_TRACE 4096

extern uint8_t bench_memory[BENCH_CONTROL_TENANTS][BENCH_MEMORY];
extern uint8_t bench_trace[BENCH_TRACE];
extern volatile uint64_t bench_time; /* ticks, of which there are 10,000,000 a second */

/* What was commanded last, how often there was a command, and what becomes of the next one. */
extern struct tenant *bench_commanded;
extern enum tenant_command bench_command;
extern uint32_t bench_commands;
extern bool bench_accepts;

/* What was to be restored last. */
extern struct dormant_state bench_restored;

/* What is at the address that is fetched from, 0: it cannot be read; and that address. */
extern uint32_t bench_instruction;
extern uint64_t bench_fetched;

void control_bench_init(void);

#endif
