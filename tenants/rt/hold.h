/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds values in registers for a while, to see whether they survive what others do meanwhile. */
#ifndef COTENANT_RT_HOLD_H
#define COTENANT_RT_HOLD_H

#include <stdint.h>

/*
 * Fills each register xN but x0, sp (x2), tp (x4) and t0 (x5) with values[N], goes through an empty
 * loop `turns` times, at least once, and stores in values[N] what is in them then. Interrupts may
 * be on: their handlers keep registers.
 */
void hold_registers(uint64_t values[32], uint64_t turns);

#endif
