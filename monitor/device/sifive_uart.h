/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UART of the board: SiFive's, of the FU540 and its like (SiFive FU540-C000 Manual, chapter 13),
 * with 32-bit registers and 8-entry FIFOs. M-mode with interrupts off. No function waits for the
 * line.
 */
#ifndef COTENANT_DEVICE_SIFIVE_UART_H
#define COTENANT_DEVICE_SIFIVE_UART_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that may be written after sifive_uart_transmit_ready(). */
#define SIFIVE_UART_FIFO_SIZE 8

/* Bytes that its registers take. */
#define SIFIVE_UART_SIZE 0x1c

struct sifive_uart {
    uint64_t base;
};

/*
 * 8 data bits, no parity, one stop bit, both directions on, interrupts off. Input that waits is
 * kept. `divisor` 1..65535 sets the baud rate (input clock / rate - 1), 0 leaves it as found.
 */
void sifive_uart_init(struct sifive_uart *uart, uint64_t base, uint32_t divisor);

/*
 * The transmit FIFO is empty: SIFIVE_UART_FIFO_SIZE bytes may be written. The last byte may still
 * be in the shift register, of which this UART does not tell.
 */
bool sifive_uart_transmit_ready(const struct sifive_uart *uart);

void sifive_uart_transmit(const struct sifive_uart *uart, const uint8_t *bytes, uint32_t count);

/* The next received byte, 0..255; -1: none. */
int sifive_uart_receive(const struct sifive_uart *uart);

/* The UART interrupts while received bytes wait; it falls by itself. */
void sifive_uart_set_receive_interrupt(const struct sifive_uart *uart, bool on);

#endif
