/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions that access CSRs: unprivileged ISA 9.1. */
#ifndef COTENANT_FEATURES_MACHINE_CSR_ACCESS_H
#define COTENANT_FEATURES_MACHINE_CSR_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vhart.h"

#define CSR_OPCODE_SYSTEM 0x73
#define CSR_READ_ONLY 0xc00

enum csr_operation { CSRRW = 1, CSRRS = 2, CSRRC = 3 };

struct csr_instruction {
    uint32_t number;
    enum csr_operation operation;
    bool immediate;
    uint8_t source; /* register or immediate */
    uint8_t destination;
};

static inline bool csr_decode(uint32_t instruction, struct csr_instruction *decoded)
{
    *decoded = (struct csr_instruction){
        .number = instruction >> 20,
        .operation = (enum csr_operation)(instruction >> 12 & 3),
        .immediate = (instruction >> 14 & 1) != 0,
        .source = (uint8_t)(instruction >> 15 & 31),
        .destination = (uint8_t)(instruction >> 7 & 31),
    };
    return (instruction & 0x7f) == CSR_OPCODE_SYSTEM && decoded->operation != 0;
}

typedef bool csr_reader(struct vhart *vhart, uint32_t number, uint64_t *value);
typedef bool csr_writer(struct vhart *vhart, uint32_t number, uint64_t value);

/* Does it with the registers that `read` and `write` know, and moves the pc on; false: refused. */
__attribute__((always_inline)) static inline bool csr_access(struct vhart *vhart,
                                                             const struct csr_instruction *access,
                                                             csr_reader *read, csr_writer *write)
{
    uint64_t *registers = vhart->world.registers;
    bool writes = access->operation == CSRRW || access->source != 0;
    uint64_t operand = access->immediate     ? access->source
                       : access->source == 0 ? 0
                                             : registers[access->source];
    uint64_t before;

    if ((writes && (access->number & CSR_READ_ONLY) == CSR_READ_ONLY) ||
        !read(vhart, access->number, &before)) {
        return false;
    }
    if (access->operation == CSRRS) {
        operand |= before;
    } else if (access->operation == CSRRC) {
        operand = before & ~operand;
    }
    if (writes && !write(vhart, access->number, operand)) {
        return false;
    }
    if (access->destination != 0) {
        registers[access->destination] = before;
    }
    registers[REGISTER_PC] += 4;
    return true;
}

#endif
