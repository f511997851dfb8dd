/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder of loads and stores beside a table of encodings, in the form of the ISA manual's
 * listings: every 16-bit instruction, and every 32-bit one in the bits that can matter.
 */
#include <string.h>

#include "arch/instruction.h"
#include "cmocka_tests.h"
#include "features/decode/decode.h"
#include "random.h"

/* Where the register's number is. */
enum place { RD, RS2, C_RD, C_RS2, C_RD_SHORT };

struct encoding {
    uint32_t mask;
    uint32_t match;
    bool store;
    bool sign_extend;
    uint8_t size;
    enum place place;
    bool not_zero; /* the encoding with register 0 is reserved */
};

/* RISC-V unprivileged ISA, chapters "RV32/64G Instruction Set Listings" and "C". */
static const struct encoding integer[] = {
    {0x707f, 0x0003, false, true, 1, RD, false},         /* lb */
    {0x707f, 0x1003, false, true, 2, RD, false},         /* lh */
    {0x707f, 0x2003, false, true, 4, RD, false},         /* lw */
    {0x707f, 0x3003, false, true, 8, RD, false},         /* ld */
    {0x707f, 0x4003, false, false, 1, RD, false},        /* lbu */
    {0x707f, 0x5003, false, false, 2, RD, false},        /* lhu */
    {0x707f, 0x6003, false, false, 4, RD, false},        /* lwu */
    {0x707f, 0x0023, true, false, 1, RS2, false},        /* sb */
    {0x707f, 0x1023, true, false, 2, RS2, false},        /* sh */
    {0x707f, 0x2023, true, false, 4, RS2, false},        /* sw */
    {0x707f, 0x3023, true, false, 8, RS2, false},        /* sd */
    {0xe003, 0x4000, false, true, 4, C_RD_SHORT, false}, /* c.lw */
    {0xe003, 0x6000, false, true, 8, C_RD_SHORT, false}, /* c.ld */
    {0xe003, 0xc000, true, false, 4, C_RD_SHORT, false}, /* c.sw */
    {0xe003, 0xe000, true, false, 8, C_RD_SHORT, false}, /* c.sd */
    {0xe003, 0x4002, false, true, 4, C_RD, true},        /* c.lwsp */
    {0xe003, 0x6002, false, true, 8, C_RD, true},        /* c.ldsp */
    {0xe003, 0xc002, true, false, 4, C_RS2, false},      /* c.swsp */
    {0xe003, 0xe002, true, false, 8, C_RS2, false},      /* c.sdsp */
};

static const struct encoding floating[] = {
    {0x707f, 0x2007, false, false, 4, RD, false},         /* flw */
    {0x707f, 0x3007, false, false, 8, RD, false},         /* fld */
    {0x707f, 0x2027, true, false, 4, RS2, false},         /* fsw */
    {0x707f, 0x3027, true, false, 8, RS2, false},         /* fsd */
    {0xe003, 0x2000, false, false, 8, C_RD_SHORT, false}, /* c.fld */
    {0xe003, 0xa000, true, false, 8, C_RD_SHORT, false},  /* c.fsd */
    {0xe003, 0x2002, false, false, 8, C_RD, false},       /* c.fldsp */
    {0xe003, 0xa002, true, false, 8, C_RS2, false},       /* c.fsdsp */
};

static uint8_t register_at(uint32_t instruction, enum place place)
{
    switch (place) {
    case RD:
    case C_RD:
        return (instruction & 0xf80) >> 7;
    case RS2:
        return (instruction & 0x1f00000) >> 20;
    case C_RS2:
        return (instruction & 0x7c) >> 2;
    case C_RD_SHORT:
        return 8 | (instruction & 0x1c) >> 2;
    }
    return 0;
}

static const struct encoding *look_up(const struct encoding *table, size_t count, bool store,
                                      uint32_t instruction)
{
    for (size_t i = 0; i < count; i++) {
        if ((instruction & table[i].mask) == table[i].match && table[i].store == store &&
            !(table[i].not_zero && register_at(instruction, table[i].place) == 0)) {
            return &table[i];
        }
    }
    return NULL;
}

static void compare(uint32_t instruction, const struct encoding *expected, bool found,
                    const struct memory_access *access)
{
    if (found != (expected != NULL)) {
        fail_msg("%08x: %s", instruction, found ? "decoded" : "not decoded");
    }
    if (found &&
        (access->size != expected->size ||
         access->reg != register_at(instruction, expected->place) ||
         access->length != ((instruction & 3) == 3 ? 4 : 2) ||
         (!expected->store && !access->floating && access->sign_extend != expected->sign_extend))) {
        fail_msg("%08x: size=%d register=%d length=%d signed=%d", instruction, access->size,
                 access->reg, access->length, access->sign_extend);
    }
}

static void try_as(uint32_t instruction, bool store)
{
    struct memory_access access;
    bool found = instruction_decode(instruction, store, &access);

    compare(instruction, look_up(integer, sizeof(integer) / sizeof(integer[0]), store, instruction),
            found, &access);
    assert_false(found && access.floating);
    found = instruction_decode_floating(instruction, store, &access);
    compare(instruction,
            look_up(floating, sizeof(floating) / sizeof(floating[0]), store, instruction), found,
            &access);
    assert_false(found && !access.floating);
}

static void try(uint32_t instruction)
{
    try_as(instruction, false);
    try_as(instruction, true);
}

static void test_every_compressed_instruction(void **state)
{
    (void)state;
    for (uint32_t instruction = 0; instruction <= UINT16_MAX; instruction++) {
        if ((instruction & 3) != 3) {
            try(instruction);
        }
    }
}

/* Major opcode, funct3 and both register fields in all combinations, the rest at random. */
static void test_every_wide_instruction(void **state)
{
    struct random random = {.state = 0x696e7374};

    (void)state;
    for (uint32_t i = 0; i < 1u << 18; i++) {
        uint32_t opcode = (i & 0x1f) << 2 | 3;
        uint32_t funct3 = i >> 5 & 7;
        uint32_t rd = i >> 8 & 0x1f;
        uint32_t rs2 = i >> 13 & 0x1f;

        try((random_next(&random) & 0xfe0f8000) | rs2 << 20 | funct3 << 12 | rd << 7 | opcode);
    }
}

static void test_failed_fetch_is_no_instruction(void **state)
{
    (void)state;
    try(UINT32_MAX);
    try(0);
}

static void test_load_results(void **state)
{
    struct memory_access access = {.size = 1, .sign_extend = true};

    (void)state;
    assert_int_equal(instruction_load_result(&access, 0x1234567890abcd80), UINT64_MAX - 0x7f);
    assert_int_equal(instruction_load_result(&access, 0x7f), 0x7f);
    access.sign_extend = false;
    assert_int_equal(instruction_load_result(&access, 0x1234567890abcd80), 0x80);
    access.size = 2;
    assert_int_equal(instruction_load_result(&access, 0x1234567890abcd80), 0xcd80);
    access.sign_extend = true;
    assert_int_equal(instruction_load_result(&access, 0x1234567890abcd80), 0xffffffffffffcd80);
    access.size = 4;
    assert_int_equal(instruction_load_result(&access, 0x1234567890abcd80), 0xffffffff90abcd80);
    access.sign_extend = false;
    assert_int_equal(instruction_load_result(&access, 0x1234567890abcd80), 0x90abcd80);
    access.size = 8;
    assert_int_equal(instruction_load_result(&access, 0x9234567890abcd80), 0x9234567890abcd80);
    access.sign_extend = true;
    assert_int_equal(instruction_load_result(&access, 0x9234567890abcd80), 0x9234567890abcd80);
}

/* rdtime in all its spellings: csrrs, csrrc, csrrsi, csrrci with nothing to set or clear. */
static void test_reading_time(void **state)
{
    (void)state;
    for (uint32_t funct3 = 0; funct3 < 8; funct3++) {
        for (uint32_t rs1 = 0; rs1 < 32; rs1++) {
            for (uint32_t rd = 0; rd < 32; rd++) {
                uint32_t instruction = 0xc0100073 | rs1 << 15 | funct3 << 12 | rd << 7;
                bool reads = rs1 == 0 && (funct3 == 2 || funct3 == 3 || funct3 >= 6);
                uint8_t reg;

                assert_int_equal(instruction_reads_time(instruction, &reg), reads);
                assert_true(!reads || reg == rd);
                assert_false(instruction_reads_time(instruction ^ 0x100000, &reg));  /* cycle */
                assert_false(instruction_reads_time(instruction ^ 0x8000000, &reg)); /* timeh */
                assert_false(instruction_reads_time(instruction ^ 0x4, &reg));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_compressed_instruction),
        cmocka_unit_test(test_every_wide_instruction),
        cmocka_unit_test(test_failed_fetch_is_no_instruction),
        cmocka_unit_test(test_load_results),
        cmocka_unit_test(test_reading_time),
    };

    return cmocka_run_group_tests_name("instruction", tests, NULL, NULL);
}
