/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_tests.h"
#include "irq/source_set.h"
#include "random.h"

static void test_members(void **state)
{
    uint32_t set[8] = {0};

    (void)state;
    for (uint32_t source = 0; source < 256; source++) {
        assert_false(source_set_has(set, source));
        source_set_assign(set, source, true);
        assert_true(source_set_has(set, source));
        assert_int_equal(set[source / 32], 1u << source % 32);
        source_set_assign(set, source, false);
        assert_int_equal(set[source / 32], 0);
    }
}

static void test_bits(void **state)
{
    struct random random = {.state = 1};

    (void)state;
    for (uint32_t bit = 0; bit < 32; bit++) {
        assert_int_equal(lowest_bit(1u << bit), bit);
        assert_int_equal(lowest_bit(UINT32_MAX << bit), bit);
    }
    for (int i = 0; i < 100000; i++) {
        uint32_t bits = (random_next(&random) & random_next(&random)) | 1u << 31;

        assert_int_equal(lowest_bit(bits), __builtin_ctz(bits));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_bits),
    };

    return cmocka_run_group_tests_name("source_set", tests, NULL, NULL);
}
