/* SPDX-License-Identifier: BSD-2-Clause */
/* A repeatable stream of random numbers (xorshift64*). */
#ifndef COTENANT_TESTS_RANDOM_H
#define COTENANT_TESTS_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* the seed; not 0 */
};

static inline uint32_t random_next(struct random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return (uint32_t)((random->state * 0x2545f4914f6cdd1d) >> 32);
}

/* 0..limit-1; `limit` must not be 0. */
static inline uint32_t random_below(struct random *random, uint32_t limit)
{
    return random_next(random) % limit;
}

#endif
