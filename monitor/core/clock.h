/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of mtime and the units that people use. Any context. */
#ifndef COTENANT_CORE_CLOCK_H
#define COTENANT_CORE_CLOCK_H

#include <stdint.h>

#include "core/tenant.h"

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Rounded down. Exact up to 2^64 / timebase microseconds: more than an hour on any board. */
static inline uint64_t ticks_from_us(uint64_t microseconds)
{
    return microseconds * bundle->board.timebase_hz / 1000000;
}

/* Rounded down; any number of ticks whose nanoseconds fit into 64 bits. */
static inline uint64_t nanoseconds_from_ticks(uint64_t ticks)
{
    uint64_t hz = bundle->board.timebase_hz;

    return ticks / hz * 1000000000 + ticks % hz * 1000000000 / hz;
}

#endif
