/* SPDX-License-Identifier: BSD-2-Clause */
/* What hostile tenants pass to the monitor: numbers, and addresses of their own and of others. */
#ifndef COTENANT_HOSTILE_CHOOSE_H
#define COTENANT_HOSTILE_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/random.h"

/* How an action ended. */
enum outcome {
    OUTCOME_DONE,
    OUTCOME_REFUSED, /* by an error code */
    OUTCOME_FAULT,   /* by an exception */
};
#define OUTCOMES 3

/*
 * Reads the argument touch=0x...,0x...: pages that are not the tenant's and that nobody emulates
 * for it. Called once.
 */
void choose_begin(void);

/* A number at an edge of some range. */
uint64_t choose_edge(struct random *random);

/* An address in the tenant's memory, or as far before or behind it as half its size. */
uint64_t choose_around(struct random *random);

/* A number of any kind: random, small, around the tenant's memory, or at an edge of some range. */
uint64_t choose_any(struct random *random);

/* An address, aligned to 8 bytes, in a page of another's; 0: the tenant knows none. */
uint64_t choose_foreign(struct random *random);

/* Whether all of these bytes are the tenant's memory. */
bool choose_is_own(uint64_t address, uint64_t size);

/* One of the addresses `own` and, as often, of what is not the tenant's memory. */
uint64_t choose_memory(struct random *random, const volatile void *own);

#endif
