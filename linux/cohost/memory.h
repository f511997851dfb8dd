/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory: huge pages of this process, which the guest sees where they lie. */
#ifndef COHOST_MEMORY_H
#define COHOST_MEMORY_H

#include <stdbool.h>

#include "ranges.h"

struct memory {
    unsigned count;
    struct range ranges[COTENANT_HOSTED_MAX_RANGES];
    uint8_t *bytes[COTENANT_HOSTED_MAX_RANGES]; /* where this process sees them */
    int file; /* if it is to be shared: one range behind the other, and nothing else */
    /* A page that is not the guest's, for what this program and the monitor tell each other. */
    uint8_t *shared;
    uint64_t shared_address;
};

extern struct memory memory;

/*
 * Takes memory from the host: `size` bytes, rounded up, in so many PMP entries. `share`: other
 * processes are to map it. `suffices` tells whether what is chosen will do, by its ranges: if not,
 * more of the host's memory is looked through, as far as that helps. One process at a time may do
 * this.
 */
void memory_take(uint64_t size, unsigned entries, bool share, bool (*suffices)(void));

/* The same for certain ranges, which do not overlap. */
void memory_take_at(const struct range *ranges, unsigned count, bool share);

/*
 * The same for ranges of memory that the host's kernel does not use (window.h), and no other
 * process does. `fresh`: nothing is to be left there of the guest before. They cannot be shared.
 */
void memory_take_window(const struct range *ranges, unsigned count, bool fresh);

/* Where this process sees [address, address + size) of the guest; NULL: not all of it is there. */
void *memory_at(uint64_t address, uint64_t size);

/* The guest's memory as a whole, bytes. */
uint64_t memory_size(void);

#endif
