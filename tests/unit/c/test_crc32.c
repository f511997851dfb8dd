/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cmocka_tests.h"
#include "core/crc32.h"

static void test_known_values(void **state)
{
    static const uint8_t zeros[32];

    (void)state;
    assert_int_equal(crc32_update(0, "", 0), 0);
    assert_int_equal(crc32_update(0, "123456789", 9), 0xcbf43926); /* the check value of CRC-32 */
    assert_int_equal(crc32_update(0, zeros, sizeof(zeros)), 0x190a55ad);
}

static void test_in_pieces(void **state)
{
    const char *text = "The quick brown fox jumps over the lazy dog";
    uint32_t whole = crc32_update(0, text, strlen(text));

    (void)state;
    assert_int_equal(whole, 0x414fa339);
    for (size_t split = 0; split <= strlen(text); split++) {
        uint32_t first = crc32_update(0, text, split);

        assert_int_equal(crc32_update(first, text + split, strlen(text) - split), whole);
    }
}

static void test_every_bit_counts(void **state)
{
    uint8_t bytes[16] = {0};
    uint32_t before = crc32_update(0, bytes, sizeof(bytes));

    (void)state;
    for (unsigned bit = 0; bit < 8 * sizeof(bytes); bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(crc32_update(0, bytes, sizeof(bytes)), before);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_in_pieces),
        cmocka_unit_test(test_every_bit_counts),
    };

    return cmocka_run_group_tests_name("crc32", tests, NULL, NULL);
}
