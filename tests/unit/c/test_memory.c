/* SPDX-License-Identifier: BSD-2-Clause */
/* The monitor's own memcpy() and memset(), under other names: the C library's stay what they are.
 */
#define memcpy monitor_memcpy
#define memset monitor_memset
#define memcmp monitor_memcmp
#include "../../../monitor/arch/memory.c"
#include "../../../monitor/features/control/zeros.c"
#undef memcpy
#undef memset
#undef memcmp

#include <stdlib.h>
#include <string.h>

#include "cmocka_tests.h"

#define AREA 256
#define LONGEST 100

static uint8_t before(size_t i)
{
    return (uint8_t)(i * 7 + 1);
}

/* The bytes beyond are as they were, and nothing is read outside of the words in use. */
static void check_copy(size_t to, size_t from, size_t size)
{
    size_t words = (from % 8 + size + 7) / 8 * 8;
    uint8_t *source = aligned_alloc(8, words != 0 ? words : 8);
    uint8_t target[AREA] __attribute__((aligned(8)));

    assert_non_null(source);
    for (size_t i = 0; i < words; i++) {
        source[i] = before(i);
    }
    memset(target, 0xee, sizeof(target));
    assert_ptr_equal(monitor_memcpy(target + to, source + from, size), target + to);
    for (size_t i = 0; i < sizeof(target); i++) {
        bool inside = i >= to && i < to + size;

        assert_int_equal(target[i], inside ? before(from + i - to) : 0xee);
    }
    free(source);
}

static void test_copies_of_all_alignments(void **state)
{
    (void)state;
    for (size_t to = 0; to < 8; to++) {
        for (size_t from = 0; from < 8; from++) {
            for (size_t size = 0; size <= LONGEST; size++) {
                check_copy(to, from, size);
            }
        }
    }
}

static void test_clears_of_all_alignments(void **state)
{
    (void)state;
    for (size_t to = 0; to < 8; to++) {
        for (size_t size = 0; size <= LONGEST; size++) {
            uint8_t target[AREA] __attribute__((aligned(8)));

            memset(target, 0xee, sizeof(target));
            monitor_memset(target + to, 0x35, size);
            for (size_t i = 0; i < sizeof(target); i++) {
                assert_int_equal(target[i], i >= to && i < to + size ? 0x35 : 0xee);
            }
        }
    }
}

static void test_zeros_are_counted_in_words(void **state)
{
    _Alignas(8) uint8_t bytes[AREA] = {0};

    (void)state;
    for (size_t size = 0; size <= AREA / 8 * 8; size += 8) {
        assert_int_equal(physical_zeros((uint64_t)bytes, size), size);
        for (size_t place = 0; place < sizeof(bytes); place++) {
            bytes[place] = 0x10;
            assert_int_equal(physical_zeros((uint64_t)bytes, size),
                             place < size ? place / 8 * 8 : size);
            bytes[place] = 0;
        }
    }
}

static void test_comparison(void **state)
{
    (void)state;
    assert_int_equal(monitor_memcmp("abc", "abd", 2), 0);
    assert_true(monitor_memcmp("abc", "abd", 3) < 0);
    assert_true(monitor_memcmp("ab\xff", "abd", 3) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_of_all_alignments),
        cmocka_unit_test(test_clears_of_all_alignments),
        cmocka_unit_test(test_zeros_are_counted_in_words),
        cmocka_unit_test(test_comparison),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
