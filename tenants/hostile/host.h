/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that does anything to its guests (rt/guest.h): requests of every kind with values of every
 * kind, turns that are none, run pages that change while they are used. Two slots of two vharts.
 * Any number of harts at the same time; guest_find() comes first.
 */
#ifndef COTENANT_HOSTILE_HOST_H
#define COTENANT_HOSTILE_HOST_H

#include <stdint.h>

#include "rt/guest.h"
#include "rt/random.h"

#define HOST_VHARTS 2
/* Number of the program that only spins. */
#define HOST_SPINS 0

/* Where the memory begins that is lent: 9 pieces of COTENANT_HOSTED_GRAIN have to be the tenant's.
 */
uint64_t host_memory(void);

volatile struct hosted_run *host_run(uint64_t slot, uint64_t vhart);

/* What the last guest of the slot gave as its token. */
uint32_t host_token(uint32_t slot);

/* A request; returns its result. `number`: of the vhart or range. */
uint32_t host_ask(uint32_t operation, uint32_t slot, uint32_t number, uint64_t address,
                  uint64_t size);

/* Writes the program of a guest, 8 bytes, that asks for something all the time. */
void host_program(void *place, uint32_t number);

/*
 * Something that `random` chooses. Returns why a guest's turn ended, COTENANT_HOSTED_EXIT_*, or
 * whatever else is on its run page; _NONE if it was no turn. Sets the timer.
 */
uint64_t host_anything(struct random *random);

#endif
