/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "device/uart.h"

#include "cmocka_tests.h"
#include "mmio_recorder.h"

#define BASE 0x10000000

/* What the check of a bundle keeps free for it. */
static uint64_t size_of(uint32_t kind, uint32_t shift)
{
    const struct bundle_board board = {.uart_kind = kind, .uart_register_shift = shift};

    return check_device_range(&board, CHECK_UART).size;
}

static int setup(void **state)
{
    (void)state;
    mmio_recorder_reset();
    return 0;
}

static void test_a_board_without_one_loses_everything(void **state)
{
    struct uart uart;

    (void)state;
    uart_init(&uart, COTENANT_UART_NONE, BASE, 0, 1);
    uart_set_receive_interrupt(&uart, true);
    uart_transmit(&uart, (const uint8_t *)"A", 1);
    assert_true(uart_transmit_ready(&uart));
    assert_true(uart_transmit_done(&uart));
    assert_int_equal(uart_receive(&uart), -1);
    uart_put_text(&uart, "any");
    assert_int_equal(mmio_recorder_count(), 0);
    assert_int_equal(size_of(COTENANT_UART_NONE, 0), 0);
}

static void test_ns16550(void **state)
{
    struct uart uart;

    (void)state;
    uart_init(&uart, COTENANT_UART_NS16550, BASE, 2, 0);
    mmio_recorder_clear();
    uart_set_receive_interrupt(&uart, true);
    uart_transmit(&uart, (const uint8_t *)"A", 1);
    assert_mmio_write(0, 8, BASE + 4, 0x01);
    assert_mmio_write(1, 8, BASE, 'A');
    mmio_recorder_set(BASE + 20, 0x00);
    assert_false(uart_transmit_ready(&uart));
    assert_false(uart_transmit_done(&uart));
    assert_int_equal(uart_receive(&uart), -1);
    mmio_recorder_set(BASE + 20, 0x61);
    assert_true(uart_transmit_ready(&uart));
    assert_true(uart_transmit_done(&uart));
    assert_int_equal(uart_receive(&uart), 'A');
    mmio_recorder_clear();
    uart_put_text(&uart, "BC");
    assert_mmio_write(1, 8, BASE, 'B');
    assert_mmio_write(3, 8, BASE, 'C');
    mmio_recorder_clear();
    uart_set_receive_interrupt(&uart, false);
    assert_mmio_write(0, 8, BASE + 4, 0);
    assert_int_equal(mmio_recorder_get(1).address, BASE + 8);
    assert_int_equal(uart.burst, 16);
    assert_int_equal(size_of(COTENANT_UART_NS16550, 2), 32);
}

static void test_ns16550_of_32_bits(void **state)
{
    struct uart uart;

    (void)state;
    uart_init(&uart, COTENANT_UART_NS16550_32, BASE, 2, 0);
    mmio_recorder_clear();
    uart_transmit(&uart, (const uint8_t *)"A", 1);
    assert_mmio_write(0, 32, BASE, 'A');
    mmio_recorder_set(BASE + 20, 0x61);
    assert_true(uart_transmit_ready(&uart));
    assert_int_equal(size_of(COTENANT_UART_NS16550_32, 2), 128);
}

static void test_sifive(void **state)
{
    struct uart uart;

    (void)state;
    uart_init(&uart, COTENANT_UART_SIFIVE, BASE, 0, 0);
    mmio_recorder_clear();
    uart_set_receive_interrupt(&uart, true);
    uart_transmit(&uart, (const uint8_t *)"A", 1);
    assert_mmio_write(0, 32, BASE + 0x10, 0x2);
    assert_mmio_write(1, 32, BASE, 'A');
    mmio_recorder_set(BASE + 0x14, 0);
    assert_false(uart_transmit_ready(&uart));
    assert_false(uart_transmit_done(&uart));
    mmio_recorder_set(BASE + 0x14, 1);
    assert_true(uart_transmit_ready(&uart));
    assert_true(uart_transmit_done(&uart));
    mmio_recorder_set(BASE + 4, 'B');
    assert_int_equal(uart_receive(&uart), 'B');
    mmio_recorder_clear();
    uart_transmit(&uart, (const uint8_t *)"abcdefghi", 9); /* one more than it has room for */
    assert_int_equal(mmio_recorder_count(), uart.burst);
    assert_mmio_write(7, 32, BASE, 'h');
    assert_int_equal(size_of(COTENANT_UART_SIFIVE, 0), 0x1c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_board_without_one_loses_everything, setup),
        cmocka_unit_test_setup(test_ns16550, setup),
        cmocka_unit_test_setup(test_ns16550_of_32_bits, setup),
        cmocka_unit_test_setup(test_sifive, setup),
    };

    return cmocka_run_group_tests_name("uart", tests, NULL, NULL);
}
