/* SPDX-License-Identifier: BSD-2-Clause */
/* A pattern in all of the memory that is not the program's, which nobody else may change. */
#ifndef COTENANT_RT_MEMORY_SWEEP_H
#define COTENANT_RT_MEMORY_SWEEP_H

#include <stdint.h>

/* Writes it; `pattern` makes it differ from that of other tenants. */
void memory_sweep_begin(uint64_t pattern);

/* Looks at the next words; ends the tenant with FAIL if one is not as it was written. */
void memory_sweep_look(unsigned words);

/* How often all of it has been looked at. */
uint64_t memory_sweep_count(void);

#endif
