/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The board's UART, whatever its kind: the monitor's side of the drivers. M-mode with interrupts
 * off. No function but uart_put_text() waits for the line.
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

/* Most that `burst` of a UART is. */
#define UART_MOST_BURST 16

struct uart {
    uint32_t kind;  /* COTENANT_UART_* of abi/bundle.h; NS16550 for both widths */
    uint32_t burst; /* bytes that may be written after uart_transmit_ready() */
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

/* As many bytes as a burst may be written, in one call or several. */
bool uart_transmit_ready(const struct uart *uart);

/* Every byte is on the line, as far as the UART can tell. */
bool uart_transmit_done(const struct uart *uart);

/* At most a burst. */
void uart_transmit(const struct uart *uart, const uint8_t *bytes, uint32_t count);

/* Polls of a UART that does not get ready before its text is given up. */
#define UART_MOST_POLLS 1000000

/* For last words: waits for the line, but not for one that never gets ready. */
void uart_put_text(const struct uart *uart, const char *text);

/* The next received byte, 0..255; -1: none. */
int uart_receive(const struct uart *uart);

/* The UART interrupts while received bytes wait; if not, what would not fall by itself falls. */
void uart_set_receive_interrupt(struct uart *uart, bool on);

#endif
