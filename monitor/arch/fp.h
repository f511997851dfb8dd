/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floating-point registers, which only arch/fp.S touches: the monitor is built without them.
 * mstatus.FS must not be off.
 */
#ifndef COTENANT_ARCH_FP_H
#define COTENANT_ARCH_FP_H

#include <stdint.h>

struct world;

/* Moves all registers and fcsr from the hart to a world. */
void fp_save(struct world *world);

/* The other way. */
void fp_load(struct world *world);

/* The 64 bits of register `number`, 0..31. */
uint64_t fp_read_register(uint64_t number);
void fp_write_register(uint64_t number, uint64_t value);

#endif
