/* SPDX-License-Identifier: BSD-2-Clause */
/* A port of a virtual console whose other end is the control protocol. */
#include <string.h>

#include "cmocka_tests.h"
#include "control_echo.h"
#include "virtio_bench.h"

#define A (&bench_drivers[0])
#define BUFFER 4096
#define BUFFERS 8
/* Port 2, behind the two streams. */
#define PORT 2
#define RECEIVE 6
#define TRANSMIT 7

static struct control_request request = {
    .magic = COTENANT_CONTROL_MAGIC,
    .version = COTENANT_CONTROL_VERSION,
};

static int set_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof(echo_memory); i++) {
        echo_memory[i] = (uint8_t)(i * 5 + i / 256);
    }
    bench_reset();
    bench_open(A);
    return 0;
}

static void send(const void *bytes, uint32_t length)
{
    uint64_t buffer = bench_buffer(A, BUFFERS + A->added[TRANSMIT] % 8);

    memcpy((void *)buffer, bytes, length);
    bench_add(A, TRANSMIT, buffer, length, false);
}

static void ask(uint32_t item)
{
    request.item = item;
    request.length = 0;
    send(&request, sizeof(request));
}

/* Takes what is in the next buffer and gives that back; returns the bytes, 0 for none. */
static uint32_t take(uint8_t *to)
{
    uint64_t buffer = bench_buffer(A, A->taken[RECEIVE] % BUFFERS);
    long length = bench_take(A, RECEIVE);

    if (length <= 0) {
        return 0;
    }
    memcpy(to, (void *)buffer, (size_t)length);
    bench_add(A, RECEIVE, buffer, BUFFER, true);
    if (bench_is_asked(A, RECEIVE)) {
        bench_notify(A, RECEIVE);
    }
    return (uint32_t)length;
}

static void fill(void)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        bench_add(A, RECEIVE, bench_buffer(A, i), BUFFER, true);
    }
    bench_notify(A, RECEIVE);
}

/* Answers to so many requests, in one row. */
static void expect_answers(const uint32_t *items, uint32_t count)
{
    static uint8_t got[2 * BUFFER * BUFFERS];
    uint32_t length = 0, done = 0, piece;
    struct control_answer header;

    while ((piece = take(got + length)) != 0) {
        length += piece;
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_true(length - done >= sizeof(header) + items[i]);
        memcpy(&header, got + done, sizeof(header));
        assert_int_equal(header.length, items[i]);
        assert_memory_equal(got + done + sizeof(header), echo_memory, items[i]);
        done += sizeof(header) + items[i];
    }
    assert_int_equal(length, done);
}

static void expect_answer(uint32_t item)
{
    expect_answers(&item, 1);
}

static void test_answers_of_any_length(void **state)
{
    (void)state;
    fill();
    for (uint32_t item = 0; item <= COTENANT_CONTROL_MOST_DATA; item += 512) {
        ask(item);
        bench_notify(A, TRANSMIT);
        expect_answer(item);
    }
    assert_int_equal(echo_link.caller, 0);
    assert_int_equal(echo_link.may_see, 3);
    assert_int_equal(echo_link.may_control, 2);
}

/* Nothing is lost when there is no room for the answer, nor when requests come before it is gone.
 */
static void test_what_cannot_go_yet_waits(void **state)
{
    static const uint32_t items[] = {1000, 2000};

    (void)state;
    ask(1000);
    ask(2000);
    bench_notify(A, TRANSMIT);
    assert_int_equal(bench_take(A, RECEIVE), -1);
    assert_true(bench_is_asked(A, RECEIVE));
    fill();
    expect_answers(items, 2);
}

static void test_data_in_many_buffers(void **state)
{
    uint8_t data[COTENANT_CONTROL_MOST_DATA];

    (void)state;
    memset(data, 0x33, sizeof(data));
    fill();
    request.item = 0;
    request.length = sizeof(data);
    send(&request, sizeof(request));
    bench_notify(A, TRANSMIT);
    for (uint32_t i = 0; i < sizeof(data); i += 64) {
        send(data + i, 64);
        bench_notify(A, TRANSMIT);
        assert_int_equal(bench_take(A, TRANSMIT), 0);
    }
    assert_memory_equal(echo_memory, data, sizeof(data));
    expect_answer(0);
}

static void test_closing_forgets_half_a_request(void **state)
{
    (void)state;
    fill();
    send(&request, 20);
    bench_notify(A, TRANSMIT);
    bench_tell(A, PORT, 6, 0);
    bench_tell(A, PORT, 6, 1);
    ask(100);
    bench_notify(A, TRANSMIT);
    expect_answer(100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_answers_of_any_length, set_up),
        cmocka_unit_test_setup(test_what_cannot_go_yet_waits, set_up),
        cmocka_unit_test_setup(test_data_in_many_buffers, set_up),
        cmocka_unit_test_setup(test_closing_forgets_half_a_request, set_up),
    };

    return cmocka_run_group_tests_name("control port", tests, NULL, NULL);
}
