/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The board's UART, whatever its kind: the monitor's side of the drivers. M-mode with interrupts
 * off. No function waits for the line.
 *
 * A board without a UART has one all the same: it is always ready, loses what is written and never
 * receives anything.
 */
#ifndef COTENANT_DEVICE_UART_H
#define COTENANT_DEVICE_UART_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"
#include "device/ns16550.h"
#include "device/sifive_uart.h"

/* Bytes that may be written after uart_transmit_ready(), one by one or together. */
#define UART_BURST 8

struct uart {
    uint32_t kind; /* COTENANT_UART_* of abi/bundle.h */
    union {
        struct ns16550 ns16550;
        struct sifive_uart sifive;
    };
};

/*
 * 8 data bits, no parity, FIFOs on and empty, interrupts off. `kind` is one of abi/bundle.h;
 * `base`, `shift` and `divisor` (0: leave the baud rate as found) are those of the kind's driver.
 */
void uart_init(struct uart *uart, uint32_t kind, uint64_t base, uint32_t shift, uint32_t divisor);

/* UART_BURST bytes may be written. */
bool uart_transmit_ready(const struct uart *uart);

/* Every byte is on the line, as far as the UART can tell. */
bool uart_transmit_done(const struct uart *uart);

void uart_transmit(const struct uart *uart, uint8_t byte);

/* The next received byte, 0..255; -1: none. */
int uart_receive(const struct uart *uart);

/* The UART interrupts while received bytes wait. */
void uart_set_receive_interrupt(struct uart *uart, bool on);

/* Called when the UART's source was claimed: withdraws what would not fall by itself. */
void uart_acknowledge(const struct uart *uart);

#endif
