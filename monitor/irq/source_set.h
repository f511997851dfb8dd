/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of interrupt sources, a bit each, in words as the PLIC's registers have them. Plain
 * arithmetic: the base ISA has no bit counting, and the monitor no support library for it.
 */
#ifndef COTENANT_IRQ_SOURCE_SET_H
#define COTENANT_IRQ_SOURCE_SET_H

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_SET_WORD_BITS 32

static inline uint32_t source_word(uint32_t source)
{
    return source / SOURCE_SET_WORD_BITS;
}

static inline uint32_t source_bit(uint32_t source)
{
    return 1u << (source % SOURCE_SET_WORD_BITS);
}

static inline bool source_set_has(const uint32_t *set, uint32_t source)
{
    return (set[source_word(source)] & source_bit(source)) != 0;
}

static inline void source_set_assign(uint32_t *set, uint32_t source, bool on)
{
    if (on) {
        set[source_word(source)] |= source_bit(source);
    } else {
        set[source_word(source)] &= ~source_bit(source);
    }
}

/* Number of the lowest bit that is set, 0..31; `bits` must not be 0. */
static inline uint32_t lowest_bit(uint32_t bits)
{
    uint32_t number = 0;

    for (uint32_t half = 16; half != 0; half /= 2) {
        if ((bits & ((1u << half) - 1)) == 0) {
            bits >>= half;
            number += half;
        }
    }
    return number;
}

/* How many bits are set. */
static inline uint32_t count_bits(uint32_t bits)
{
    bits -= (bits >> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >> 2) & 0x33333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f;
    return (bits * 0x01010101) >> 24;
}

#endif
