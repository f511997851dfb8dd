/* SPDX-License-Identifier: BSD-2-Clause */
/* Framed mode. */
#include <stdio.h>
#include <string.h>

#include "abi/bundle.h"
#include "cmocka_tests.h"
#include "console_bench.h"
#include "core/monitor_log.h"

static int setup(void **state)
{
    (void)state;
    bench_init(COTENANT_CONSOLE_FRAMED);
    return 0;
}

/* Writes a frame to `to`; returns its length. */
static uint32_t frame(uint8_t *to, uint8_t channel, const char *text)
{
    uint32_t length = (uint32_t)strlen(text);

    assert_true(length >= 1 && length <= COTENANT_FRAME_MAX_PAYLOAD);
    to[0] = COTENANT_FRAME_START;
    to[1] = channel;
    to[2] = (uint8_t)length;
    memcpy(to + 3, text, length);
    return length + 3;
}

static void type_frame(uint8_t channel, const char *text)
{
    uint8_t bytes[3 + COTENANT_FRAME_MAX_PAYLOAD];

    bench_type_bytes(bytes, frame(bytes, channel, text));
}

static void assert_frame(uint8_t channel, const char *text)
{
    uint8_t bytes[3 + COTENANT_FRAME_MAX_PAYLOAD];
    uint32_t length = frame(bytes, channel, text);

    for (uint32_t i = 0; i < length; i++) {
        assert_int_equal(mux.form->next(&mux), bytes[i]);
    }
}

static void test_output_is_framed(void **state)
{
    (void)state;
    bench_print(0, "boot\r\n");
    monitor_puts("monitor: started 2 tenants\n");
    bench_print(1, "\033[m~\n");
    assert_frame(0, "monitor: started 2 tenants\n"); /* at the start it goes first */
    assert_frame(1, "boot\r\n");
    assert_frame(2, "\033[m~\n");
    assert_output("");
    assert_false(console_mux_has_output(&mux));
}

static void test_unfinished_text_waits_a_tick(void **state)
{
    (void)state;
    bench_print(0, "# ");
    assert_output("");
    assert_true(console_mux_needs_tick(&mux));
    bench_tick(1);
    assert_frame(1, "# ");
    bench_print(0, "x");
    assert_output("");
    console_mux_flush(&mux);
    assert_frame(1, "x");
}

static void test_long_output_is_cut_into_frames(void **state)
{
    char text[201];

    (void)state;
    for (int i = 0; i < 200; i++) {
        text[i] = (char)('a' + i % 26);
    }
    text[200] = '\0';
    bench_print(0, text);
    for (int i = 0; i < 3; i++) {
        char part[65];

        snprintf(part, sizeof(part), "%.64s", text + 64 * i);
        assert_frame(1, part);
    }
    assert_output("");
    bench_tick(1);
    assert_frame(1, text + 192);
}

static void test_a_flood_does_not_starve_others(void **state)
{
    char flood[1001];
    char part[65];

    (void)state;
    memset(flood, 'f', 1000);
    flood[1000] = '\0';
    snprintf(part, sizeof(part), "%.64s", flood);
    bench_print(0, flood);
    bench_print(1, "tick\n");
    monitor_puts("m\n");
    assert_frame(0, "m\n");
    assert_frame(1, part);
    assert_frame(2, "tick\n");
    monitor_puts("n\n");
    bench_print(1, "tick\n");
    assert_frame(0, "n\n");
    assert_frame(1, part);
    assert_frame(2, "tick\n");
}

static void test_a_frame_keeps_its_promised_length(void **state)
{
    static const uint8_t expected[] = {0x7e, 1, 4, 'a', 0, 0, 0};

    (void)state;
    bench_print(0, "abc\n");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(mux.form->next(&mux), expected[i]);
    }
    vuart_init(&uarts[0]); /* the ring is emptied under it */
    for (size_t i = 4; i < sizeof(expected); i++) {
        assert_int_equal(mux.form->next(&mux), expected[i]);
    }
    assert_output("");
}

static void test_input_reaches_its_tenant(void **state)
{
    (void)state;
    type_frame(1, "uname -a\n");
    type_frame(2, "~~~\024q");
    assert_received(0, "uname -a\n");
    assert_received(1, "~~~\024q");
    assert_int_equal(console_mux_take_requests(&mux), 0);
}

static void test_input_for_nobody_is_dropped(void **state)
{
    (void)state;
    type_frame(3, "no console");
    type_frame(4, "no tenant");
    type_frame(254, "no tenant");
    assert_int_equal(mux.input_dropped, 10 + 9 + 9);
    type_frame(1, "x");
    assert_received(0, "x");
}

static void test_garbage_is_skipped_up_to_the_next_frame(void **state)
{
    (void)state;
    bench_type("garbage\r\n");
    type_frame(1, "a");
    bench_type_bytes("\x7e\x01\x00", 3); /* no length */
    type_frame(1, "b");
    bench_type_bytes("\x7e\x01\x41", 3); /* too long */
    bench_type("zzz");
    type_frame(1, "c");
    bench_type_bytes("\x7e\x7e", 2); /* cut off, twice */
    type_frame(1, "d");
    bench_type_bytes("\x7e\x02", 2);
    type_frame(1, "e");
    assert_received(0, "abcde");
    assert_received(1, "");
}

static void test_commands(void **state)
{
    (void)state;
    type_frame(0, "stats\n");
    assert_int_equal(console_mux_take_requests(&mux), CONSOLE_REQUEST_STATS);
    type_frame(0, "qu");
    type_frame(0, "it\r\nstats");
    assert_int_equal(console_mux_take_requests(&mux), CONSOLE_REQUEST_QUIT);
    type_frame(0, "\n\n\r\n");
    assert_int_equal(console_mux_take_requests(&mux), CONSOLE_REQUEST_STATS);
    type_frame(0, "focus freertos\n");
    assert_int_equal(mux.focus, 1);
    assert_frame(0, "monitor: focus freertos\n");
    assert_output("");
}

static void test_watch_commands(void **state)
{
    static const struct {
        const char *typed;
        uint32_t policy;
        uint32_t within_us;
    } accepted[] = {
        {"watch freertos off\n", COTENANT_WATCH_OFF, 0},
        {"watch freertos log\n", COTENANT_WATCH_LOG, 0},
        {"watch freertos restart 50ms\r\n", COTENANT_WATCH_RESTART, 50000},
        {"watch freertos stop 4294s\n", COTENANT_WATCH_STOP, 4294000000},
        {"watch freertos log 1000us\n", COTENANT_WATCH_LOG, 1000},
        {"watch freertos log 4294967295us\n", COTENANT_WATCH_LOG, UINT32_MAX},
    };
    static const char *const refused[] = {
        "watch freertos\n",           "watch freertos kill\n",
        "watch freertos log 999us\n", "watch freertos log 4295s\n",
        "watch freertos log 50\n",    "watch freertos log ms\n",
        "watch freertos log 0s\n",    "watch freertos log 1s x\n",
        "watch freertos off now\n",   "watch freertos log 99999999999999999999999s\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        type_frame(0, accepted[i].typed);
        assert_int_equal(console_mux_take_requests(&mux), CONSOLE_REQUEST_WATCH);
        assert_int_equal(mux.commanded, 1);
        assert_int_equal(mux.watch_policy, accepted[i].policy);
        assert_int_equal(mux.watch_within_us, accepted[i].within_us);
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        type_frame(0, refused[i]);
        assert_int_equal(console_mux_take_requests(&mux), 0);
        monitor_log_init();
    }
    type_frame(0, "watch nobody log 1s\n");
    assert_frame(0, "monitor: no such tenant\n");
}

static void test_help(void **state)
{
    (void)state;
    type_frame(0, "help\n");
    assert_frame(0, "monitor: stats, quit, focus NAME, load NAME, start NAME, stop NA");
    assert_frame(0, "ME, restart NAME, destroy NAME, switch NAME, watch NAME off|log|");
    assert_frame(0, "restart|stop [TIME]\n");
    assert_output("");
}

static void test_unknown_commands(void **state)
{
    static const char *const commands[] = {"stat\n", "statsx\n", "STATS\n", "focu\n", " quit\n"};
    static const char answer[] = "monitor: unknown command, give help\n";

    (void)state;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        type_frame(0, commands[i]);
        assert_frame(0, answer);
    }
    type_frame(0, "focus nobody\n");
    assert_frame(0, "monitor: no such tenant\n");
    type_frame(0, "focus silent\n");
    assert_frame(0, "monitor: no such console\n");
    type_frame(0, "focus \n");
    assert_frame(0, "monitor: no such tenant\n");
    assert_int_equal(mux.focus, 0);
    assert_int_equal(console_mux_take_requests(&mux), 0);
}

static void test_command_lengths(void **state)
{
    char text[COTENANT_MONITOR_COMMAND_MAX + 1];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    type_frame(0, text);
    type_frame(0, "\n");
    assert_frame(0, "monitor: unknown command, give help\n");
    for (int i = 0; i < 100; i++) {
        type_frame(0, text);
    }
    type_frame(0, "\nquit\n");
    assert_frame(0, "monitor: command too long\n");
    assert_int_equal(console_mux_take_requests(&mux), CONSOLE_REQUEST_QUIT);
}

static void test_input_waits_for_its_tenant_only(void **state)
{
    (void)state;
    while (ring_space(&uarts[0].receive) > 2) {
        vuart_receive(&uarts[0], 'f');
    }
    bench_type_bytes("\x7e\x01\x04"
                     "ab",
                     5);
    assert_false(console_mux_can_accept(&mux));
    bench_tick(5000 / CONSOLE_TICK_MS);
    assert_true(console_mux_can_accept(&mux)); /* given up */
    bench_type("cd");
    assert_int_equal(uarts[0].receive_dropped, 2);
    type_frame(2, "other");
    assert_received(1, "other");
    assert_true(console_mux_can_accept(&mux));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_output_is_framed, setup),
        cmocka_unit_test_setup(test_unfinished_text_waits_a_tick, setup),
        cmocka_unit_test_setup(test_long_output_is_cut_into_frames, setup),
        cmocka_unit_test_setup(test_a_flood_does_not_starve_others, setup),
        cmocka_unit_test_setup(test_a_frame_keeps_its_promised_length, setup),
        cmocka_unit_test_setup(test_input_reaches_its_tenant, setup),
        cmocka_unit_test_setup(test_input_for_nobody_is_dropped, setup),
        cmocka_unit_test_setup(test_garbage_is_skipped_up_to_the_next_frame, setup),
        cmocka_unit_test_setup(test_commands, setup),
        cmocka_unit_test_setup(test_watch_commands, setup),
        cmocka_unit_test_setup(test_help, setup),
        cmocka_unit_test_setup(test_unknown_commands, setup),
        cmocka_unit_test_setup(test_command_lengths, setup),
        cmocka_unit_test_setup(test_input_waits_for_its_tenant_only, setup),
    };

    return cmocka_run_group_tests_name("console_frames", tests, NULL, NULL);
}
