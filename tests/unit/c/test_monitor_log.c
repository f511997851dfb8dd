/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cmocka_tests.h"
#include "core/monitor_log.h"
#include "core/tenant.h"

static int setup(void **state)
{
    (void)state;
    monitor_log_init();
    return 0;
}

static void assert_log(const char *expected)
{
    assert_int_equal(monitor_log_used(), strlen(expected));
    for (size_t i = 0; expected[i] != '\0'; i++) {
        assert_int_equal(monitor_log_next(), expected[i]);
    }
    assert_int_equal(monitor_log_next(), -1);
}

static void test_message_appears_when_it_ends(void **state)
{
    (void)state;
    monitor_puts("monitor: started ");
    monitor_put_u64(2);
    assert_int_equal(monitor_log_used(), 0);
    assert_int_equal(monitor_log_next(), -1);
    monitor_puts(" tenants\n");
    monitor_puts("next");
    assert_log("monitor: started 2 tenants\n");
    monitor_puts("\n");
    assert_log("next\n");
}

static void test_numbers(void **state)
{
    (void)state;
    monitor_put_u64(0);
    monitor_puts(" ");
    monitor_put_u64(1234567890);
    monitor_puts(" ");
    monitor_put_u64(UINT64_MAX);
    monitor_puts(" ");
    monitor_put_hex(0);
    monitor_puts(" ");
    monitor_put_hex(0x80000000);
    monitor_puts(" ");
    monitor_put_hex(UINT64_MAX);
    monitor_puts(" ");
    monitor_put_hex(0x0a0b);
    monitor_puts("\n");
    assert_log("0 1234567890 18446744073709551615 0x0 0x80000000 0xffffffffffffffff 0xa0b\n");
}

static void test_message_without_room_is_dropped_as_a_whole(void **state)
{
    char line[101];

    (void)state;
    memset(line, 'x', 99);
    line[99] = '\n';
    line[100] = '\0';
    for (int i = 0; i < 38; i++) {
        monitor_puts(line);
    }
    assert_int_equal(monitor_log_used(), 3800);
    monitor_puts(line); /* 40 bytes are left, and what is kept for answers */
    assert_int_equal(monitor_log_used(), 3800);
    assert_int_equal(monitor_log_dropped(), 1);
    monitor_puts("short\n");
    assert_int_equal(monitor_log_used(), 3806);
    for (int i = 0; i < 3800; i++) {
        assert_int_equal(monitor_log_next(), line[i % 100]);
    }
    assert_log("short\n");
}

/* Tenants can make events without end; what the user asks for is answered all the same. */
static void test_answers_have_room_whatever_happens(void **state)
{
    (void)state;
    while (monitor_log_dropped() == 0) {
        monitor_log_begin();
        monitor_puts("tenant x: suspended\n");
    }
    for (int i = 0; i < MONITOR_LOG_SIZE; i++) {
        (void)monitor_log_next();
        monitor_log_begin();
        monitor_puts("tenant y: resumed\n");
    }
    assert_true(monitor_log_used() > MONITOR_LOG_SIZE - MONITOR_LOG_ANSWER_MAX - 40);
    monitor_log_begin_answer();
    for (int i = 1; i < MONITOR_LOG_ANSWER_MAX; i++) {
        monitor_puts("s");
    }
    monitor_puts("\n");
    assert_true(monitor_log_used() > MONITOR_LOG_SIZE - 40);
}

static void test_drained_while_a_message_is_put_together(void **state)
{
    (void)state;
    monitor_puts("one\n");
    monitor_puts("tw");
    assert_log("one\n");
    monitor_puts("o\n");
    assert_log("two\n");
}

static void test_long_string_is_cut(void **state)
{
    static char text[2 * MONITOR_LOG_STRING_MAX];

    (void)state;
    memset(text, 'y', sizeof(text) - 1);
    monitor_puts(text);
    monitor_puts("\n");
    assert_int_equal(monitor_log_used(), MONITOR_LOG_STRING_MAX + 1);
}

static void test_message_larger_than_the_log(void **state)
{
    static char text[MONITOR_LOG_STRING_MAX + 1];

    (void)state;
    memset(text, 'z', sizeof(text) - 1);
    for (int i = 0; i < 20; i++) {
        monitor_puts(text);
    }
    monitor_puts("\n");
    assert_int_equal(monitor_log_dropped(), 1);
    monitor_puts("alive\n");
    assert_log("alive\n");
}

static void test_event_displaces_a_draft(void **state)
{
    (void)state;
    monitor_puts("tenant linux sta");
    assert_int_equal(monitor_log_draft_length(), 16);
    monitor_log_begin();
    monitor_puts("tenant x: crashed\n");
    assert_int_equal(monitor_log_draft_length(), 0);
    assert_log("monitor: tenant x: crashed\n");
}

static void test_parts_begin_again_if_another_message_comes(void **state)
{
    static const struct bundle_tenant description = {.name = "linux"};
    struct tenant tenant = {.description = &description};
    struct monitor_log_parts parts = {0};

    (void)state;
    assert_true(monitor_log_begin_parts(&parts, &tenant));
    assert_true(monitor_log_begin_parts(&parts, &tenant));
    monitor_log_begin();
    monitor_puts("tenant x: crashed\n");
    while (monitor_log_begin_parts(&parts, &tenant)) {
    }
    monitor_puts("suspended");
    monitor_log_note_part(&parts);
    assert_false(monitor_log_begin_parts(&parts, &tenant));
    assert_int_equal(parts.told, MONITOR_LOG_PARTS_BEGUN + 1);
    monitor_puts("\n");
    assert_log("monitor: tenant x: crashed\nmonitor: tenant linux: suspended\n");
}

static void test_skip_takes_only_what_waits_first(void **state)
{
    (void)state;
    monitor_log_begin();
    monitor_log_skip("monitor: "); /* still a draft */
    monitor_puts("one\n");
    monitor_log_skip("monitor!");
    monitor_log_skip("monitor: one\ntwo");
    assert_int_equal(monitor_log_used(), 13);
    monitor_log_skip("monitor: ");
    assert_log("one\n");
    monitor_log_skip("x");
    assert_log("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_message_appears_when_it_ends, setup),
        cmocka_unit_test_setup(test_numbers, setup),
        cmocka_unit_test_setup(test_message_without_room_is_dropped_as_a_whole, setup),
        cmocka_unit_test_setup(test_answers_have_room_whatever_happens, setup),
        cmocka_unit_test_setup(test_drained_while_a_message_is_put_together, setup),
        cmocka_unit_test_setup(test_long_string_is_cut, setup),
        cmocka_unit_test_setup(test_message_larger_than_the_log, setup),
        cmocka_unit_test_setup(test_event_displaces_a_draft, setup),
        cmocka_unit_test_setup(test_parts_begin_again_if_another_message_comes, setup),
        cmocka_unit_test_setup(test_skip_takes_only_what_waits_first, setup),
    };

    return cmocka_run_group_tests_name("monitor_log", tests, NULL, NULL);
}
