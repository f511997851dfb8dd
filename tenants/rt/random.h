/* SPDX-License-Identifier: BSD-2-Clause */
/* Repeatable pseudo-random numbers (xorshift64*, Marsaglia 2003 and Vigna 2016). */
#ifndef COTENANT_RT_RANDOM_H
#define COTENANT_RT_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* never 0 */
};

static inline struct random random_from(uint64_t seed)
{
    return (struct random){.state = seed != 0 ? seed : 0x9e3779b97f4a7c15};
}

static inline uint64_t random_next(struct random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545f4914f6cdd1d;
}

/* A number from 0 to limit - 1; limit is above 0. */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
    return (random_next(random) >> 16) % limit;
}

#endif
