/* SPDX-License-Identifier: BSD-2-Clause */
/* The next boot stage, handed over as OpenSBI's fw_dynamic firmware takes it. */
#include <stdlib.h>
#include <string.h>

#include "arch/memory.h"
#include "bundle_maker.h"
#include "cmocka_tests.h"
#include "features/next_stage/next_stage.h"

#define SIZE 0x2000
#define LOADED_AT 0x84000000ul
#define LOADED_SIZE 0x100000ul
#define NEXT 0x80200000ul

static struct bundle bundle;
static struct fw_dynamic_info info;

/* In the place of arch/memory.c: a physical address is the address of the byte. */

void physical_copy(uint64_t destination, const void *source, size_t size)
{
    memcpy((void *)(uintptr_t)destination, source, size);
}

void physical_clear(uint64_t destination, size_t size)
{
    memset((void *)(uintptr_t)destination, 0, size);
}

static int fresh(void **state)
{
    (void)state;
    bundle_make(&bundle);
    bundle.next_stage = (struct bundle_next_stage){0x6000, SIZE};
    info = (struct fw_dynamic_info){
        .magic = FW_DYNAMIC_MAGIC, .version = 2, .next_addr = NEXT, .next_mode = FW_DYNAMIC_S_MODE};
    return 0;
}

static struct handover handing_over(const struct fw_dynamic_info *handed)
{
    return (struct handover){(uintptr_t)handed, 0, LOADED_AT, LOADED_SIZE};
}

static const char *problem_of(const struct fw_dynamic_info *handed)
{
    const struct handover handover = handing_over(handed);

    return next_stage_check(&handover, &bundle).problem;
}

static void expect_refusal(const char *words)
{
    const char *problem = problem_of(&info);

    assert_non_null(problem);
    assert_non_null(strstr(problem, words));
}

static void test_good(void **state)
{
    (void)state;
    assert_null(problem_of(&info));
    info.version = 1;
    info.boot_hart = 99; /* belongs to version 2 */
    assert_null(problem_of(&info));
}

static void test_not_wanted(void **state)
{
    const struct handover nothing = handing_over(NULL);

    (void)state;
    bundle.next_stage.size = 0;
    assert_null(problem_of(NULL));
    /* An address that nobody may look at. */
    assert_null(problem_of((const struct fw_dynamic_info *)8));
    next_stage_fetch(&nothing, &bundle);
    next_stage_clear(&nothing, &bundle);
}

static void test_nothing_handed_over(void **state)
{
    (void)state;
    assert_non_null(problem_of(NULL));
    assert_non_null(problem_of((const struct fw_dynamic_info *)((uintptr_t)&info + 4)));
    info.magic++;
    expect_refusal("fw_dynamic");
}

static void test_wrong_form(void **state)
{
    (void)state;
    info.version = 0;
    expect_refusal("version");
    info.version = FW_DYNAMIC_VERSION_MOST + 1;
    expect_refusal("version");
    info.version = 2;
    info.next_mode = 3;
    expect_refusal("S-mode");
}

static void test_wrong_place(void **state)
{
    static const struct {
        uint64_t address;
        const char *words;
    } places[] = {
        {NEXT + 4, "misaligned"},
        {0, "outside"},
        {0x7ffff000, "outside"},
        {0x90000000 - SIZE + 8, "outside"},
        {UINT64_MAX - 7, "outside"},
        {LOADED_AT - SIZE + 8, "bundle was loaded"},
        {LOADED_AT + LOADED_SIZE - 8, "bundle was loaded"},
        {0x8f000000 - 8, "monitor's place"},
        {0x90000000 - SIZE, "monitor's place"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        info.next_addr = places[i].address;
        expect_refusal(places[i].words);
    }
    info.next_addr = LOADED_AT - SIZE;
    assert_null(problem_of(&info));
    info.next_addr = 0x8f000000 - SIZE;
    assert_null(problem_of(&info));
}

static void test_fetch(void **state)
{
    const uint64_t offset = (sizeof(struct bundle) + 4095) / 4096 * 4096;
    uint8_t *copy = calloc(1, offset + SIZE + 8);
    const struct handover handover = handing_over(&info);
    uint8_t stage[SIZE + 8];

    (void)state;
    for (size_t i = 0; i < sizeof(stage); i++) {
        stage[i] = (uint8_t)(i * 7 + 1);
    }
    ((struct bundle *)copy)->next_stage = (struct bundle_next_stage){offset, SIZE};
    info.next_addr = (uint64_t)(uintptr_t)stage;
    next_stage_fetch(&handover, (struct bundle *)copy);
    for (size_t i = 0; i < SIZE; i++) {
        assert_int_equal(copy[offset + i], (uint8_t)(i * 7 + 1));
        assert_int_equal(stage[i], (uint8_t)(i * 7 + 1));
    }
    next_stage_clear(&handover, (struct bundle *)copy);
    for (size_t i = 0; i < SIZE; i++) {
        assert_int_equal(stage[i], 0);
    }
    assert_int_equal(copy[offset + SIZE], 0);
    assert_int_equal(stage[SIZE], (uint8_t)(SIZE * 7 + 1));
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_good, fresh),
        cmocka_unit_test_setup(test_not_wanted, fresh),
        cmocka_unit_test_setup(test_nothing_handed_over, fresh),
        cmocka_unit_test_setup(test_wrong_form, fresh),
        cmocka_unit_test_setup(test_wrong_place, fresh),
        cmocka_unit_test_setup(test_fetch, fresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
