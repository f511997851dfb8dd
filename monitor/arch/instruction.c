/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/instruction.h"

#define OPCODE_SYSTEM 0x73
#define CSR_TIME 0xc01

static uint32_t bits(uint32_t value, unsigned high, unsigned low)
{
    return (value >> low) & ((1u << (high - low + 1)) - 1);
}

bool instruction_reads_time(uint32_t instruction, uint8_t *reg)
{
    uint32_t funct3 = bits(instruction, 14, 12);

    *reg = (uint8_t)bits(instruction, 11, 7);
    return bits(instruction, 6, 0) == OPCODE_SYSTEM && bits(instruction, 31, 20) == CSR_TIME &&
           (funct3 & 2) != 0 && bits(instruction, 19, 15) == 0;
}

bool instruction_is_of_machine_mode(uint32_t instruction)
{
    uint32_t funct3 = bits(instruction, 14, 12);

    return instruction == INSTRUCTION_MRET || (bits(instruction, 6, 0) == OPCODE_SYSTEM &&
                                               funct3 % 4 != 0 && bits(instruction, 29, 28) == 3);
}
