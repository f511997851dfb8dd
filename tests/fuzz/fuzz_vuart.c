/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <string.h>

#include "features/plic/vuart_registers.h"
#include "fuzz.h"

static void check(const struct vuart *uart)
{
    uint32_t lines = 0;

    assert(ring_used(&uart->receive) <= VUART_RECEIVE_SIZE);
    assert(ring_used(&uart->loopback) <= VUART_FIFO_SIZE);
    assert(ring_used(&uart->transmit) <= VUART_TRANSMIT_SIZE);
    assert(!uart->transmit_ready || ring_space(&uart->transmit) >= COTENANT_UART_TRANSMIT_FIFO);
    assert(uart->transmit_ready || ring_used(&uart->transmit) > 0); /* else it would never rise */
    for (uint32_t i = uart->transmit.tail; i != uart->transmit.head; i++) {
        lines += uart->transmit_data[i & uart->transmit.mask] == '\n';
    }
    assert(lines == uart->transmit_lines);
    assert(uart->transmit_left <= ring_space(&uart->transmit));
}

/* The registers would have done the same. */
static void put_directly(struct vuart *uart, uint8_t byte)
{
    struct vuart before = *uart;
    struct vuart put;

    if (vuart_put(uart, byte)) {
        put = *uart;
        *uart = before;
        vuart_write(uart, 0, byte);
        put.transmit_left = uart->transmit_left;
        assert(memcmp(uart, &put, sizeof(put)) == 0);
        uart->transmit_left = before.transmit_left - 1;
    }
}

static void operate(struct vuart *uart, struct fuzz_input *input)
{
    uint8_t bytes[64];
    uint8_t operation = fuzz_byte(input);
    uint8_t value = fuzz_byte(input);
    bool interrupt = vuart_interrupt(uart);

    memset(bytes, value, sizeof(bytes));
    switch (operation % 16) {
    case 8:
        assert(ring_space(&uart->receive) > 0 ? vuart_receive(uart, value) : true);
        break;
    case 9:
        vuart_receive(uart, value);
        break;
    case 10:
        for (int i = 0; i < value && vuart_transmit_next(uart) >= 0; i++) {
        }
        break;
    case 11:
        assert(vuart_console_write(uart, bytes, value % 65) <= value % 65);
        break;
    case 12:
        assert(vuart_console_read(uart, bytes, value % 65) <= value % 65);
        break;
    case 13:
        assert(((vuart_read(uart, 2) & 1) == 0) == interrupt);
        break;
    case 14:
        if (value == 0) {
            vuart_reset(uart);
            assert(!vuart_interrupt(uart));
        }
        break;
    case 15:
        put_directly(uart, value);
        vuart_read(uart, value);
        break;
    default:
        vuart_write(uart, operation % 16, value);
        break;
    }
}

int fuzz_vuart(const uint8_t *data, size_t size)
{
    static struct vuart uart;
    struct fuzz_input input = {data, size};

    vuart_init(&uart);
    while (input.size > 0) {
        operate(&uart, &input);
        check(&uart);
    }
    return 0;
}
