/* SPDX-License-Identifier: BSD-2-Clause */
/* Which trap entry a hart uses: mtvec. */
#ifndef COTENANT_ARCH_TRAP_VECTOR_H
#define COTENANT_ARCH_TRAP_VECTOR_H

#include <stdbool.h>

/* The two entries that harts have: one with fast paths and one without. Once, at boot. */
void trap_vector_init(void (*with_fast_paths)(void), void (*without)(void));

/* Which of the two the running hart uses from now on. */
void trap_use_fast_paths(bool use);

#endif
