/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves the decoding of emulated accesses: every load and store form on the scratch register of
 * the virtual UART, with every register and many offsets, changes what it should and nothing else.
 * It does so with physical addresses, behind large pages, and behind small ones.
 *
 * The UART takes bytes. Wider accesses may fault or give something; they must not change registers
 * other than their target. Compressed forms exist for words and doublewords only.
 */
#include <stddef.h>

#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sv39.h"
#include "rt/trap.h"
#include "rt/uart.h"

#define ROUNDS 20

const char payload_name[] = "mmio-decode";

/* Loads: funct3 in bits 14:12 of opcode 0x03; stores: of opcode 0x23. */
enum width {
    WIDTH_BYTE,
    WIDTH_HALF,
    WIDTH_WORD,
    WIDTH_DOUBLE,
};
#define UNSIGNED_LOAD 4

static struct random source;
static uint64_t instructions;
static uint64_t faults;

static uint32_t encode_load(unsigned funct3, unsigned target, unsigned base, int offset)
{
    return ((uint32_t)offset & 0xfff) << 20 | base << 15 | funct3 << 12 | target << 7 | 0x03;
}

static uint32_t encode_store(unsigned funct3, unsigned value, unsigned base, int offset)
{
    uint32_t bits = (uint32_t)offset & 0xfff;

    return bits >> 5 << 25 | value << 20 | base << 15 | funct3 << 12 | (bits & 31) << 7 | 0x23;
}

/* c.lw, c.ld, c.sw, c.sd with x8 + target and base, offset 0. */
static uint32_t encode_compressed(unsigned funct3, unsigned target, unsigned base)
{
    return funct3 << 13 | (base - 8) << 7 | (target - 8) << 2;
}

/* c.lwsp, c.ldsp (offset 0 from sp) and c.swsp, c.sdsp. */
static uint32_t encode_stack_load(unsigned funct3, unsigned target)
{
    return funct3 << 13 | target << 7 | 2;
}

static uint32_t encode_stack_store(unsigned funct3, unsigned value)
{
    return funct3 << 13 | value << 2 | 2;
}

static void fill(uint64_t registers[32])
{
    for (unsigned i = 0; i < 32; i++) {
        registers[i] = random_next(&source);
    }
    registers[0] = 0;
}

/* Runs it; all registers but `target` (0: none) must be as before. Returns whether it did not
 * fault. */
static bool run(uint32_t instruction, uint64_t registers[32], unsigned target)
{
    uint64_t before[32];
    struct trap_fault fault;
    bool done;

    for (unsigned i = 0; i < 32; i++) {
        before[i] = registers[i];
    }
    instructions++;
    done = trap_try_instruction(instruction, registers, &fault);
    for (unsigned i = 1; i < 32; i++) {
        check((done && i == target) || registers[i] == before[i],
              "instruction 0x%08x: x%u changed from 0x%lx to 0x%lx", instruction, i, before[i],
              registers[i]);
    }
    if (!done) {
        faults++;
        check(fault.pc == trap_instruction_address(), "instruction 0x%08x: sepc 0x%lx", instruction,
              fault.pc);
        check(fault.cause >= CAUSE_LOAD_MISALIGNED && fault.cause <= CAUSE_STORE_ACCESS,
              "instruction 0x%08x: scause %lu", instruction, fault.cause);
    }
    return done;
}

static int random_offset(void)
{
    static const int edges[] = {0, 1, -1, 7, 2047, -2048};

    if (random_below(&source, 2) == 0) {
        return edges[random_below(&source, 6)];
    }
    return (int)random_below(&source, 4096) - 2048;
}

static void test_byte_load(unsigned target, unsigned base, bool is_unsigned, uint64_t scratch)
{
    int offset = random_offset();
    uint8_t value = (uint8_t)random_next(&source);
    uint64_t expected = is_unsigned ? value : (uint64_t)(int64_t)(int8_t)value;
    uint64_t registers[32];
    uint32_t instruction =
        encode_load(WIDTH_BYTE | (is_unsigned ? UNSIGNED_LOAD : 0), target, base, offset);

    fill(registers);
    registers[base] = scratch - (uint64_t)(int64_t)offset;
    *(volatile uint8_t *)scratch = value;
    check(run(instruction, registers, target), "load 0x%08x faulted", instruction);
    check(target == 0 || registers[target] == expected, "load 0x%08x gave 0x%lx, expected 0x%lx",
          instruction, registers[target], expected);
}

static void test_byte_store(unsigned value, unsigned base, uint64_t scratch)
{
    int offset = random_offset();
    uint32_t instruction = encode_store(WIDTH_BYTE, value, base, offset);
    uint64_t registers[32];
    uint8_t expected;
    uint8_t seen;

    fill(registers);
    registers[base] = scratch - (uint64_t)(int64_t)offset;
    expected = (uint8_t)registers[value];
    *(volatile uint8_t *)scratch = (uint8_t)~expected;
    check(run(instruction, registers, 0), "store 0x%08x faulted", instruction);
    seen = *(volatile uint8_t *)scratch;
    check(seen == expected, "store 0x%08x left 0x%x, expected 0x%x", instruction, seen, expected);
}

static void test_bytes(uint64_t scratch)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned reg = 0; reg < 32; reg++) {
            unsigned other = 1 + (unsigned)random_below(&source, 31);

            test_byte_load(reg, other, false, scratch);
            test_byte_load(reg, other, true, scratch);
            test_byte_store(reg, other, scratch);
            if (reg != 0) {
                test_byte_load(reg, reg, round % 2 == 0, scratch);
                test_byte_store(other, reg, scratch);
            }
        }
    }
}

/* An aligned wide load that ends at the scratch register, an unaligned one at it. */
static void test_wide(uint64_t scratch)
{
    uint64_t uart = scratch & ~7ull;

    for (unsigned width = WIDTH_HALF; width <= WIDTH_DOUBLE; width++) {
        for (unsigned reg = 1; reg < 31; reg++) {
            uint64_t registers[32];

            fill(registers);
            registers[31] = uart + 8 - (1ull << width);
            run(encode_load(width, reg, 31, 0), registers, reg);
            registers[31] = scratch;
            run(encode_load(width, reg, 31, 0), registers, reg);
            registers[31] = scratch;
            run(encode_store(width, reg, 31, 0), registers, 0);
            if (width != WIDTH_DOUBLE) {
                registers[31] = uart + 8 - (1ull << width);
                run(encode_load(width | UNSIGNED_LOAD, reg, 31, 0), registers, reg);
            }
        }
    }
}

/* funct3 of the compressed forms: 2 and 6 load and store words, 3 and 7 doublewords. */
static void test_compressed(uint64_t scratch)
{
    uint64_t word = scratch & ~3ull;

    for (unsigned is_double = 0; is_double <= 1; is_double++) {
        for (unsigned reg = 8; reg < 15; reg++) {
            uint64_t registers[32];

            fill(registers);
            registers[15] = is_double ? scratch : word;
            run(encode_compressed(2 + is_double, reg, 15), registers, reg);
            registers[15] = scratch;
            run(encode_compressed(6 + is_double, reg, 15), registers, 0);
            registers[2] = is_double ? scratch : word;
            run(encode_stack_load(2 + is_double, reg), registers, reg);
            registers[2] = scratch;
            run(encode_stack_store(6 + is_double, reg), registers, 0);
        }
    }
}

/* Forms that no device register knows: atomics. */
static void test_atomics(uint64_t scratch)
{
    static const uint32_t forms[] = {
        0x00b5252f, /* amoadd.w a0, a1, (a0) */
        0x08b5252f, /* amoswap.w a0, a1, (a0) */
        0x1005252f, /* lr.w a0, (a0) */
    };

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        uint64_t registers[32];

        fill(registers);
        registers[10] = scratch & ~3ull;
        run(forms[i], registers, 10);
    }
}

static void test_all(const char *how, uint64_t scratch)
{
    test_bytes(scratch);
    test_wide(scratch);
    test_compressed(scratch);
    test_atomics(scratch);
    /* The UART may have taken something from the wide stores: start it again. */
    uart_init();
    test_bytes(scratch);
    print("mmio-decode: %s: instructions=%lu faults=%lu\n", how, instructions, faults);
}

void main(void)
{
    uint64_t scratch;

    check(platform.uart_base != 0 && platform.uart_shift == 0, "no UART with byte registers");
    scratch = platform.uart_base + UART_SCRATCH;
    source = random_from(platform_number("seed", 1));
    uart_init();
    test_all("physical", scratch);
    sv39_enable();
    test_all("identity pages", scratch);
    test_all("4 KiB page", sv39_open_window(SV39_LEAF_4K, scratch));
    test_all("2 MiB page", sv39_open_window(SV39_LEAF_2M, scratch));
    sv39_disable();
    check_pass();
}
