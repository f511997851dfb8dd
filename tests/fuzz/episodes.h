/* SPDX-License-Identifier: BSD-2-Clause */
/* What run_sequences.c asks of a fuzzer of sequences. */
#ifndef COTENANT_TESTS_EPISODES_H
#define COTENANT_TESTS_EPISODES_H

#include <stdint.h>

/* An episode of a seed begins. */
void statistics_episode(uint64_t seed, uint64_t episode);

uint64_t statistics_operations(void);

/* Prints where it is, and everything. */
void statistics_place(void);
void statistics_print(void);

#endif
