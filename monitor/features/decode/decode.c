/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/decode/decode.h"

#include "core/feature.h"

#define OPCODE_LOAD 0x03
#define OPCODE_LOAD_FP 0x07
#define OPCODE_STORE 0x23
#define OPCODE_STORE_FP 0x27

static uint32_t bits(uint32_t value, unsigned high, unsigned low)
{
    return (value >> low) & ((1u << (high - low + 1)) - 1);
}

static bool decode_wide(uint32_t instruction, struct memory_access *access)
{
    uint32_t funct3 = bits(instruction, 14, 12);

    access->length = 4;
    access->size = (uint8_t)(1u << (funct3 & 3));
    access->store = bits(instruction, 6, 0) == OPCODE_STORE;
    if (access->store) {
        access->reg = (uint8_t)bits(instruction, 24, 20);
        return funct3 <= 3;
    }
    access->reg = (uint8_t)bits(instruction, 11, 7);
    access->sign_extend = funct3 < 4;
    return bits(instruction, 6, 0) == OPCODE_LOAD && funct3 != 7;
}

/* Quadrants 0 (C.LW, C.LD, C.SW, C.SD) and 2 (the same relative to sp) of RV64C. */
static bool decode_compressed(uint32_t instruction, struct memory_access *access)
{
    uint32_t quadrant = bits(instruction, 1, 0);
    uint32_t funct3 = bits(instruction, 15, 13);

    access->length = 2;
    access->sign_extend = true;
    access->store = funct3 >= 6;
    access->size = (funct3 & 1) != 0 ? 8 : 4;
    if (funct3 != 2 && funct3 != 3 && funct3 != 6 && funct3 != 7) {
        return false;
    }
    if (quadrant == 0) {
        access->reg = (uint8_t)(8 + bits(instruction, 4, 2));
        return true;
    }
    access->reg = (uint8_t)(access->store ? bits(instruction, 6, 2) : bits(instruction, 11, 7));
    /* C.LWSP and C.LDSP with rd = x0 are reserved. */
    return quadrant == 2 && (access->store || access->reg != 0);
}

bool instruction_decode(uint32_t instruction, struct memory_access *access)
{
    *access = (struct memory_access){0};
    return (instruction & 3) == 3 ? decode_wide(instruction, access)
                                  : decode_compressed(instruction, access);
}

/* C.FLD, C.FSD (quadrant 0), C.FLDSP and C.FSDSP (quadrant 2). */
static bool decode_compressed_floating(uint32_t instruction, struct memory_access *access)
{
    uint32_t quadrant = bits(instruction, 1, 0);
    uint32_t funct3 = bits(instruction, 15, 13);

    access->length = 2;
    access->size = 8;
    access->store = funct3 == 5;
    if (quadrant == 0) {
        access->reg = (uint8_t)(8 + bits(instruction, 4, 2));
    } else {
        access->reg = (uint8_t)(access->store ? bits(instruction, 6, 2) : bits(instruction, 11, 7));
    }
    return (quadrant == 0 || quadrant == 2) && (funct3 == 1 || funct3 == 5);
}

bool instruction_decode_floating(uint32_t instruction, struct memory_access *access)
{
    uint32_t opcode = bits(instruction, 6, 0);
    uint32_t funct3 = bits(instruction, 14, 12);

    *access = (struct memory_access){.floating = true};
    if ((instruction & 3) != 3) {
        return decode_compressed_floating(instruction, access);
    }
    access->length = 4;
    access->size = funct3 == 2 ? 4 : 8;
    access->store = opcode == OPCODE_STORE_FP;
    access->reg = (uint8_t)(access->store ? bits(instruction, 24, 20) : bits(instruction, 11, 7));
    return (opcode == OPCODE_LOAD_FP || opcode == OPCODE_STORE_FP) && (funct3 == 2 || funct3 == 3);
}

uint64_t instruction_load_result(const struct memory_access *access, uint64_t bytes)
{
    unsigned unused = 64 - 8u * access->size;

    return access->sign_extend ? (uint64_t)((int64_t)(bytes << unused) >> unused)
                               : bytes << unused >> unused;
}

FEATURE(decode);
