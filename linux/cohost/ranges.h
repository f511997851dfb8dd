/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the huge pages that the host gave become the guest's memory. */
#ifndef COHOST_RANGES_H
#define COHOST_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "abi/hosted.h"

/* Physical memory; multiples of COTENANT_HOSTED_GRAIN. */
struct range {
    uint64_t address;
    uint64_t size;
};

/*
 * Chooses ranges of at least `wanted` bytes together out of pages, whose addresses ascend; they
 * take up at most `entries` PMP entries. `ranges` has room for COTENANT_HOSTED_MAX_RANGES and is in
 * ascending order afterwards. Returns how many ranges, 0: these pages do not suffice.
 */
unsigned ranges_choose(const uint64_t *pages, size_t count, uint64_t wanted, unsigned entries,
                       struct range *ranges);

#endif
