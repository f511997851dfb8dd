/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that S-mode is all a tenant has: every machine-level and hypervisor register and
 * instruction gives an illegal-instruction exception with the right scause, stval and sepc; what a
 * tenant may do works, also in quantities.
 *
 * Arguments: rounds=N   how often (default 1)
 *            h=1        the hart has the H extension, which hostile-virtual.c attacks
 */
#include <stddef.h>

#include "hostile/forbidden.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sbi.h"
#include "rt/trap.h"

/* SYSTEM instructions (unprivileged ISA, chapter 9), with rd = a0 and rs1 = a1. */
#define CSRRW 0x00059573
#define CSRRS 0x0005a573
#define CSRRC 0x0005b573
/* csrrs a0, csr, x0: reads without writing. */
#define CSRR 0x00002573
#define CSR_SHIFT 20

/* CSR numbers (privileged architecture, section 2.1): bits 9:8 privilege, 11:10 = 3 read only. */
#define LEVEL(csr) ((csr) >> 8 & 3)
#define LEVEL_HYPERVISOR 2
/* hfence.vvma and hfence.gvma; hlv and hsv. */
#define IS_HFENCE(instruction) (((instruction)&0xbe007fff) == 0x22000073)
#define IS_GUEST_ACCESS(instruction) (((instruction)&0x0000707f) == 0x00004073)
#define IS_READ_ONLY(csr) ((csr) >> 10 == 3)

const char payload_name[] = "hostile-csr";

/* Floating point with sstatus.FS off. */
static const uint32_t forbidden_floats[] = {
    0x00007053, /* fadd.s */
    0x00053507, /* fld fa0, 0(a0) */
};

static bool has_hypervisor;
static uint64_t traps;

static void expect_illegal(uint32_t instruction, uint64_t a1)
{
    uint64_t registers[32] = {[11] = a1};
    struct trap_fault fault;
    bool done = trap_try_instruction(instruction, registers, &fault);

    traps++;
    check(!done, "instruction 0x%08x with a1=0x%lx was let through", instruction, a1);
    check(fault.cause == CAUSE_ILLEGAL_INSTRUCTION, "instruction 0x%08x: scause %lu", instruction,
          fault.cause);
    check(fault.pc == trap_instruction_address(), "instruction 0x%08x: sepc 0x%lx", instruction,
          fault.pc);
    /* stval is the instruction or zero (section 4.1.9). */
    check(fault.value == instruction || fault.value == 0, "instruction 0x%08x: stval 0x%lx",
          instruction, fault.value);
    check((fault.status & (SSTATUS_SPP | SSTATUS_SIE)) == SSTATUS_SPP,
          "instruction 0x%08x: sstatus 0x%lx", instruction, fault.status);
}

/* Reads of what is not forbidden may work or not; they must not do harm. */
static void read_allowed(uint32_t csr)
{
    uint64_t registers[32] = {0};
    struct trap_fault fault;

    if (!trap_try_instruction(csr << CSR_SHIFT | CSRR, registers, &fault)) {
        check(fault.cause == CAUSE_ILLEGAL_INSTRUCTION, "CSR 0x%x: scause %lu", csr, fault.cause);
        traps++;
    }
}

static void test_all_registers(void)
{
    for (uint32_t csr = 0; csr < 4096; csr++) {
        if (LEVEL(csr) == LEVEL_HYPERVISOR && has_hypervisor) {
            continue;
        }
        if (LEVEL(csr) >= LEVEL_HYPERVISOR) {
            expect_illegal(csr << CSR_SHIFT | CSRR, 0);
            expect_illegal(csr << CSR_SHIFT | CSRRW, UINT64_MAX);
            expect_illegal(csr << CSR_SHIFT | CSRRS, UINT64_MAX);
            expect_illegal(csr << CSR_SHIFT | CSRRC, UINT64_MAX);
        } else if (IS_READ_ONLY(csr)) {
            read_allowed(csr);
            expect_illegal(csr << CSR_SHIFT | CSRRW, 0);
        } else {
            read_allowed(csr);
        }
    }
}

static void test_supervisor_registers(void)
{
    uint64_t vector = csr_read(stvec);

    csr_set(sie, UINT64_MAX);
    check((csr_read(sie) & ~0x2222ull) == 0, "sie takes 0x%lx", csr_read(sie));
    csr_write(sie, 0);
    csr_set(sip, UINT64_MAX);
    check((csr_read(sip) & (INTERRUPT_TIMER | INTERRUPT_EXTERNAL)) == 0, "sip takes 0x%lx",
          csr_read(sip));
    csr_clear(sip, UINT64_MAX);
    /* A reserved translation mode: the write has no effect (section 4.1.11). */
    csr_write(satp, 0x3ull << 60 | 0x1234);
    check(csr_read(satp) == 0, "satp takes the reserved mode: 0x%lx", csr_read(satp));
    check(csr_read(stvec) == vector, "stvec changed by itself");
}

/* Sees that WFI comes back for a pending interrupt, enabled by sstatus or not. */
static void test_wait(void)
{
    for (unsigned i = 0; i < 100; i++) {
        clock_sleep(500);
    }
    sbi_set_timer(0);
    csr_write(sie, INTERRUPT_TIMER);
    for (unsigned i = 0; i < 10000; i++) {
        wait_for_interrupt();
    }
    csr_write(sie, 0);
    sbi_set_timer(UINT64_MAX);
}

static void test_fences(void)
{
    struct random random = random_from(1);

    for (unsigned i = 0; i < 100000; i++) {
        uint64_t address = random_next(&random);
        uint64_t space = random_next(&random);

        __asm__ volatile("sfence.vma %0, %1" : : "r"(address), "r"(space) : "memory");
        if (i % 16 == 0) {
            __asm__ volatile("sfence.vma\n fence.i" : : : "memory");
        }
    }
}

static void test_forbidden(const uint32_t *instructions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_hypervisor && (IS_HFENCE(instructions[i]) || IS_GUEST_ACCESS(instructions[i]))) {
            continue;
        }
        expect_illegal(instructions[i], 0);
        expect_illegal(instructions[i], UINT64_MAX);
    }
}

static void test_all(void)
{
    test_forbidden(forbidden_instructions, FORBIDDEN_INSTRUCTIONS);
    test_forbidden(forbidden_floats, sizeof(forbidden_floats) / sizeof(forbidden_floats[0]));
    test_all_registers();
    test_supervisor_registers();
    test_wait();
    test_fences();
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 1);

    has_hypervisor = platform_number("h", 0) != 0;
    interrupts_disable();
    csr_clear(sstatus, SSTATUS_FS);
    for (uint64_t round = 0; round < rounds; round++) {
        test_all();
    }
    print("hostile-csr: illegal-instructions=%lu\n", traps);
    check_pass();
}
