/* SPDX-License-Identifier: BSD-2-Clause */
/* The tenants' reader of kernel arguments. */
#include <string.h>

#include "cmocka_tests.h"
#include "rt/arguments.h"

static uint64_t number_of(const char *text)
{
    uint64_t value = 0;

    assert_true(argument_number(&text, &value));
    return value;
}

static void test_finds_a_word_wherever_it_stands(void **state)
{
    const char *arguments = " first=1  second=two third=0x3";

    (void)state;
    assert_string_equal(argument_find(arguments, "first"), "1  second=two third=0x3");
    assert_string_equal(argument_find(arguments, "second"), "two third=0x3");
    assert_string_equal(argument_find(arguments, "third"), "0x3");
}

static void test_finds_whole_names_only(void **state)
{
    (void)state;
    assert_null(argument_find("", "a"));
    assert_null(argument_find("a", "a"));
    assert_null(argument_find("xa=1 ab=2 b=a=3", "a"));
    assert_string_equal(argument_find("aa=1 a=", "a"), "");
}

static void test_reads_decimal_and_hexadecimal(void **state)
{
    (void)state;
    assert_int_equal(number_of("0"), 0);
    assert_int_equal(number_of("1234 "), 1234);
    assert_int_equal(number_of("0x80Ff,"), 0x80ff);
    assert_true(number_of("18446744073709551615") == UINT64_MAX);
    assert_true(number_of("0xffffffffffffffff") == UINT64_MAX);
}

static void test_goes_on_behind_the_number(void **state)
{
    const char *list = "0x10,20,30s";
    uint64_t value;

    (void)state;
    assert_true(argument_number(&list, &value));
    assert_string_equal(list, ",20,30s");
    list++;
    assert_true(argument_number(&list, &value));
    list++;
    assert_true(argument_number(&list, &value));
    assert_int_equal(value, 30);
    assert_string_equal(list, "s");
}

static void test_refuses_what_is_no_number(void **state)
{
    static const char *const bad[] = {
        "", "x", "-1", " 1", "0x", "0xg", "18446744073709551616", "0x10000000000000000"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *text = bad[i];
        uint64_t value = 77;

        assert_false(argument_number(&text, &value));
        assert_ptr_equal(text, bad[i]);
        assert_int_equal(value, 77);
    }
}

static void test_times(void **state)
{
    (void)state;
    assert_int_equal(argument_milliseconds("500ms", 7), 500);
    assert_int_equal(argument_milliseconds("2s next", 7), 2000);
    assert_int_equal(argument_milliseconds("3", 7), 3000);
    assert_int_equal(argument_milliseconds(NULL, 7), 7);
    assert_int_equal(argument_milliseconds("ms", 7), 7);
    assert_int_equal(argument_milliseconds("0ms", 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_a_word_wherever_it_stands),
        cmocka_unit_test(test_finds_whole_names_only),
        cmocka_unit_test(test_reads_decimal_and_hexadecimal),
        cmocka_unit_test(test_goes_on_behind_the_number),
        cmocka_unit_test(test_refuses_what_is_no_number),
        cmocka_unit_test(test_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
