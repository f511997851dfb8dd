/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory: that of this process, or of its host, which the guest sees where it lies. */
#ifndef COHOST_MEMORY_H
#define COHOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "ranges.h"

struct memory {
    unsigned count;
    struct range ranges[COTENANT_HOSTED_MAX_RANGES];
    uint8_t *bytes[COTENANT_HOSTED_MAX_RANGES]; /* where this process sees what is mapped of them */
    bool apart; /* mapped, but no memory to the host's kernel, which moves data only by copying */
    int file;   /* if it is to be shared: one range behind the other, and nothing else */
    /* A page that is not the guest's, for what this program and the monitor tell each other. */
    uint8_t *shared;
    uint64_t shared_address;
};

extern struct memory memory;

/*
 * Adds a range of memory that the host's kernel does not use. It is mapped in pieces of
 * COTENANT_HOSTED_GRAIN when they are asked for first: the host's kernel looks at each page that is
 * to be mapped, and most pages are never needed.
 */
void memory_add_in_pieces(const struct range *range);

/* Reserves addresses of this process, at a multiple of COTENANT_HOSTED_GRAIN. */
uint8_t *memory_reserve(uint64_t size);

/*
 * Where this process sees [address, address + size) of the guest; NULL: not all of it is there. May
 * be called by any thread.
 */
void *memory_at(uint64_t address, uint64_t size);

/* The same for a whole range. */
uint8_t *memory_range(unsigned number);

/* The guest's memory as a whole, bytes. */
uint64_t memory_size(void);

#endif
