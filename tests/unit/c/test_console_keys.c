/* SPDX-License-Identifier: BSD-2-Clause */
/* Input of mux mode, and how input waits for a slow tenant. */
#include <string.h>

#include "abi/bundle.h"
#include "cmocka_tests.h"
#include "console_bench.h"
#include "core/work.h"

#define ESCAPE "\024"

static int setup(void **state)
{
    (void)state;
    bench_init(COTENANT_CONSOLE_MUX);
    return 0;
}

static void test_keys_go_to_the_focus(void **state)
{
    (void)state;
    bench_type("ls -l\r\003");
    assert_received(0, "ls -l\r\003");
    assert_received(1, "");
    assert_output("");
}

static void test_next_tenant(void **state)
{
    (void)state;
    bench_type(ESCAPE "nabc");
    assert_received(0, "");
    assert_received(1, "abc");
    assert_output("[monitor] focus freertos\r\n");
    bench_type(ESCAPE "nd"); /* over the one without a console */
    assert_received(0, "d");
    assert_output("[monitor] focus linux\r\n");
}

static void test_tenant_by_number(void **state)
{
    (void)state;
    bench_type(ESCAPE "2x" ESCAPE "1y" ESCAPE "3z" ESCAPE "9z");
    assert_received(0, "yzz");
    assert_received(1, "x");
    assert_output("[monitor] focus freertos\r\n[monitor] focus linux\r\n"
                  "[monitor] no such tenant\r\n[monitor] no such tenant\r\n");
}

static void test_literal_escape(void **state)
{
    (void)state;
    bench_type("a" ESCAPE ESCAPE "b");
    assert_received(0, "a" ESCAPE "b");
}

/* In steps of work. */
static void tell_all(void)
{
    while (__start_works[0].step(0) != WORK_NOTHING) {
    }
}

static void test_help(void **state)
{
    static const char help[] = "[monitor] Ctrl-T then: n next tenant, 1-9 that tenant, s start it, "
                               "x stop it, r restart it, w switch to it, l list, "
                               "h help, q power off, Ctrl-T send it\r\n";

    (void)state;
    bench_type(ESCAPE "h");
    assert_output(""); /* it does not keep the hart in the step that took the key */
    tell_all();
    assert_output(help);
    bench_type(ESCAPE "?");
    tell_all();
    assert_output(help);
    bench_type(ESCAPE "\001"); /* not a command */
    tell_all();
    assert_output(help);
    assert_received(0, "");
}

static void test_requests(void **state)
{
    (void)state;
    assert_int_equal(console_mux_take_requests(&mux), 0);
    bench_type(ESCAPE "l");
    assert_int_equal(console_mux_take_requests(&mux), CONSOLE_REQUEST_LIST);
    assert_int_equal(console_mux_take_requests(&mux), 0);
    bench_type(ESCAPE "q" ESCAPE "l");
    assert_int_equal(console_mux_take_requests(&mux), CONSOLE_REQUEST_QUIT | CONSOLE_REQUEST_LIST);
    bench_type("qlqh");
    assert_int_equal(console_mux_take_requests(&mux), 0);
}

static void test_focus_by_the_program(void **state)
{
    (void)state;
    assert_true(console_mux_set_focus(&mux, 1));
    assert_false(console_mux_set_focus(&mux, 2));
    assert_false(console_mux_set_focus(&mux, 3));
    assert_false(console_mux_set_focus(&mux, UINT32_MAX));
    bench_type("k");
    assert_received(1, "k");
}

static void test_pasting_loses_nothing(void **state)
{
    uint32_t sent = 0;
    uint32_t taken = 0;

    (void)state;
    while (taken < 100000) {
        while (sent < 100000 && console_mux_can_accept(&mux)) {
            console_mux_input(&mux, (uint8_t)('a' + sent++ % 26));
        }
        console_mux_tick(&mux);
        for (int i = 0; i < 100 && (vuart_read(&uarts[0], 5) & 1) != 0; i++) {
            assert_int_equal(vuart_read(&uarts[0], 0), 'a' + taken++ % 26);
        }
    }
    assert_int_equal(sent, 100000);
    assert_int_equal(uarts[0].receive_dropped, 0);
}

static void fill_receiver(uint32_t tenant)
{
    while (ring_space(&uarts[tenant].receive) > 0) {
        vuart_receive(&uarts[tenant], 'f');
    }
}

static void test_a_deaf_tenant_holds_the_line_up_for_five_seconds(void **state)
{
    (void)state;
    fill_receiver(0);
    assert_false(console_mux_can_accept(&mux));
    assert_true(console_mux_needs_tick(&mux));
    bench_tick(5000 / CONSOLE_TICK_MS - 1);
    assert_false(console_mux_can_accept(&mux));
    bench_tick(1);
    assert_true(console_mux_can_accept(&mux));
    assert_false(console_mux_needs_tick(&mux));
    bench_type("lost" ESCAPE "2kept");
    assert_int_equal(uarts[0].receive_dropped, 4);
    assert_received(1, "kept");
    vuart_read(&uarts[0], 0); /* it listens again */
    bench_tick(1);
    bench_type(ESCAPE "1x");
    assert_int_equal(uarts[0].receive_dropped, 4);
    assert_false(console_mux_can_accept(&mux));
}

/* Its ring is full at every tick because the line fills it up again at once. */
static void test_a_slow_tenant_is_not_deaf(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        fill_receiver(0);
        bench_tick(1);
        assert_false(console_mux_can_accept(&mux));
        vuart_read(&uarts[0], 0);
    }
}

static void test_a_full_tenant_without_focus_holds_up_nobody(void **state)
{
    (void)state;
    fill_receiver(1);
    assert_true(console_mux_can_accept(&mux));
    bench_tick(1000);
    bench_type("ok" ESCAPE "2");
    assert_false(console_mux_can_accept(&mux)); /* its five seconds start now */
    assert_received(0, "ok");
}

static void test_a_closed_tenant_takes_no_input(void **state)
{
    (void)state;
    fill_receiver(0);
    uarts[0].closed = true;
    assert_true(console_mux_can_accept(&mux));
    bench_type("abc");
    assert_int_equal(mux.input_dropped, 3);
    assert_int_equal(uarts[0].receive_dropped, 0);
    vuart_reset(&uarts[0]);
    uarts[0].closed = false;
    bench_type("back");
    assert_received(0, "back");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_keys_go_to_the_focus, setup),
        cmocka_unit_test_setup(test_next_tenant, setup),
        cmocka_unit_test_setup(test_tenant_by_number, setup),
        cmocka_unit_test_setup(test_literal_escape, setup),
        cmocka_unit_test_setup(test_help, setup),
        cmocka_unit_test_setup(test_requests, setup),
        cmocka_unit_test_setup(test_focus_by_the_program, setup),
        cmocka_unit_test_setup(test_pasting_loses_nothing, setup),
        cmocka_unit_test_setup(test_a_deaf_tenant_holds_the_line_up_for_five_seconds, setup),
        cmocka_unit_test_setup(test_a_slow_tenant_is_not_deaf, setup),
        cmocka_unit_test_setup(test_a_full_tenant_without_focus_holds_up_nobody, setup),
        cmocka_unit_test_setup(test_a_closed_tenant_takes_no_input, setup),
    };

    return cmocka_run_group_tests_name("console_keys", tests, NULL, NULL);
}
