/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each of the 4,096 numbers of a CSR, as machine mode finds it: not there; only to be read; or what
 * is left of all ones and of all zeros that are written to it. On each hart, if there are two.
 *
 * What it prints is what the bare machine prints, but for differences that the ISA allows:
 * tests/system/test_machine_registers.py has the list of them.
 */
#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"
#include "machine/tasks.h"
#include "rt/console.h"

#define NUMBERS 4096
#define READ_ONLY 0xc00
#define PMPCFG0 0x3a0
#define PMPCFG15 0x3af
#define TSELECT 0x7a0
#define MSTATUS_FS 0x6000ul

#define SOURCE_A0 (10u << 15)
#define SOURCE_A1 (11u << 15)
#define CSRRW(number, source, destination)                                                         \
    ((uint32_t)(number) << 20 | (source) | 1u << 12 | (destination) << 7 | 0x73)
#define CSRR(number, destination) ((uint32_t)(number) << 20 | 2u << 12 | (destination) << 7 | 0x73)
#define RET 0x00008067u

enum task { WALK = 1 };

static _Alignas(16) uint8_t stacks[HARTS][4096];
/* The instructions that are tried, and a return. */
static _Alignas(8) volatile uint32_t code[4];
static volatile bool refused;
/* What is there is told of one number, what is not of many in one line. */
static uint32_t absent;

void machine_trap(uint64_t *registers, uint64_t entry)
{
    (void)entry;
    if (CSR_READ(mcause) != CAUSE_ILLEGAL_INSTRUCTION) {
        print("mcause=0x%lx mepc=0x%lx\n", CSR_READ(mcause), CSR_READ(mepc));
        REGISTER32(FINISHER) = FINISHER_FAIL;
    }
    refused = true;
    CSR_WRITE(mepc, registers[1]); /* as if what was tried had returned */
}

struct found {
    uint64_t before;
    uint64_t ones;
    uint64_t zeros;
};

/* False: an illegal instruction. */
static bool execute(struct found *found)
{
    register uint64_t a0 __asm__("a0") = 0;
    register uint64_t a1 __asm__("a1") = UINT64_MAX;
    register uint64_t a2 __asm__("a2") = 0;
    register uint64_t a3 __asm__("a3") = 0;

    refused = false;
    __asm__ volatile("fence.i\n"
                     "jalr ra, %4\n"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3)
                     : "r"(code)
                     : "ra", "memory");
    *found = (struct found){a0, a2, a3};
    return !refused;
}

static bool read(uint32_t number)
{
    struct found found;

    code[0] = CSRR(number, 10u);
    code[1] = RET;
    return execute(&found);
}

/* All ones, all zeros, and what was there. */
static bool write(uint32_t number, struct found *found)
{
    code[0] = CSRRW(number, SOURCE_A1, 10u);
    code[1] = CSRRW(number, 0u, 12u);
    code[2] = CSRRW(number, SOURCE_A0, 13u);
    code[3] = RET;
    return execute(found);
}

/* cycle, time and instret, and those of machine mode. */
static bool counts(uint32_t number)
{
    return (number & 0xf7f) <= 0xb02 && (number & 0xf7c) == 0xb00;
}

static void tell_absent(uint32_t until)
{
    if (absent < until) {
        print("0x%x to 0x%x illegal\n", absent, until - 1);
    }
    absent = until + 1;
}

static void look_at(uint32_t number)
{
    struct found found;

    if (!read(number)) {
        return;
    }
    tell_absent(number);
    if ((number & READ_ONLY) == READ_ONLY) {
        print("0x%x is read only: %d\n", number, !write(number, &found));
    } else if (number >= TSELECT && number < TSELECT + 16) {
        print("0x%x is there\n", number); /* a breakpoint would be one for what follows */
    } else if (!write(number, &found)) {
        print("0x%x cannot be written\n", number);
    } else if (counts(number)) {
        print("0x%x counts from 0: %d\n", number, found.zeros >> 40 == 0);
    } else {
        print("0x%x ones 0x%lx zeros 0x%lx\n", number, found.ones, found.zeros);
    }
}

static void walk(uint64_t hart)
{
    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, stacks[hart] + sizeof(stacks[hart]));
    CSR_WRITE(mie, 0ul);
    MSIP_OF(hart) = 0;
    MTIMECMP_OF(hart) = UINT64_MAX;
    CSR_SET(mstatus, MSTATUS_FS);
    print("hart %lu\n", hart);
    absent = 0;
    for (uint32_t number = 0; number < NUMBERS; number++) {
        if (number == PMPCFG0) {
            tell_absent(number);
            number = PMPCFG15;
            absent = number + 1;
        } else {
            look_at(number);
        }
    }
    tell_absent(NUMBERS);
    absent = PMPCFG0;
    for (uint32_t number = PMPCFG0; number <= PMPCFG15; number++) {
        look_at(number); /* and now entries are locked */
    }
    tell_absent(PMPCFG15 + 1);
}

static void carry_out(int wanted)
{
    (void)wanted;
    walk(1);
}

void machine_second_main(uint64_t hart, uint64_t devicetree)
{
    (void)hart;
    (void)devicetree;
    carry_out_all();
}

void main(void)
{
    walk(0);
    MSIP_OF(1) = 1;
    if (MSIP_OF(1) != 0) { /* there is such a hart */
        await_hart_1();
        begin(WALK);
        end();
    }
    print("PASS registers\n");
}
