/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/vuart.h"

/* Without registers the tenant has no interrupt of it. */
__attribute__((weak)) void vuart_refresh(struct tenant *tenant)
{
    (void)tenant;
}

void vuart_reset(struct vuart *uart)
{
    uart->interrupt_enable = 0;
    uart->fifo_control = 0;
    uart->line_control = 0;
    uart->modem_control = 0;
    uart->modem_status = VUART_LINES_READY;
    uart->scratch = 0;
    uart->divisor_low = 0;
    uart->divisor_high = 0;
    uart->overrun = false;
    uart->transmit_interrupt = false;
    uart->transmit_left = 0;
    ring_init(&uart->receive, uart->receive_data, VUART_RECEIVE_SIZE);
    ring_init(&uart->loopback, uart->loopback_data, VUART_FIFO_SIZE);
}

__attribute__((cold)) void vuart_init(struct vuart *uart)
{
    vuart_reset(uart);
    ring_init(&uart->transmit, uart->transmit_data, VUART_TRANSMIT_SIZE);
    uart->transmit_ready = true;
    uart->transmit_lines = 0;
    uart->transmit_dropped = 0;
    uart->receive_dropped = 0;
}

bool vuart_receive(struct vuart *uart, uint8_t byte)
{
    if (!ring_put(&uart->receive, byte)) {
        uart->receive_dropped++;
        uart->overrun = true;
        return false;
    }
    return true;
}

int vuart_transmit_next(struct vuart *uart)
{
    int byte = ring_get(&uart->transmit);

    if (byte == '\n') {
        uart->transmit_lines--;
    }
    if (byte >= 0) {
        vuart_update_ready(uart);
    }
    return byte;
}

uint32_t vuart_console_write(struct vuart *uart, const uint8_t *bytes, uint32_t length)
{
    struct ring *ring = &uart->transmit;
    uint8_t *data = ring->data;
    uint32_t mask = ring->mask;
    uint32_t head = ring->head;
    uint32_t space = ring_space(ring);
    uint32_t count = length < space ? length : space;
    uint32_t lines = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t byte = bytes[i];

        data[head++ & mask] = byte;
        lines += byte == '\n';
    }
    ring->head = head;
    uart->transmit_lines += lines;
    uart->transmit_left = 0;
    vuart_update_ready(uart);
    return count;
}

uint32_t vuart_console_read(struct vuart *uart, uint8_t *bytes, uint32_t length)
{
    uint32_t count = 0;

    while (count < length && ring_used(&uart->receive) > 0) {
        bytes[count++] = (uint8_t)ring_get(&uart->receive);
    }
    return count;
}
