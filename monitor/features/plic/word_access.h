/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of a word, as drivers make most of them: decoding them in a few instructions. */
#ifndef COTENANT_FEATURES_PLIC_WORD_ACCESS_H
#define COTENANT_FEATURES_PLIC_WORD_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vhart.h"

/* Opcode and funct3 of the loads and stores of a word in both lengths. */
#define ENCODING_MASK 0x707f
#define ENCODING_LW 0x2003
#define ENCODING_SW 0x2023
#define COMPRESSED_MASK 0xe003
#define ENCODING_C_LW 0x4000
#define ENCODING_C_SW 0xc000

/* Without a branch: x0 is not kept, and its place is another register's. */
static inline uint64_t stored_value(const struct vhart *vhart, uint32_t reg)
{
    return vhart->world.registers[reg] & -(uint64_t)(reg != 0);
}

/* A load or store of a word: the register, and the bytes of the instruction. */
struct word_access {
    uint32_t reg;
    uint64_t length;
};

/* False: the instruction is no store of a word, or no load of one into a register. */
static inline bool decode_word(uint32_t instruction, bool store, struct word_access *access)
{
    if ((instruction & COMPRESSED_MASK) == (store ? ENCODING_C_SW : ENCODING_C_LW)) {
        *access = (struct word_access){(instruction >> 2 & 7) + 8, 2}; /* x8 to x15 */
        return true;
    }
    *access = (struct word_access){instruction >> (store ? 20 : 7) & 31, 4};
    return (instruction & ENCODING_MASK) == (store ? ENCODING_SW : ENCODING_LW) &&
           (store || access->reg != 0);
}

#endif
