/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What interrupts take from a program that computes: it writes the cycle counter to a place over
 * and over, which whoever interrupts it reads, and notes the longest pause of each round. Between
 * bench-host and its guest bench-guest, which asks by loads and stores of a UART's registers that
 * no UART has.
 */
#ifndef COTENANT_BENCH_STAMPS_H
#define COTENANT_BENCH_STAMPS_H

#include <stdint.h>

/* Offsets in the UART's page. Load: the instructions that the host took to serve the last one. */
#define STAMPS_SERVED 0x100
/* Store: interrupts begin; the value is the place of the stamps. */
#define STAMPS_BEGIN 0x108
/* Load: they end; the median of what the host has seen of them. */
#define STAMPS_END 0x110

#define STAMPS_NOTED 33

struct stamps {
    uint64_t values[STAMPS_NOTED];
    unsigned count;
};

/* Keeps one, if there is room. */
void stamps_note(struct stamps *stamps, uint64_t value);
uint64_t stamps_median(struct stamps *stamps);

/* Computes until there were STAMPS_NOTED pauses. */
void stamps_compute(volatile uint64_t *place, struct stamps *pauses);

#endif
