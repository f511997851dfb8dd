/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/decode/decode.h"

#include "core/feature.h"

#define OPCODE_LOAD 0x03
#define OPCODE_LOAD_FP 0x07
/* The store beside the load: in an opcode, and in a compressed instruction. */
#define OPCODE_STORES 0x20
#define COMPRESSED_STORES 0x8000

/*
 * Whether it is a wide one of the opcode, or in the bits of the mask a compressed one, in quadrant
 * 0 or, relative to sp, in quadrant 2. Finds its register and its length.
 */
static bool decode(uint32_t instruction, bool store, uint32_t opcode, uint32_t compressed,
                   uint32_t mask, struct memory_access *access)
{
    if ((instruction & 3) == 3) {
        access->reg = instruction >> (store ? 20 : 7) & 31;
        access->length = 4;
        return (instruction & 0x7f) == (opcode | (store ? OPCODE_STORES : 0));
    }
    access->reg =
        (instruction & 2) == 0 ? 8 + (instruction >> 2 & 7) : instruction >> (store ? 2 : 7) & 31;
    access->length = 2;
    return (instruction & (mask | COMPRESSED_STORES | 1)) ==
           (compressed | (store ? COMPRESSED_STORES : 0));
}

bool instruction_decode(uint32_t instruction, bool store, struct memory_access *access)
{
    uint32_t funct3 = instruction >> 12 & 7;

    access->floating = false;
    /* C.LW and C.LD, C.LWSP and C.LDSP: the last two are reserved with x0. */
    if (!decode(instruction, store, OPCODE_LOAD, 0x4000, 0x4000, access)) {
        return false;
    }
    if (access->length == 2) {
        access->sign_extend = true;
        access->size = (instruction & 0x2000) != 0 ? 8 : 4;
        return store || access->reg != 0;
    }
    access->sign_extend = funct3 < 4;
    access->size = (uint8_t)(1u << (funct3 & 3));
    return funct3 < (store ? 4 : 7);
}

bool instruction_decode_floating(uint32_t instruction, bool store, struct memory_access *access)
{
    uint32_t funct3 = instruction >> 12 & 7;

    *access = (struct memory_access){.floating = true, .size = 8};
    /* C.FLD and C.FLDSP */
    if (!decode(instruction, store, OPCODE_LOAD_FP, 0x2000, 0x6000, access)) {
        return false;
    }
    if (access->length == 4 && funct3 == 2) {
        access->size = 4;
    }
    return access->length == 2 || funct3 == 2 || funct3 == 3;
}

FEATURE(decode);
