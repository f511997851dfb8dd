/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drivers that break the protocol of every virtual device at any step: queues that go or move to
 * the memory of others, chains that change after they were published, accesses of every width.
 * One set of them; by one hart at a time.
 *
 * They read the argument touch=0x...,0x...: memory that is not the tenant's, for queues and
 * buffers.
 */
#ifndef COTENANT_HOSTILE_RINGS_H
#define COTENANT_HOSTILE_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/random.h"

#define MOST_DEVICES 8

/* Finds the tenant's virtual devices, or with `only` those of that id; returns how many. */
uint32_t rings_find(uint64_t only);

/*
 * Does something at a device, any number, that `random` chooses among the kinds whose bits `steps`
 * has. There has to be a device.
 */
void rings_step(struct random *random, uint32_t number, uint64_t steps);

/* Whether a reset brings the device back, whatever was done to it. */
bool rings_start(uint32_t number);

/* How many places touch= has. */
uint32_t rings_places(void);

#endif
