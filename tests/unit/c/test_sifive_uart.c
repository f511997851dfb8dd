/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_tests.h"
#include "device/sifive_uart.h"
#include "mmio_recorder.h"

#define BASE 0x10010000

static int setup(void **state)
{
    (void)state;
    mmio_recorder_reset();
    return 0;
}

static void test_init_leaves_the_baud_rate(void **state)
{
    struct sifive_uart uart;

    (void)state;
    sifive_uart_init(&uart, BASE, 0);
    assert_int_equal(mmio_recorder_count(), 3);
    assert_mmio_write(0, 32, BASE + 0x10, 0);
    assert_mmio_write(1, 32, BASE + 0x08, 0x10001);
    assert_mmio_write(2, 32, BASE + 0x0c, 0x1);
}

static void test_init_sets_the_divisor(void **state)
{
    struct sifive_uart uart;

    (void)state;
    sifive_uart_init(&uart, BASE, 0x1234);
    assert_int_equal(mmio_recorder_count(), 4);
    assert_mmio_write(1, 32, BASE + 0x18, 0x1234);
}

static void test_transmit(void **state)
{
    struct sifive_uart uart;

    (void)state;
    sifive_uart_init(&uart, BASE, 0);
    mmio_recorder_set(BASE + 0x14, 0x2); /* input waits, and output */
    assert_false(sifive_uart_transmit_ready(&uart));
    mmio_recorder_set(BASE + 0x14, 0x3);
    assert_true(sifive_uart_transmit_ready(&uart));
    mmio_recorder_clear();
    sifive_uart_transmit(&uart, (const uint8_t *)"\xff", 1);
    assert_int_equal(mmio_recorder_count(), 1);
    assert_mmio_write(0, 32, BASE, 0xff);
}

static void test_receive_reads_the_data_once(void **state)
{
    struct sifive_uart uart;

    (void)state;
    sifive_uart_init(&uart, BASE, 0);
    mmio_recorder_clear();
    mmio_recorder_set(BASE + 4, 0x80000000);
    assert_int_equal(sifive_uart_receive(&uart), -1);
    mmio_recorder_set(BASE + 4, 0xff);
    assert_int_equal(sifive_uart_receive(&uart), 0xff);
    mmio_recorder_set(BASE + 4, 0);
    assert_int_equal(sifive_uart_receive(&uart), 0);
    assert_int_equal(mmio_recorder_count(), 3); /* a read takes the byte away */
}

static void test_receive_interrupt(void **state)
{
    struct sifive_uart uart;

    (void)state;
    sifive_uart_init(&uart, BASE, 0);
    mmio_recorder_clear();
    sifive_uart_set_receive_interrupt(&uart, true);
    sifive_uart_set_receive_interrupt(&uart, false);
    assert_mmio_write(0, 32, BASE + 0x10, 0x2);
    assert_mmio_write(1, 32, BASE + 0x10, 0x0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_init_leaves_the_baud_rate, setup),
        cmocka_unit_test_setup(test_init_sets_the_divisor, setup),
        cmocka_unit_test_setup(test_transmit, setup),
        cmocka_unit_test_setup(test_receive_reads_the_data_once, setup),
        cmocka_unit_test_setup(test_receive_interrupt, setup),
    };

    return cmocka_run_group_tests_name("sifive_uart", tests, NULL, NULL);
}
