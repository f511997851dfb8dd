/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which driver: found by comparing, not in a table of functions, because boot/early_console.c comes
 * here before relocations are applied.
 */
#include "device/uart.h"

#include "core/feature.h"

static bool is_ns16550(const struct uart *uart)
{
    return uart->kind == COTENANT_UART_NS16550;
}

static bool is_sifive(const struct uart *uart)
{
    return HAS(sifive_uart) && uart->kind == COTENANT_UART_SIFIVE;
}

void uart_init(struct uart *uart, uint32_t kind, uint64_t base, uint32_t shift, uint32_t divisor)
{
    uart->kind = kind;
    uart->burst = SIFIVE_UART_FIFO_SIZE;
    if (HAS(uart32) && kind == COTENANT_UART_NS16550_32) {
        uart->kind = COTENANT_UART_NS16550;
        shift |= NS16550_32_BITS;
    }
    if (is_ns16550(uart)) {
        uart->burst = NS16550_FIFO_SIZE;
        ns16550_init(&uart->ns16550, base, shift, divisor);
    } else if (is_sifive(uart)) {
        sifive_uart_init(&uart->sifive, base, divisor);
    }
}

__attribute__((flatten)) bool uart_transmit_ready(const struct uart *uart)
{
    if (is_ns16550(uart)) {
        return ns16550_transmit_ready(&uart->ns16550);
    }
    return !is_sifive(uart) || sifive_uart_transmit_ready(&uart->sifive);
}

bool uart_transmit_done(const struct uart *uart)
{
    return is_ns16550(uart) ? ns16550_transmit_done(&uart->ns16550) : uart_transmit_ready(uart);
}

void uart_transmit(const struct uart *uart, const uint8_t *bytes, uint32_t count)
{
    if (is_ns16550(uart)) {
        ns16550_transmit(&uart->ns16550, bytes, count);
    } else if (is_sifive(uart)) {
        sifive_uart_transmit(&uart->sifive, bytes, count);
    }
}

__attribute__((cold)) void uart_put_text(const struct uart *uart, const char *text)
{
    for (; *text != '\0'; text++) {
        for (unsigned polls = 0; polls < UART_MOST_POLLS && !uart_transmit_ready(uart); polls++) {
        }
        uart_transmit(uart, (const uint8_t *)text, 1);
    }
}

int uart_receive(const struct uart *uart)
{
    if (is_ns16550(uart)) {
        return ns16550_receive(&uart->ns16550);
    }
    return is_sifive(uart) ? sifive_uart_receive(&uart->sifive) : -1;
}

void uart_set_receive_interrupt(struct uart *uart, bool on)
{
    if (is_ns16550(uart)) {
        ns16550_set_receive_interrupt(&uart->ns16550, on);
    } else if (is_sifive(uart)) {
        sifive_uart_set_receive_interrupt(&uart->sifive, on);
    }
}
