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

/* For lowest_bit(). Weak, so that one is linked, and not one for each file. */
const uint8_t lowest_bit_numbers[SOURCE_SET_WORD_BITS] __attribute__((weak)) = {
    0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
    31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9,
};

/* Number of the lowest bit that is set, 0..31; `bits` must not be 0. */
static inline uint32_t lowest_bit(uint32_t bits)
{
    /* A de Bruijn sequence: each five bits of it are different, and shifting it selects them. */
    return lowest_bit_numbers[(bits & -bits) * 0x077cb531u >> 27];
}

#endif
