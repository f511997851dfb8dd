/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_tests.h"
#include "device/ns16550.h"
#include "mmio_recorder.h"

#define BASE 0x10000000

static int setup(void **state)
{
    (void)state;
    mmio_recorder_reset();
    return 0;
}

static void test_init_leaves_the_baud_rate(void **state)
{
    struct ns16550 uart;

    (void)state;
    ns16550_init(&uart, BASE, 0, 0);
    assert_int_equal(mmio_recorder_count(), 4);
    assert_mmio_write(0, 8, BASE + 3, 0x03);
    assert_mmio_write(1, 8, BASE + 1, 0x00);
    assert_mmio_write(2, 8, BASE + 2, 0x07);
    assert_mmio_write(3, 8, BASE + 4, 0x0b);
}

static void test_init_sets_the_divisor(void **state)
{
    struct ns16550 uart;

    (void)state;
    ns16550_init(&uart, BASE, 0, 0x1234);
    assert_mmio_write(2, 8, BASE + 3, 0x83);
    assert_mmio_write(3, 8, BASE + 0, 0x34);
    assert_mmio_write(4, 8, BASE + 1, 0x12);
    assert_mmio_write(5, 8, BASE + 3, 0x03);
}

static void test_register_shift(void **state)
{
    struct ns16550 uart;

    (void)state;
    ns16550_init(&uart, BASE, 2, 0);
    mmio_recorder_clear();
    mmio_recorder_set(BASE + (5 << 2), 0x20);
    assert_true(ns16550_transmit_ready(&uart));
    ns16550_transmit(&uart, (const uint8_t *)"A", 1);
    assert_mmio_write(1, 8, BASE, 'A');
    assert_int_equal(mmio_recorder_get(0).address, BASE + 20);
}

static void test_transmit_writes_at_most_a_fifo(void **state)
{
    struct ns16550 uart;
    uint8_t bytes[20];

    (void)state;
    ns16550_init(&uart, BASE, 0, 0);
    for (unsigned i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)i;
    }
    mmio_recorder_clear();
    ns16550_transmit(&uart, bytes, sizeof(bytes));
    assert_int_equal(mmio_recorder_count(), NS16550_FIFO_SIZE);
    for (unsigned i = 0; i < NS16550_FIFO_SIZE; i++) {
        assert_mmio_write(i, 8, BASE, i);
    }
}

static void test_transmit_state(void **state)
{
    struct ns16550 uart;

    (void)state;
    ns16550_init(&uart, BASE, 0, 0);
    mmio_recorder_set(BASE + 5, 0x00);
    assert_false(ns16550_transmit_ready(&uart));
    assert_false(ns16550_transmit_done(&uart));
    mmio_recorder_set(BASE + 5, 0x20);
    assert_true(ns16550_transmit_ready(&uart));
    assert_false(ns16550_transmit_done(&uart));
    mmio_recorder_set(BASE + 5, 0x60);
    assert_true(ns16550_transmit_done(&uart));
}

static void test_receive(void **state)
{
    struct ns16550 uart;

    (void)state;
    ns16550_init(&uart, BASE, 0, 0);
    mmio_recorder_set(BASE + 5, 0x60);
    mmio_recorder_set(BASE, 0xff);
    assert_int_equal(ns16550_receive(&uart), -1);
    mmio_recorder_set(BASE + 5, 0x61);
    assert_int_equal(ns16550_receive(&uart), 0xff);
}

static void test_interrupt_enables_are_independent(void **state)
{
    struct ns16550 uart;

    (void)state;
    ns16550_init(&uart, BASE, 0, 0);
    mmio_recorder_clear();
    ns16550_set_receive_interrupt(&uart, true);
    ns16550_set_receive_interrupt(&uart, true); /* no change, no access */
    ns16550_set_receive_interrupt(&uart, false);
    assert_int_equal(mmio_recorder_count(), 3);
    assert_mmio_write(0, 8, BASE + 1, 0x01);
    assert_mmio_write(1, 8, BASE + 1, 0x00);
    assert_false(mmio_recorder_get(2).write);
    assert_int_equal(mmio_recorder_get(2).address, BASE + 2);
}

static void test_registers_of_32_bits(void **state)
{
    struct ns16550 uart;

    (void)state;
    ns16550_init(&uart, BASE, 2 | NS16550_32_BITS, 0);
    assert_int_equal(mmio_recorder_count(), 5); /* and a read of the line settings */
    assert_mmio_write(1, 32, BASE + (3 << 2), 0x03);
    assert_mmio_write(2, 32, BASE + (1 << 2), 0x00);
    assert_mmio_write(3, 32, BASE + (2 << 2), 0x07);
    assert_mmio_write(4, 32, BASE + (4 << 2), 0x0b);
    mmio_recorder_clear();
    ns16550_transmit(&uart, (const uint8_t *)"\xff", 1);
    assert_mmio_write(0, 32, BASE, 0xff);
    mmio_recorder_set(BASE + (5 << 2), 0xffffff61);
    mmio_recorder_set(BASE, 0xffffff41);
    assert_true(ns16550_transmit_ready(&uart));
    assert_int_equal(ns16550_receive(&uart), 'A');
    for (unsigned i = 0; i < mmio_recorder_count(); i++) {
        assert_int_equal(mmio_recorder_get(i).bits, 32);
    }
}

static void test_line_settings_are_not_written_again(void **state)
{
    struct ns16550 uart;

    (void)state;
    mmio_recorder_set(BASE + (3 << 2), 0x03);
    ns16550_init(&uart, BASE, 2 | NS16550_32_BITS, 0);
    for (unsigned i = 0; i < mmio_recorder_count(); i++) {
        assert_true(!mmio_recorder_get(i).write || mmio_recorder_get(i).address != BASE + (3 << 2));
    }
}

static void test_busy_is_withdrawn(void **state)
{
    struct ns16550 uart;

    (void)state;
    ns16550_init(&uart, BASE, 2 | NS16550_32_BITS, 0);
    mmio_recorder_clear();
    mmio_recorder_set(BASE + (2 << 2), 0xc4);
    ns16550_set_receive_interrupt(&uart, false);
    assert_int_equal(mmio_recorder_count(), 1);
    mmio_recorder_set(BASE + (2 << 2), 0xc7);
    ns16550_set_receive_interrupt(&uart, false);
    assert_int_equal(mmio_recorder_count(), 3);
    assert_int_equal(mmio_recorder_get(2).address, BASE + (31 << 2));
    /* Another 16550 has no such register, whatever it says. */
    ns16550_init(&uart, BASE, 0, 0);
    mmio_recorder_clear();
    mmio_recorder_set(BASE + 2, 0xc7);
    ns16550_set_receive_interrupt(&uart, false);
    assert_int_equal(mmio_recorder_count(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_init_leaves_the_baud_rate, setup),
        cmocka_unit_test_setup(test_init_sets_the_divisor, setup),
        cmocka_unit_test_setup(test_register_shift, setup),
        cmocka_unit_test_setup(test_transmit_writes_at_most_a_fifo, setup),
        cmocka_unit_test_setup(test_transmit_state, setup),
        cmocka_unit_test_setup(test_receive, setup),
        cmocka_unit_test_setup(test_interrupt_enables_are_independent, setup),
        cmocka_unit_test_setup(test_registers_of_32_bits, setup),
        cmocka_unit_test_setup(test_line_settings_are_not_written_again, setup),
        cmocka_unit_test_setup(test_busy_is_withdrawn, setup),
    };

    return cmocka_run_group_tests_name("ns16550", tests, NULL, NULL);
}
