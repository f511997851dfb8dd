/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding loads and stores that the monitor does for tenants. */
#ifndef COTENANT_FEATURES_DECODE_DECODE_H
#define COTENANT_FEATURES_DECODE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

struct memory_access {
    bool floating;    /* the register is a floating-point one */
    bool sign_extend; /* of a load */
    uint8_t size;     /* bytes: 1, 2, 4 or 8 */
    uint8_t reg;      /* destination or source register, 0..31 */
    uint8_t length;   /* of the instruction, bytes: 2 or 4 */
};

/*
 * Decodes an integer load, or an integer store, of RV64I or RV64C. Returns false for everything
 * else: atomics, floating point, cache-block operations.
 */
bool instruction_decode(uint32_t instruction, bool store, struct memory_access *access);

/* The same for floating-point loads and stores of RV64D and RV64DC (FLW, FLD, FSW, FSD, C.FLD...).
 */
bool instruction_decode_floating(uint32_t instruction, bool store, struct memory_access *access);

/* The value that a load leaves in its register, from the bytes that it read. */
static inline uint64_t instruction_load_result(const struct memory_access *access, uint64_t bytes)
{
    unsigned unused = 64 - 8u * access->size;

    return access->sign_extend ? (uint64_t)((int64_t)(bytes << unused) >> unused)
                               : bytes << unused >> unused;
}

#endif
