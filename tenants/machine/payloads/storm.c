/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to CSRs of every number with values of every kind from machine mode, and loads and
 * stores of every size at the timer, the interrupt controller and beside them. It goes on for ever
 * and says from time to time how far it is.
 *
 * Arguments: wild=1   any instruction at all: sooner or later it loses itself, and crashes
 */
#include <stdbool.h>

#include "machine/machine.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"

#define ROUND 10000
#define CLINT_SIZE 0xd000
#define PLIC 0xc000000
#define PLIC_SIZE 0x400000
#define CSRS_PER_ACCESS 4
#define OPCODE_SYSTEM 0x73
/* Registers of an instruction: rd is a0, rs1 is a1. */
#define REGISTERS (10u << 7 | 11u << 15)

static _Alignas(16) uint8_t handler_stack[4096];
/* The instruction that is tried, and a return. */
static _Alignas(8) volatile uint32_t code[2];
static uint64_t exceptions;

void machine_trap(uint64_t *registers, uint64_t entry)
{
    (void)entry;
    if ((CSR_READ(mcause) & CAUSE_INTERRUPT) != 0) {
        REGISTER32(MSIP) = 0;
        REGISTER64(MTIMECMP) = UINT64_MAX;
        CSR_WRITE(mie, 0ul);
        return;
    }
    exceptions++;
    /* Out of what was tried, as if it had returned. */
    CSR_WRITE(mepc, registers[1]);
    CSR_SET(mstatus, MSTATUS_MPP);
}

static void try(uint32_t instruction, uint64_t value)
{
    register uint64_t a1 __asm__("a1") = value;

    code[0] = instruction;
    code[1] = 0x00008067; /* ret */
    __asm__ volatile("fence.i\n"
                     "jalr ra, %1\n"
                     : "+r"(a1)
                     : "r"(code)
                     : "ra", "a0", "t0", "t1", "t2", "memory");
}

/* Those by which it would lose its own handler and stack. */
static bool is_own(uint32_t csr)
{
    return csr == 0x305 || csr == 0x340 || csr == 0x105 || csr == 0x140 || csr == 0x180;
}

static void try_csr(struct random *random)
{
    uint64_t bits = random_next(random);
    uint32_t csr = (uint32_t)bits & 0xfff;
    uint32_t function = bits >> 12 & 7;
    uint64_t value = random_next(random);

    if ((bits >> 15 & 3) != 0) {
        csr = (csr & 0x7f) | 0x300; /* those that are there, more often */
    }
    if ((bits >> 17 & 3) == 0) {
        value = 1ul << (value & 63);
    }
    if (!is_own(csr) && (function & 3) != 0) {
        try(csr << 20 | REGISTERS | function << 12 | OPCODE_SYSTEM, value);
    }
}

static void try_device(struct random *random)
{
    uint64_t bits = random_next(random);
    uint64_t address = (bits & 1) != 0 ? MSIP + bits / 2 % CLINT_SIZE : PLIC + bits / 2 % PLIC_SIZE;
    uint32_t size = bits >> 40 & 3;
    bool store = (bits >> 42 & 1) != 0;

    if ((bits >> 43 & 1) != 0) {
        address = MTIMECMP + (bits >> 44 & 15);
    }
    /* sb, sh, sw or sd a0, 0(a1), or a load to a0 */
    try((store ? 0x00a58023u : 0x00058503u) | size << 12, address);
}

void main(void)
{
    struct random random = random_from(platform_number("seed", 1));
    bool wild = platform_number("wild", 0) != 0;

    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, handler_stack + sizeof(handler_stack));
    for (uint64_t count = 1;; count++) {
        if (wild) {
            try((uint32_t)random_next(&random), random_next(&random));
        } else if (count % CSRS_PER_ACCESS != 0) {
            try_csr(&random);
        } else {
            try_device(&random);
        }
        if (count % ROUND == 0) {
            print("storm: %lu instructions, %lu exceptions\n", count, exceptions);
        }
    }
}
