/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of the control protocol on the console line, in both modes, among everything else. */
#include <string.h>

#include "abi/bundle.h"
#include "abi/control.h"
#include "cmocka_tests.h"
#include "console_bench.h"

static const struct control_request request = {
    .magic = COTENANT_CONTROL_MAGIC,
    .version = COTENANT_CONTROL_VERSION,
    .verb = COTENANT_CONTROL_TENANT_GET,
    .tag = 9,
};

#define ANSWER_SIZE (sizeof(struct control_answer) + sizeof(struct control_tenant))

/* What came out: the answer, and the rest. */
static struct {
    uint8_t answer[1024];
    uint32_t answered;
    char shown[4096];
    uint32_t length;
} got;

static void begin(uint32_t mode)
{
    bench_init(mode);
    memset(&got, 0, sizeof(got));
}

static uint8_t next(void)
{
    int byte = mux.form->next(&mux);

    assert_in_range(byte, 0, 255);
    return (uint8_t)byte;
}

static void take_frame(void)
{
    uint8_t length = next();

    assert_in_range(length, 1, COTENANT_FRAME_MAX_PAYLOAD);
    for (uint8_t i = 0; i < length; i++) {
        got.answer[got.answered++] = next();
    }
}

/* Mux mode: takes all there is. */
static void take_mux(void)
{
    for (int byte = mux.form->next(&mux); byte >= 0; byte = mux.form->next(&mux)) {
        if (byte == COTENANT_CONTROL_START) {
            take_frame();
        } else {
            got.shown[got.length++] = (char)byte;
        }
    }
}

static void assert_answer(void)
{
    struct control_answer header;
    struct control_tenant tenant;

    assert_int_equal(got.answered, ANSWER_SIZE);
    memcpy(&header, got.answer, sizeof(header));
    memcpy(&tenant, got.answer + sizeof(header), sizeof(tenant));
    assert_int_equal(header.status, COTENANT_CONTROL_OK);
    assert_int_equal(header.tag, 9);
    assert_string_equal(tenant.name, "linux");
}

static void type_request_in_mux_mode(void)
{
    const uint8_t start[] = {BENCH_ESCAPE, COTENANT_CONTROL_START, sizeof(request)};

    bench_type_bytes(start, sizeof(start));
    bench_type_bytes(&request, sizeof(request));
}

static void test_mux_mode(void **state)
{
    (void)state;
    begin(COTENANT_CONSOLE_MUX);
    bench_type("a");
    type_request_in_mux_mode();
    bench_type("b");
    bench_print(0, "# half a line");
    take_mux();
    assert_answer();
    assert_string_equal(got.shown, "# half a line");
    assert_received(0, "ab");
}

static void test_answers_in_between_change_no_line(void **state)
{
    char expected[2048] = "";

    (void)state;
    begin(COTENANT_CONSOLE_MUX);
    for (int i = 0; i < 10; i++) {
        bench_print(1, "a line of the other\n");
        strcat(expected, "[freertos] a line of the other\r\n");
    }
    type_request_in_mux_mode();
    take_mux();
    assert_answer();
    assert_string_equal(got.shown, expected);
}

static void test_no_tenant_can_print_a_frame(void **state)
{
    (void)state;
    begin(COTENANT_CONSOLE_MUX);
    bench_print(0, "x\036\004abcd\n");
    bench_print(1, "y\036\004abcd\n");
    take_mux();
    assert_int_equal(got.answered, 0);
    assert_string_equal(got.shown, "x.\004abcd\n[freertos] yabcd\r\n");
}

static void test_framed_mode(void **state)
{
    const uint8_t start[] = {COTENANT_FRAME_START, COTENANT_CONTROL_CHANNEL, sizeof(request)};
    uint32_t text = 0;

    (void)state;
    begin(COTENANT_CONSOLE_FRAMED);
    bench_print(0, "one\n");
    bench_type_bytes(start, sizeof(start));
    bench_type_bytes(&request, sizeof(request));
    bench_print(1, "two\n");
    while (console_mux_has_output(&mux)) {
        uint8_t channel;

        assert_int_equal(next(), COTENANT_FRAME_START);
        channel = next();
        if (channel == COTENANT_CONTROL_CHANNEL) {
            take_frame();
        } else {
            assert_in_range(channel, 1, 2);
            for (uint8_t left = next(); left > 0; left--) {
                next();
                text++;
            }
        }
    }
    assert_answer();
    assert_int_equal(text, 8);
}

/* The rest of the line is not held up: the answer leaves first, then the next request is taken. */
static void test_a_second_request_waits_for_the_answer(void **state)
{
    (void)state;
    begin(COTENANT_CONSOLE_MUX);
    type_request_in_mux_mode();
    bench_type_bytes("\024\036\001", 3);
    assert_false(console_mux_can_accept(&mux));
    take_mux();
    assert_answer();
    assert_true(console_mux_can_accept(&mux));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mux_mode),
        cmocka_unit_test(test_answers_in_between_change_no_line),
        cmocka_unit_test(test_no_tenant_can_print_a_frame),
        cmocka_unit_test(test_framed_mode),
        cmocka_unit_test(test_a_second_request_waits_for_the_answer),
    };

    return cmocka_run_group_tests_name("console control", tests, NULL, NULL);
}
