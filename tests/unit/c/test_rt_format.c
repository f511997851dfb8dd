/* SPDX-License-Identifier: BSD-2-Clause */
/* The tenants' formatter, against the host's printf. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_tests.h"
#include "rt/format.h"

/* Formats by both and compares text and length. */
#define assert_formats_like_printf(...)                                                            \
    do {                                                                                           \
        char expected[128];                                                                        \
        char found[128];                                                                           \
        int length = snprintf(expected, sizeof(expected), __VA_ARGS__);                            \
                                                                                                   \
        assert_int_equal(format_text(found, sizeof(found), __VA_ARGS__), length);                  \
        assert_string_equal(found, expected);                                                      \
    } while (0)

static void test_numbers(void **state)
{
    static const uint64_t values[] = {0,          1,          9,         10,        0x7fffffff,
                                      0x80000000, 0xffffffff, INT64_MAX, 1ul << 63, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        unsigned long wide = values[i];
        unsigned narrow = (unsigned)values[i];

        assert_formats_like_printf("%d %i %u %x", (int)narrow, (int)narrow, narrow, narrow);
        assert_formats_like_printf("%ld %lu %lx", (long)wide, wide, wide);
        assert_formats_like_printf("[%5u] [%08x] [%016lx] [%20lu]", narrow, narrow, wide, wide);
        assert_formats_like_printf("[%05d] [%012ld]", (int)narrow, (long)wide);
    }
}

static void test_text(void **state)
{
    (void)state;
    assert_formats_like_printf("plain");
    assert_formats_like_printf("100%% %s, %c%c", "sure", '!', '?');
    assert_formats_like_printf("[%10s] [%2s]", "right", "long");
}

static void test_cuts_what_does_not_fit(void **state)
{
    char buffer[8];

    (void)state;
    assert_int_equal(format_text(buffer, sizeof(buffer), "%s", "much too long"), 7);
    assert_string_equal(buffer, "much to");
    assert_int_equal(format_text(buffer, 1, "%d", 12345), 0);
    assert_string_equal(buffer, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_cuts_what_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
