/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which driver: a switch, not a table of functions, because boot/early_console.c comes here before
 * relocations are applied.
 */
#include "device/uart.h"

void uart_init(struct uart *uart, uint32_t kind, uint64_t base, uint32_t shift, uint32_t divisor)
{
    uart->kind = kind;
    switch (kind) {
    case COTENANT_UART_NS16550:
        ns16550_init(&uart->ns16550, base, shift, divisor);
        break;
    case COTENANT_UART_SIFIVE:
        sifive_uart_init(&uart->sifive, base, divisor);
        break;
    default:
        break;
    }
}

bool uart_transmit_ready(const struct uart *uart)
{
    switch (uart->kind) {
    case COTENANT_UART_NS16550:
        return ns16550_transmit_ready(&uart->ns16550);
    case COTENANT_UART_SIFIVE:
        return sifive_uart_transmit_ready(&uart->sifive);
    default:
        return true;
    }
}

bool uart_transmit_done(const struct uart *uart)
{
    switch (uart->kind) {
    case COTENANT_UART_NS16550:
        return ns16550_transmit_done(&uart->ns16550);
    case COTENANT_UART_SIFIVE:
        return sifive_uart_transmit_ready(&uart->sifive);
    default:
        return true;
    }
}

void uart_transmit(const struct uart *uart, uint8_t byte)
{
    switch (uart->kind) {
    case COTENANT_UART_NS16550:
        ns16550_transmit(&uart->ns16550, &byte, 1);
        break;
    case COTENANT_UART_SIFIVE:
        sifive_uart_transmit(&uart->sifive, byte);
        break;
    default:
        break;
    }
}

int uart_receive(const struct uart *uart)
{
    switch (uart->kind) {
    case COTENANT_UART_NS16550:
        return ns16550_receive(&uart->ns16550);
    case COTENANT_UART_SIFIVE:
        return sifive_uart_receive(&uart->sifive);
    default:
        return -1;
    }
}

void uart_set_receive_interrupt(struct uart *uart, bool on)
{
    switch (uart->kind) {
    case COTENANT_UART_NS16550:
        ns16550_set_receive_interrupt(&uart->ns16550, on);
        break;
    case COTENANT_UART_SIFIVE:
        sifive_uart_set_receive_interrupt(&uart->sifive, on);
        break;
    default:
        break;
    }
}

void uart_acknowledge(const struct uart *uart)
{
    switch (uart->kind) {
    case COTENANT_UART_NS16550:
        ns16550_acknowledge(&uart->ns16550);
        break;
    default:
        break;
    }
}
