/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cmocka_tests.h"
#include "features/plic/vuart_registers.h"

enum { DATA, IER, IIR, LCR, MCR, LSR, MSR, SCR, FCR = IIR };

static struct vuart uart;

static int setup(void **state)
{
    (void)state;
    memset(&uart, 0xa5, sizeof(uart)); /* init must not rely on zeroed memory */
    vuart_init(&uart);
    return 0;
}

static uint8_t rd(unsigned offset)
{
    return vuart_read(&uart, offset);
}

static void wr(unsigned offset, uint8_t value)
{
    vuart_write(&uart, offset, value);
}

static void test_state_after_power_on(void **state)
{
    (void)state;
    assert_int_equal(rd(IER), 0);
    assert_int_equal(rd(IIR), 0x01);
    assert_int_equal(rd(LCR), 0);
    assert_int_equal(rd(MCR), 0);
    assert_int_equal(rd(LSR), 0x60);
    assert_int_equal(rd(MSR), 0xb0);
    assert_int_equal(rd(SCR), 0);
    assert_int_equal(rd(DATA), 0);
    assert_false(vuart_interrupt(&uart));
    assert_int_equal(vuart_transmit_next(&uart), -1);
}

static void test_plain_registers_hold_what_they_should(void **state)
{
    (void)state;
    wr(SCR, 0xa5);
    wr(IER, 0xff);
    wr(MCR, 0xef);
    wr(LSR, 0xff);
    wr(MSR, 0xff);
    wr(LCR, 0x80);
    wr(DATA, 0x12);
    wr(IER, 0x34);
    assert_int_equal(rd(DATA), 0x12);
    assert_int_equal(rd(IER), 0x34);
    assert_int_equal(rd(LCR), 0x80);
    wr(LCR, 0x03);
    assert_int_equal(rd(SCR), 0xa5);
    assert_int_equal(rd(IER), 0x0f);
    assert_int_equal(rd(MCR), 0x0f);
    assert_int_equal(rd(LSR), 0x60);
    assert_int_equal(rd(MSR), 0xb0);
    assert_int_equal(vuart_transmit_used(&uart), 0);
}

static void test_offsets_outside(void **state)
{
    (void)state;
    for (unsigned offset = 8; offset < 300; offset++) {
        wr(offset, 0xff);
        assert_int_equal(rd(offset), 0);
    }
    wr(UINT32_MAX, 1);
    assert_int_equal(rd(UINT32_MAX), 0);
    test_state_after_power_on(state);
}

/* The sequence by which a 8250 driver tells an UART from none and its kind. */
static void test_autoconfiguration_finds_a_16550a(void **state)
{
    (void)state;
    wr(IER, 0);
    assert_int_equal(rd(IER) & 0x0f, 0);
    wr(IER, 0x0f);
    assert_int_equal(rd(IER) & 0x0f, 0x0f);
    wr(IER, 0);

    wr(MCR, 0x10 | 0x08 | 0x02); /* loopback, OUT2, RTS */
    assert_int_equal(rd(MSR) & 0xf0, 0x90);
    wr(MCR, 0);

    wr(LCR, 0xbf); /* a 16650 and above has its EFR here */
    wr(FCR, 0);
    wr(LCR, 0);
    wr(FCR, 0x01);
    assert_int_equal(rd(IIR) >> 6, 3); /* 16550A */
    wr(LCR, 0x80);
    assert_int_not_equal(rd(IIR), 0); /* no EFR of an ST16650 */
    wr(LCR, 0x00);
    wr(FCR, 0x21); /* no 64-byte FIFO of a 16750, with DLAB or without */
    assert_int_equal(rd(IIR) >> 5, 6);
    wr(LCR, 0x80);
    wr(FCR, 0x21);
    assert_int_equal(rd(IIR) >> 5, 6);
    wr(LCR, 0x00);
    wr(IER, 0x40); /* no UUE bit of an XScale */
    assert_int_equal(rd(IER), 0);
    wr(FCR, 0x00);
    assert_int_equal(rd(IIR) >> 6, 0);
}

/* The driver asks twice for the THRE interrupt to see whether it comes again. */
static void test_transmit_interrupt_rises_with_its_enable(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        wr(IER, 0x02);
        assert_true(vuart_interrupt(&uart));
        assert_int_equal(rd(LSR) & 0x60, 0x60);
        assert_int_equal(rd(IIR), 0x02);
        assert_int_equal(rd(IIR), 0x01); /* reading it withdrew it */
        assert_false(vuart_interrupt(&uart));
        wr(IER, 0);
    }
    wr(IER, 0x02);
    wr(IER, 0x02);
    rd(IIR);
    wr(IER, 0x03); /* not an edge of ETBEI */
    assert_false(vuart_interrupt(&uart));
}

static void test_transmit_interrupt_follows_a_write(void **state)
{
    (void)state;
    wr(IER, 0x02);
    rd(IIR);
    assert_false(vuart_interrupt(&uart));
    wr(DATA, 'x');
    assert_true(vuart_interrupt(&uart)); /* sent at once */
    assert_int_equal(rd(IIR), 0x02);
    assert_int_equal(vuart_transmit_next(&uart), 'x');
    assert_false(vuart_interrupt(&uart)); /* THRE did not change */
}

static void test_transmit_throttles_when_the_console_is_slow(void **state)
{
    uint32_t written = 0;

    (void)state;
    wr(IER, 0x02);
    while (rd(LSR) & 0x20) { /* as a driver does: a FIFO for each THRE */
        for (int i = 0; i < COTENANT_UART_TRANSMIT_FIFO; i++) {
            wr(DATA, (uint8_t)written++);
        }
        assert_true(written <= VUART_TRANSMIT_SIZE);
    }
    assert_int_equal(uart.transmit_dropped, 0);
    assert_true(written > VUART_TRANSMIT_SIZE - COTENANT_UART_TRANSMIT_FIFO);
    assert_false(vuart_interrupt(&uart));
    assert_int_equal(rd(LSR) & 0x40, 0);

    uint32_t taken = 0;
    while (!vuart_interrupt(&uart)) {
        assert_int_equal(vuart_transmit_next(&uart), (uint8_t)taken++);
    }
    assert_true(taken >= 16 && taken <= VUART_TRANSMIT_SIZE / 2);
    assert_int_equal(rd(LSR) & 0x60, 0x60);
    assert_int_equal(rd(IIR), 0x02);
}

/* As the trap of a store does; the registers would have done the same. */
static bool put_directly(uint8_t byte)
{
    struct vuart before = uart;
    struct vuart put;

    if (!vuart_put(&uart, byte)) {
        assert_memory_equal(&uart, &before, sizeof(uart));
        return false;
    }
    assert_int_equal(vuart_interrupt(&uart), vuart_interrupt(&before));
    put = uart;
    uart = before;
    vuart_write(&uart, DATA, byte);
    put.transmit_left = uart.transmit_left;
    assert_memory_equal(&uart, &put, sizeof(uart));
    uart.transmit_left = before.transmit_left - 1;
    return true;
}

static void test_bytes_that_are_put_change_nothing_but_the_ring(void **state)
{
    uint32_t direct = 0;

    (void)state;
    for (uint32_t i = 0; i < 2 * VUART_TRANSMIT_SIZE; i++) {
        if (put_directly('x')) {
            direct++;
        } else {
            wr(DATA, 'x');
        }
        if (i == VUART_TRANSMIT_SIZE - 1) { /* the console takes all */
            while (vuart_transmit_next(&uart) >= 0) {
            }
            assert_false(put_directly('x')); /* the next byte has to be told */
            wr(IER, 0x02);
        }
    }
    assert_true(direct > VUART_TRANSMIT_SIZE);
    assert_int_equal(uart.transmit_dropped, 0);
}

static void assert_told_after(uint8_t offset, uint8_t value)
{
    wr(DATA, 'x');
    assert_true(put_directly('y'));
    wr(offset, value);
    assert_false(put_directly('z'));
}

static void test_no_byte_is_put_that_changes_more_than_the_ring(void **state)
{
    (void)state;
    assert_told_after(IER, 0x02);
    assert_told_after(LCR, 0x03);
    assert_told_after(MCR, 0x10);
    wr(DATA, 'x'); /* loopback */
    assert_false(put_directly('x'));
    wr(MCR, 0x00);
    wr(DATA, 'x');
    assert_false(put_directly('\n'));
    wr(IER, 0x02);
    wr(DATA, 'x');
    assert_int_equal(rd(IIR) & 0x0f, 0x02); /* withdraws it: the next byte brings it back */
    assert_false(put_directly('x'));
    wr(DATA, 'x');
    vuart_console_write(&uart, (const uint8_t *)"y", 1);
    assert_false(put_directly('x'));
    wr(DATA, 'x');
    vuart_reset(&uart);
    assert_false(put_directly('x'));
}

static void test_a_driver_that_ignores_thre_loses_counted_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < VUART_TRANSMIT_SIZE + 10; i++) {
        wr(DATA, (uint8_t)i);
    }
    assert_int_equal(uart.transmit_dropped, 10);
    assert_int_equal(vuart_transmit_used(&uart), VUART_TRANSMIT_SIZE);
    for (int i = 0; i < VUART_TRANSMIT_SIZE; i++) {
        assert_int_equal(vuart_transmit_next(&uart), (uint8_t)i);
    }
}

static void test_receive_interrupt_and_trigger_levels(void **state)
{
    static const uint8_t levels[] = {1, 4, 8, 14};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        vuart_init(&uart);
        wr(FCR, (uint8_t)(0x01 | i << 6));
        for (unsigned n = 1; n <= 16; n++) {
            assert_true(vuart_receive(&uart, (uint8_t)n));
            assert_false(vuart_interrupt(&uart)); /* not enabled */
            wr(IER, 0x01);
            assert_true(vuart_interrupt(&uart));
            assert_int_equal(rd(IIR), 0xc0 | (n >= levels[i] ? 0x04 : 0x0c));
            wr(IER, 0x00);
        }
        for (unsigned n = 1; n <= 16; n++) {
            assert_int_equal(rd(LSR) & 0x01, 0x01);
            assert_int_equal(rd(DATA), n);
        }
        assert_int_equal(rd(LSR) & 0x01, 0);
        wr(IER, 0x01);
        assert_false(vuart_interrupt(&uart));
    }
}

static void test_receive_without_fifos(void **state)
{
    (void)state;
    wr(FCR, 0xc0); /* ignored without the enable bit */
    wr(IER, 0x01);
    vuart_receive(&uart, 'a');
    assert_int_equal(rd(IIR), 0x04);
    assert_int_equal(rd(DATA), 'a');
    assert_int_equal(rd(IIR), 0x01);
}

static void test_pasted_text_waits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VUART_RECEIVE_SIZE; i++) {
        assert_int_equal(ring_space(&uart.receive), VUART_RECEIVE_SIZE - i);
        assert_true(vuart_receive(&uart, (uint8_t)(i * 7)));
    }
    assert_false(vuart_receive(&uart, 0));
    assert_int_equal(uart.receive_dropped, 1);
    wr(IER, 0x05);
    assert_int_equal(rd(IIR), 0x06);        /* line status comes first */
    assert_int_equal(rd(LSR) & 0x03, 0x03); /* overrun, until read */
    assert_int_equal(rd(LSR) & 0x03, 0x01);
    assert_int_equal(rd(IIR), 0x04);
    for (unsigned i = 0; i < VUART_RECEIVE_SIZE; i++) {
        assert_int_equal(rd(DATA), (uint8_t)(i * 7));
    }
    assert_int_equal(rd(LSR) & 0x01, 0);
}

static void test_clearing_the_fifo_takes_sixteen_bytes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        vuart_receive(&uart, (uint8_t)i);
    }
    wr(DATA, 'k');
    wr(FCR, 0x07);
    assert_int_equal(rd(DATA), 16);
    assert_int_equal(vuart_transmit_next(&uart), 'k'); /* sent is sent */
    wr(FCR, 0x03);
    assert_int_equal(rd(LSR) & 0x01, 0);
}

static void test_loopback_data(void **state)
{
    (void)state;
    vuart_receive(&uart, 'L');
    wr(FCR, 0x01);
    wr(MCR, 0x10);
    assert_int_equal(rd(LSR) & 0x01, 0); /* the line is cut off */
    for (unsigned i = 0; i < 16; i++) {
        wr(DATA, (uint8_t)(0x40 + i));
    }
    assert_int_equal(rd(LSR) & 0x03, 0x01);
    wr(DATA, 0xee);
    assert_int_equal(rd(LSR) & 0x03, 0x03); /* one too many */
    assert_int_equal(rd(DATA), 0x40);
    assert_int_equal(vuart_transmit_used(&uart), 0);
    wr(MCR, 0x00);
    assert_int_equal(rd(DATA), 'L'); /* what the line brought was not lost */
    assert_int_equal(rd(LSR) & 0x01, 0);
    wr(MCR, 0x10);
    assert_int_equal(rd(LSR) & 0x01, 0);
}

static void test_loopback_modem_lines(void **state)
{
    static const uint8_t line_of_bit[4] = {0x20, 0x10, 0x40, 0x80}; /* DTR RTS OUT1 OUT2 */

    (void)state;
    for (uint8_t bits = 0; bits < 16; bits++) {
        uint8_t lines = 0;

        for (unsigned i = 0; i < 4; i++) {
            lines |= bits & (1u << i) ? line_of_bit[i] : 0;
        }
        wr(MCR, 0x10 | bits);
        assert_int_equal(rd(MSR) & 0xf0, lines);
    }
    wr(MCR, 0x0f);
    assert_int_equal(rd(MSR) & 0xf0, 0xb0);
}

static void test_modem_deltas(void **state)
{
    (void)state;
    wr(MCR, 0x10 | 0x0b); /* as the line is outside: DSR, CTS, DCD */
    assert_int_equal(rd(MSR), 0xb0);
    wr(IER, 0x08);
    assert_false(vuart_interrupt(&uart));
    wr(MCR, 0x10 | 0x0f); /* RI rises: no delta */
    assert_false(vuart_interrupt(&uart));
    assert_int_equal(rd(MSR), 0xf0);
    wr(MCR, 0x10 | 0x09); /* RI and CTS fall */
    assert_true(vuart_interrupt(&uart));
    assert_int_equal(rd(IIR), 0x00);
    assert_int_equal(rd(MSR), 0xa0 | 0x04 | 0x01);
    assert_false(vuart_interrupt(&uart));
    assert_int_equal(rd(MSR), 0xa0);
    wr(MCR, 0x10);
    wr(MCR, 0x10 | 0x09); /* back and forth: the deltas stay */
    assert_int_equal(rd(MSR), 0xa0 | 0x08 | 0x02);
}

static void test_interrupt_priorities(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= VUART_RECEIVE_SIZE; i++) {
        vuart_receive(&uart, 1);
    }
    wr(MCR, 0x10);
    wr(MCR, 0x00);
    wr(IER, 0x0f);
    assert_int_equal(rd(IIR), 0x06);
    assert_int_equal(rd(IIR), 0x06); /* not withdrawn by reading IIR */
    rd(LSR);
    assert_int_equal(rd(IIR), 0x04);
    vuart_console_read(&uart, uart.receive_data, VUART_RECEIVE_SIZE);
    assert_int_equal(rd(IIR), 0x02);
    assert_int_equal(rd(IIR), 0x00);
    rd(MSR);
    assert_int_equal(rd(IIR), 0x01);
}

static void test_debug_console_shares_the_rings(void **state)
{
    uint8_t bytes[VUART_TRANSMIT_SIZE + 1];

    (void)state;
    memset(bytes, '\n', sizeof(bytes));
    wr(DATA, 'u');
    assert_int_equal(vuart_console_write(&uart, (const uint8_t *)"sbi\n", 4), 4);
    assert_int_equal(uart.transmit_lines, 1);
    for (const char *c = "usbi\n"; *c; c++) {
        assert_int_equal(vuart_transmit_next(&uart), *c);
    }
    assert_int_equal(uart.transmit_lines, 0);
    assert_int_equal(vuart_console_write(&uart, bytes, sizeof(bytes)), VUART_TRANSMIT_SIZE);
    assert_int_equal(vuart_console_write(&uart, bytes, 1), 0);
    assert_int_equal(uart.transmit_dropped, 0);
    assert_int_equal(uart.transmit_lines, VUART_TRANSMIT_SIZE);
    assert_int_equal(rd(LSR) & 0x20, 0);

    assert_int_equal(vuart_console_read(&uart, bytes, 4), 0);
    vuart_receive(&uart, 'x');
    vuart_receive(&uart, 'y');
    assert_int_equal(vuart_console_read(&uart, bytes, 1), 1);
    assert_int_equal(bytes[0], 'x');
    assert_int_equal(vuart_console_read(&uart, bytes, 4), 1);
    assert_int_equal(bytes[0], 'y');
}

static void test_reset_keeps_the_last_words(void **state)
{
    (void)state;
    wr(IER, 0x0f);
    wr(LCR, 0x83);
    wr(MCR, 0x10);
    wr(SCR, 0x55);
    vuart_receive(&uart, 'r');
    vuart_console_write(&uart, (const uint8_t *)"!\n", 2);
    vuart_reset(&uart);
    assert_int_equal(vuart_transmit_used(&uart), 2);
    assert_int_equal(uart.transmit_lines, 1);
    vuart_transmit_next(&uart);
    vuart_transmit_next(&uart);
    test_state_after_power_on(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_state_after_power_on, setup),
        cmocka_unit_test_setup(test_plain_registers_hold_what_they_should, setup),
        cmocka_unit_test_setup(test_offsets_outside, setup),
        cmocka_unit_test_setup(test_autoconfiguration_finds_a_16550a, setup),
        cmocka_unit_test_setup(test_transmit_interrupt_rises_with_its_enable, setup),
        cmocka_unit_test_setup(test_transmit_interrupt_follows_a_write, setup),
        cmocka_unit_test_setup(test_transmit_throttles_when_the_console_is_slow, setup),
        cmocka_unit_test_setup(test_bytes_that_are_put_change_nothing_but_the_ring, setup),
        cmocka_unit_test_setup(test_no_byte_is_put_that_changes_more_than_the_ring, setup),
        cmocka_unit_test_setup(test_a_driver_that_ignores_thre_loses_counted_bytes, setup),
        cmocka_unit_test_setup(test_receive_interrupt_and_trigger_levels, setup),
        cmocka_unit_test_setup(test_receive_without_fifos, setup),
        cmocka_unit_test_setup(test_pasted_text_waits, setup),
        cmocka_unit_test_setup(test_clearing_the_fifo_takes_sixteen_bytes, setup),
        cmocka_unit_test_setup(test_loopback_data, setup),
        cmocka_unit_test_setup(test_loopback_modem_lines, setup),
        cmocka_unit_test_setup(test_modem_deltas, setup),
        cmocka_unit_test_setup(test_interrupt_priorities, setup),
        cmocka_unit_test_setup(test_debug_console_shares_the_rings, setup),
        cmocka_unit_test_setup(test_reset_keeps_the_last_words, setup),
    };

    return cmocka_run_group_tests_name("vuart", tests, NULL, NULL);
}
