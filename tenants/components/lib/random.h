/* SPDX-License-Identifier: BSD-2-Clause */
/* Pseudo-random numbers (xorshift64), and a mix of words that tells one list of them from others.
 */
#ifndef COTENANT_COMPONENTS_RANDOM_H
#define COTENANT_COMPONENTS_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15 + b;

    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
}

#endif
