/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "cmocka_tests.h"
#include "device/plic_map.h"
#include "features/plic/physical.h"
#include "features/plic/vplic.h"
#include "features/plic/vplic_arbiter.h"
#include "plic_words.h"
#include "release_by_parts.h"

#define UART 12    /* the virtual source of these tests */
#define DISK 8     /* physical, owned */
#define NET 40     /* physical, owned, in the second word */
#define FOREIGN 9  /* somebody else's */
#define EMULATED 0 /* vhart indices */
#define PASSED 1
#define EMULATED_CONTEXT 1
#define PASSED_CONTEXT 3

#define PRIORITY(source) (4u * (source))
#define PENDING(word) (0x1000u + 4u * (word))
#define ENABLE(context, word) (0x2000u + 0x80u * (context) + 4u * (word))
#define THRESHOLD(context) (0x200000u + 0x1000u * (context))
#define CLAIM(context) (0x200004u + 0x1000u * (context))

/* What the board's PLIC was asked for, one line each. */
static char calls[4096];
static struct vplic vplic;
static uint32_t physical_claim;
static uint32_t physical_pending[COTENANT_SOURCE_WORDS];

static void note(const char *format, ...)
{
    size_t used = strlen(calls);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(calls + used, sizeof(calls) - used, format, arguments);
    va_end(arguments);
}

void set_physical_priority(struct vplic *v, uint32_t source, uint32_t priority)
{
    assert_ptr_equal(v, &vplic);
    note("priority %u=%u\n", source, priority);
}

uint32_t read_physical_pending(struct vplic *v, uint32_t word)
{
    assert_ptr_equal(v, &vplic);
    return physical_pending[word];
}

void enable_physical(struct vplic *v, uint32_t word, uint32_t sources)
{
    assert_ptr_equal(v, &vplic);
    note("enable %u=%x\n", word, sources);
}

void complete_physical(struct vplic *v, uint32_t source)
{
    assert_ptr_equal(v, &vplic);
    note("complete %u\n", source);
}

void write_physical_enable_word(struct vplic *v, uint32_t vhart, uint32_t word, uint32_t value)
{
    assert_ptr_equal(v, &vplic);
    note("word %u:%u=%x\n", vhart, word, value);
}

uint32_t claim_physical(struct vplic *v, uint32_t vhart)
{
    assert_ptr_equal(v, &vplic);
    note("claim %u\n", vhart);
    return physical_claim;
}

void complete_physical_direct(struct vplic *v, uint32_t vhart, uint32_t source)
{
    assert_ptr_equal(v, &vplic);
    note("direct %u:%u\n", vhart, source);
}

static int setup(void **state)
{
    uint32_t sources[COTENANT_SOURCE_WORDS] = {0};

    (void)state;
    sources[DISK / 32] |= 1u << DISK % 32;
    sources[NET / 32] |= 1u << NET % 32;
    sources[0] |= 1; /* to be ignored */
    memset(&vplic, 0xa5, sizeof(vplic));
    memset(physical_pending, 0, sizeof(physical_pending));
    physical_claim = 0;
    calls[0] = '\0';
    vplic_init(&vplic, 5, sources);
    assert_true(vplic_add_virtual(&vplic, UART));
    assert_int_equal(vplic_add_vhart(&vplic, EMULATED_CONTEXT, false), EMULATED);
    assert_int_equal(vplic_add_vhart(&vplic, PASSED_CONTEXT, true), PASSED);
    assert_int_equal(vplic.tenant, 5);
    return 0;
}

/* The tenant has one vhart, whose context is passed through. */
static int setup_alone(void **state)
{
    static const uint32_t none[COTENANT_SOURCE_WORDS];

    (void)state;
    calls[0] = '\0';
    vplic_init(&vplic, 5, none);
    assert_true(vplic_add_virtual(&vplic, UART));
    assert_int_equal(vplic_add_vhart(&vplic, PASSED_CONTEXT, true), 0);
    return 0;
}

static void assert_calls(const char *expected)
{
    assert_string_equal(calls, expected);
    calls[0] = '\0';
}

/* SEIP of a vhart, and whether its claim register is to trap. */
static bool output(uint32_t vhart)
{
    return vplic_output(&vplic, &vplic.vharts[vhart]);
}

static bool claim_trapped(uint32_t vhart)
{
    return vplic_claim_trapped(&vplic.vharts[vhart], output(vhart));
}

static uint32_t rd(uint64_t offset)
{
    uint32_t value = 0xdeadbeef;

    assert_true(vplic_access(&vplic, offset, 4, false, &value));
    return value;
}

static void wr(uint64_t offset, uint32_t value)
{
    assert_true(vplic_access(&vplic, offset, 4, true, &value));
}

/* All steps that are about the sources of a word. */
static void reset_word(uint32_t word)
{
    uint32_t step = word * VPLIC_RESET_PARTS;

    do {
        step = vplic_reset_step(&vplic, step);
    } while (step != 0 && step < (word + 1) * VPLIC_RESET_PARTS);
}

/* Priority 1 and enabled, as a driver leaves a source. */
static void prepare(uint32_t context, uint32_t source)
{
    wr(PRIORITY(source), 1);
    wr(ENABLE(context, source / 32), rd(ENABLE(context, source / 32)) | 1u << source % 32);
    calls[0] = '\0';
}

static void test_what_can_be_added(void **state)
{
    (void)state;
    assert_false(vplic_add_virtual(&vplic, 0));
    assert_false(vplic_add_virtual(&vplic, DISK));
    assert_false(vplic_add_virtual(&vplic, COTENANT_MAX_SOURCES));
    assert_true(vplic_add_virtual(&vplic, COTENANT_MAX_SOURCES - 1));
    for (int i = 2; i < VPLIC_MAX_VHARTS; i++) {
        assert_int_equal(vplic_add_vhart(&vplic, 100, false), i);
    }
    assert_int_equal(vplic_add_vhart(&vplic, 100, false), -1);
}

static void test_accesses_a_plic_does_not_take(void **state)
{
    static const uint32_t sizes[] = {0, 1, 2, 8, UINT32_MAX};
    uint32_t value = 1;

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_false(vplic_access(&vplic, PRIORITY(UART), sizes[i], false, &value));
        assert_false(vplic_access(&vplic, PRIORITY(UART), sizes[i], true, &value));
    }
    for (uint64_t offset = 1; offset < 4; offset++) {
        assert_false(vplic_access(&vplic, PRIORITY(UART) + offset, 4, false, &value));
        assert_false(vplic_access(&vplic, PRIORITY(UART) + offset, 4, true, &value));
    }
    assert_false(vplic_access(&vplic, PLIC_SIZE, 4, false, &value));
    assert_false(vplic_access(&vplic, UINT64_MAX - 3, 4, true, &value));
    assert_int_equal(value, 1);
    assert_int_equal(rd(PRIORITY(UART)), 0);
    assert_calls("");
}

static void test_reserved_registers(void **state)
{
    static const uint64_t offsets[] = {
        0x0,      0x400,    0xffc,    0x1020,   0x107c,   0x1080,
        0x1ffc,   0x20a0, /* word 8 of a context that is there */
        0x20fc,   0x2000, /* a context that is not */
        0x1ffffc, 0x200000, 0x200004, 0x201008, 0x201ffc, 0x3fffffc,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        wr(offsets[i], 0xffffffff);
        assert_int_equal(rd(offsets[i]), 0);
    }
    assert_calls("");
}

static void test_foreign_sources_do_not_exist(void **state)
{
    (void)state;
    wr(PRIORITY(FOREIGN), 7);
    assert_int_equal(rd(PRIORITY(FOREIGN)), 0);
    assert_calls("");
    wr(ENABLE(EMULATED_CONTEXT, 0), 0xffffffff);
    assert_int_equal(rd(ENABLE(EMULATED_CONTEXT, 0)), 1u << UART | 1u << DISK);
    assert_calls("enable 0=100\n");
    wr(ENABLE(PASSED_CONTEXT, 0), 0xffffffff);
    assert_int_equal(rd(ENABLE(PASSED_CONTEXT, 0)), 1u << UART | 1u << DISK);
    assert_calls("word 1:0=1100\n");
    physical_pending[0] = 0xffffffff;
    assert_int_equal(rd(PENDING(0)), 1u << DISK);
    assert_false(vplic_raise(&vplic, FOREIGN));
    assert_false(vplic_raise(&vplic, UART));
    assert_false(vplic_raise(&vplic, 0));
    assert_false(vplic_raise(&vplic, COTENANT_MAX_SOURCES));
    assert_false(vplic_raise(&vplic, UINT32_MAX));
    assert_false(vplic_set_level(&vplic, FOREIGN, true));
    assert_false(vplic_set_level(&vplic, DISK, true));
    assert_false(vplic_set_level(&vplic, UINT32_MAX, true));
    assert_false(output(EMULATED));
    wr(CLAIM(EMULATED_CONTEXT), FOREIGN);
    wr(CLAIM(EMULATED_CONTEXT), UINT32_MAX);
    wr(CLAIM(PASSED_CONTEXT), FOREIGN);
    wr(CLAIM(PASSED_CONTEXT), UINT32_MAX);
    assert_calls("");
}

static void test_priorities_are_three_bits(void **state)
{
    (void)state;
    for (uint32_t priority = 0; priority < 8; priority++) {
        wr(PRIORITY(UART), 0xfffffff8 | priority);
        assert_int_equal(rd(PRIORITY(UART)), priority);
        assert_calls(""); /* a virtual source keeps physical priority 0 */
    }
    wr(PRIORITY(NET), 5);
    assert_int_equal(rd(PRIORITY(NET)), 5);
    assert_calls("priority 40=5\n");
}

static void test_virtual_source_life(void **state)
{
    (void)state;
    prepare(EMULATED_CONTEXT, UART);
    vplic_set_level(&vplic, UART, true);
    assert_true(output(EMULATED));
    assert_int_equal(rd(PENDING(0)), 1u << UART);
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), UART);
    assert_int_equal(rd(PENDING(0)), 0);
    assert_false(output(EMULATED));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), 0);
    assert_false(vplic_set_level(&vplic, UART, false));
    assert_false(vplic_set_level(&vplic, UART, true)); /* in service: nothing new */
    assert_false(output(EMULATED));
    wr(CLAIM(EMULATED_CONTEXT), UART); /* the level is still high */
    assert_true(output(EMULATED));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), UART);
    vplic_set_level(&vplic, UART, false);
    wr(CLAIM(EMULATED_CONTEXT), UART);
    assert_false(output(EMULATED));
    assert_calls("");
}

static void test_service_ends_with_the_level_of_a_lone_context(void **state)
{
    (void)state;
    prepare(PASSED_CONTEXT, UART);
    assert_true(vplic_set_level(&vplic, UART, true));
    assert_true(claim_trapped(0));
    assert_int_equal(rd(CLAIM(PASSED_CONTEXT)), UART);
    assert_true(claim_trapped(0));
    assert_false(output(0));
    assert_true(vplic_set_level(&vplic, UART, false));
    assert_false(claim_trapped(0));
    /* The handler still runs: the next request waits for it as the hart's own interrupts do. */
    assert_true(vplic_set_level(&vplic, UART, true));
    assert_true(output(0));
    wr(CLAIM(PASSED_CONTEXT), UART); /* trapped again: of the service before */
    assert_true(output(0));
    assert_int_equal(rd(CLAIM(PASSED_CONTEXT)), UART);
    wr(CLAIM(PASSED_CONTEXT), UART); /* the level is still high */
    assert_true(output(0));
    assert_calls("");
}

static void test_request_is_withdrawn_with_its_level(void **state)
{
    (void)state;
    prepare(EMULATED_CONTEXT, UART);
    assert_true(vplic_set_level(&vplic, UART, true));
    assert_true(vplic_set_level(&vplic, UART, false));
    assert_false(output(EMULATED));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), 0);
}

static void test_raised_source_life(void **state)
{
    (void)state;
    wr(PRIORITY(NET), 1);
    wr(ENABLE(EMULATED_CONTEXT, 1), 1u << NET % 32);
    assert_calls("priority 40=1\nenable 1=100\n");
    assert_true(vplic_raise(&vplic, NET));
    assert_true(output(EMULATED));
    assert_false(output(PASSED));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), NET);
    assert_false(output(EMULATED));
    assert_calls("");
    wr(CLAIM(EMULATED_CONTEXT), NET);
    assert_calls("complete 40\n");
    wr(CLAIM(EMULATED_CONTEXT), NET); /* nothing to complete */
    assert_calls("");
    assert_true(vplic_raise(&vplic, NET));
    wr(ENABLE(EMULATED_CONTEXT, 1), 0);
    assert_calls("enable 1=0\n");
    assert_false(output(EMULATED)); /* it waits for the tenant to enable it */
    wr(ENABLE(EMULATED_CONTEXT, 1), 1u << NET % 32);
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), NET);
}

/* Somebody else has completed it in the PLIC: nothing is lost, and nothing comes a second time. */
static void test_source_that_comes_while_it_is_raised(void **state)
{
    (void)state;
    prepare(EMULATED_CONTEXT, NET);
    assert_true(vplic_raise(&vplic, NET));
    assert_true(vplic_raise(&vplic, NET)); /* pending: the same request */
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), NET);
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), 0);
    assert_true(vplic_raise(&vplic, NET)); /* in service: the next one */
    assert_true(vplic_raise(&vplic, NET));
    assert_false(output(EMULATED));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), 0);
    wr(CLAIM(EMULATED_CONTEXT), NET);
    assert_calls(""); /* it stays claimed */
    assert_true(output(EMULATED));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), NET);
    wr(CLAIM(EMULATED_CONTEXT), NET);
    assert_calls("complete 40\n");
    assert_false(output(EMULATED));

    assert_true(vplic_raise(&vplic, NET));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), NET);
    assert_true(vplic_raise(&vplic, NET));
    reset_word(1);
    prepare(EMULATED_CONTEXT, NET);
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), 0); /* of the life before */
}

/* It comes through one machine context, whichever vharts have it enabled. */
static void test_source_that_several_vharts_enable(void **state)
{
    assert_int_equal(vplic_add_vhart(&vplic, 7, false), 2);
    (void)state;
    wr(ENABLE(EMULATED_CONTEXT, 1), 1u << NET % 32);
    assert_calls("enable 1=100\n");
    wr(ENABLE(7, 1), UINT32_MAX);
    assert_calls("");
    wr(ENABLE(EMULATED_CONTEXT, 1), 0);
    assert_calls("");
    wr(ENABLE(7, 1), 0);
    assert_calls("enable 1=0\n");
}

/* PLIC specification, interrupt completion: ignored while the source is not enabled. */
static void test_completion_of_a_disabled_source_is_ignored(void **state)
{
    (void)state;
    prepare(EMULATED_CONTEXT, NET);
    vplic_raise(&vplic, NET);
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), NET);
    wr(ENABLE(EMULATED_CONTEXT, 1), 0);
    wr(CLAIM(EMULATED_CONTEXT), NET);
    assert_calls("enable 1=0\n");
    wr(ENABLE(EMULATED_CONTEXT, 1), 1u << NET % 32);
    wr(CLAIM(EMULATED_CONTEXT), NET);
    assert_calls("enable 1=100\ncomplete 40\n");
}

static void test_a_claim_belongs_to_its_context(void **state)
{
    assert_int_equal(vplic_add_vhart(&vplic, 7, false), 2);
    (void)state;
    prepare(EMULATED_CONTEXT, UART);
    prepare(7, UART);
    vplic_set_level(&vplic, UART, true);
    assert_true(output(EMULATED));
    assert_true(output(2));
    assert_int_equal(rd(CLAIM(7)), UART);
    assert_false(output(EMULATED));
    wr(CLAIM(EMULATED_CONTEXT), UART);
    assert_false(output(EMULATED));
    wr(CLAIM(7), UART);
    assert_true(output(EMULATED));
}

static void test_order_of_claims(void **state)
{
    static const uint32_t expected[] = {200, 3, 77, 254, 1, 64};

    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(vplic_add_virtual(&vplic, expected[i]));
        prepare(EMULATED_CONTEXT, expected[i]);
        vplic_set_level(&vplic, expected[i], true);
    }
    wr(PRIORITY(200), 7);
    wr(PRIORITY(3), 6);
    wr(PRIORITY(77), 6);
    wr(PRIORITY(254), 6);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), expected[i]);
    }
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), 0);
}

static void test_threshold(void **state)
{
    (void)state;
    prepare(EMULATED_CONTEXT, UART);
    vplic_set_level(&vplic, UART, true);
    for (uint32_t priority = 0; priority < 8; priority++) {
        for (uint32_t threshold = 0; threshold < 8; threshold++) {
            wr(PRIORITY(UART), priority);
            wr(THRESHOLD(EMULATED_CONTEXT), threshold);
            assert_int_equal(rd(THRESHOLD(EMULATED_CONTEXT)), threshold);
            assert_int_equal(output(EMULATED), priority > threshold);
        }
    }
    assert_calls("");
    wr(THRESHOLD(PASSED_CONTEXT), 0xffffffff);
    assert_int_equal(rd(THRESHOLD(PASSED_CONTEXT)), 7);
    assert_calls("");
}

static void test_passed_vhart_without_virtual_interrupts(void **state)
{
    (void)state;
    prepare(PASSED_CONTEXT, DISK);
    prepare(PASSED_CONTEXT, UART);
    assert_false(claim_trapped(PASSED));
}

static void test_passed_vhart_takes_a_virtual_interrupt(void **state)
{
    (void)state;
    prepare(PASSED_CONTEXT, DISK);
    prepare(PASSED_CONTEXT, UART);
    vplic_set_level(&vplic, UART, true);
    assert_true(output(PASSED));
    assert_true(claim_trapped(PASSED));
    assert_int_equal(rd(CLAIM(PASSED_CONTEXT)), UART);
    assert_false(output(PASSED));
    assert_true(claim_trapped(PASSED)); /* its completion must come here */
    physical_claim = DISK;
    assert_int_equal(rd(CLAIM(PASSED_CONTEXT)), DISK);
    assert_calls("claim 1\n");
    wr(CLAIM(PASSED_CONTEXT), DISK);
    assert_calls("direct 1:8\n");
    assert_true(claim_trapped(PASSED));
    wr(CLAIM(PASSED_CONTEXT), UART); /* the level is high: again */
    assert_true(output(PASSED));
    assert_int_equal(rd(CLAIM(PASSED_CONTEXT)), UART);
    vplic_set_level(&vplic, UART, false);
    assert_true(claim_trapped(PASSED));
    wr(CLAIM(PASSED_CONTEXT), UART);
    assert_false(claim_trapped(PASSED));
    assert_calls("");
}

static void test_passed_vhart_masks_a_virtual_interrupt(void **state)
{
    (void)state;
    prepare(PASSED_CONTEXT, UART);
    vplic_set_level(&vplic, UART, true);
    wr(THRESHOLD(PASSED_CONTEXT), 1);
    assert_false(claim_trapped(PASSED));
    wr(THRESHOLD(PASSED_CONTEXT), 0);
    assert_true(claim_trapped(PASSED));
    wr(ENABLE(PASSED_CONTEXT, 0), 0);
    assert_false(claim_trapped(PASSED));
}

static void test_raised_source_is_not_for_a_passed_vhart(void **state)
{
    (void)state;
    prepare(PASSED_CONTEXT, DISK);
    assert_true(vplic_raise(&vplic, DISK));
    assert_false(output(PASSED));
    assert_int_equal(rd(CLAIM(PASSED_CONTEXT)), 0);
    assert_calls("claim 1\n");
}

static void test_raise_needs_an_emulated_vhart(void **state)
{
    uint32_t sources[COTENANT_SOURCE_WORDS] = {1u << DISK};

    (void)state;
    vplic_init(&vplic, 0, sources);
    assert_false(vplic_raise(&vplic, DISK));
    vplic_add_vhart(&vplic, PASSED_CONTEXT, true);
    assert_false(vplic_raise(&vplic, DISK));
}

static void test_reset_gives_everything_back(void **state)
{
    (void)state;
    prepare(EMULATED_CONTEXT, DISK);
    prepare(EMULATED_CONTEXT, NET);
    prepare(EMULATED_CONTEXT, UART);
    prepare(PASSED_CONTEXT, UART);
    wr(THRESHOLD(PASSED_CONTEXT), 3);
    wr(THRESHOLD(EMULATED_CONTEXT), 0);
    vplic_raise(&vplic, DISK);
    vplic_raise(&vplic, NET);
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), DISK); /* in service, NET pending */
    wr(ENABLE(EMULATED_CONTEXT, 1), 0);                  /* and disabled */
    vplic_set_level(&vplic, UART, true);
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), UART);
    calls[0] = '\0';

    reset_word(0);
    assert_calls("priority 8=0\n"
                 "word 1:0=100\n"
                 "direct 1:8\n"
                 "word 1:0=0\n"
                 "enable 0=100\n"
                 "complete 8\n"
                 "enable 0=0\n");
    reset_word(1);
    assert_calls("priority 40=0\n"
                 "word 1:1=100\n"
                 "direct 1:40\n"
                 "word 1:1=0\n"
                 "enable 1=100\n"
                 "complete 40\n"
                 "enable 1=0\n");
    for (uint32_t word = 2; word < COTENANT_SOURCE_WORDS; word++) {
        reset_word(word);
    }
    for (uint32_t vhart = 0; vhart < 2; vhart++) {
        assert_false(output(vhart));
        assert_int_equal(vplic.vharts[vhart].claimed_count, 0);
    }
    assert_false(claim_trapped(PASSED));
    assert_int_equal(rd(PRIORITY(UART)), 0);
    assert_int_equal(rd(ENABLE(EMULATED_CONTEXT, 0)), 0);
    assert_int_equal(rd(THRESHOLD(PASSED_CONTEXT)), 0);
    prepare(EMULATED_CONTEXT, UART); /* its device still asks */
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), UART);
}

static void test_lines_are_lowered_after_a_reset(void **state)
{
    (void)state;
    vplic_set_level(&vplic, UART, true);
    for (uint32_t word = 0; word < COTENANT_SOURCE_WORDS; word++) {
        reset_word(word);
    }
    vplic_lower_lines(&vplic);
    prepare(EMULATED_CONTEXT, UART);
    assert_false(output(EMULATED));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), 0);
    vplic_set_level(&vplic, UART, true); /* the device of the next one */
    assert_true(output(EMULATED));
    assert_int_equal(rd(CLAIM(EMULATED_CONTEXT)), UART);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_what_can_be_added, setup),
        cmocka_unit_test_setup(test_accesses_a_plic_does_not_take, setup),
        cmocka_unit_test_setup(test_reserved_registers, setup),
        cmocka_unit_test_setup(test_foreign_sources_do_not_exist, setup),
        cmocka_unit_test_setup(test_priorities_are_three_bits, setup),
        cmocka_unit_test_setup(test_virtual_source_life, setup),
        cmocka_unit_test_setup(test_service_ends_with_the_level_of_a_lone_context, setup_alone),
        cmocka_unit_test_setup(test_request_is_withdrawn_with_its_level, setup),
        cmocka_unit_test_setup(test_raised_source_life, setup),
        cmocka_unit_test_setup(test_source_that_comes_while_it_is_raised, setup),
        cmocka_unit_test_setup(test_source_that_several_vharts_enable, setup),
        cmocka_unit_test_setup(test_completion_of_a_disabled_source_is_ignored, setup),
        cmocka_unit_test_setup(test_a_claim_belongs_to_its_context, setup),
        cmocka_unit_test_setup(test_order_of_claims, setup),
        cmocka_unit_test_setup(test_threshold, setup),
        cmocka_unit_test_setup(test_passed_vhart_without_virtual_interrupts, setup),
        cmocka_unit_test_setup(test_passed_vhart_takes_a_virtual_interrupt, setup),
        cmocka_unit_test_setup(test_passed_vhart_masks_a_virtual_interrupt, setup),
        cmocka_unit_test_setup(test_raised_source_is_not_for_a_passed_vhart, setup),
        cmocka_unit_test_setup(test_raise_needs_an_emulated_vhart, setup),
        cmocka_unit_test_setup(test_reset_gives_everything_back, setup),
        cmocka_unit_test_setup(test_lines_are_lowered_after_a_reset, setup),
    };

    return cmocka_run_group_tests_name("vplic", tests, NULL, NULL);
}
