/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UART of the board: an NS16550A or compatible with 16-byte FIFOs. Its registers are accessed as
 * bytes, or as 32 bits if it takes nothing else. M-mode with interrupts off. No function waits for
 * the line.
 */
#ifndef COTENANT_DEVICE_NS16550_H
#define COTENANT_DEVICE_NS16550_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that may be written after ns16550_transmit_ready(). */
#define NS16550_FIFO_SIZE 16

#define NS16550_REGISTERS 8
/* With 32-bit registers: up to USR, which a DesignWare UART has. */
#define NS16550_32_REGISTERS 32

enum ns16550_register {
    NS16550_DATA = 0,             /* RBR, THR; DLL while LCR_DLAB */
    NS16550_INTERRUPT_ENABLE = 1, /* IER; DLM while LCR_DLAB */
    NS16550_INTERRUPT_ID = 2,     /* IIR */
    NS16550_FIFO_CONTROL = 2,
    NS16550_LINE_CONTROL = 3,
    NS16550_MODEM_CONTROL = 4,
    NS16550_LINE_STATUS = 5,
    NS16550_MODEM_STATUS = 6,
    NS16550_SCRATCH = 7,
};

/* Or'ed to a shift: accesses are of 32 bits. Only with the feature uart32. */
#define NS16550_32_BITS 64u

struct ns16550 {
    uint64_t base;
    uint32_t shift;           /* register n is at base + (n << shift); or NS16550_32_BITS */
    uint8_t interrupt_enable; /* what IER holds */
};

/*
 * 8 data bits, no parity, FIFOs on and empty, interrupts off. `shift` is 0..8, or'ed with
 * NS16550_32_BITS or not; `divisor` 1..65535 sets the baud rate (input clock / 16 / rate), 0 leaves
 * it as found.
 */
void ns16550_init(struct ns16550 *uart, uint64_t base, uint32_t shift, uint32_t divisor);

/* The transmit FIFO is empty: NS16550_FIFO_SIZE bytes may be written. */
bool ns16550_transmit_ready(const struct ns16550 *uart);

/* Every byte, the shift register's too, is on the line. */
bool ns16550_transmit_done(const struct ns16550 *uart);

/* Writes `count` bytes, at most NS16550_FIFO_SIZE; the rest is ignored. */
void ns16550_transmit(const struct ns16550 *uart, const uint8_t *bytes, uint32_t count);

/* The next received byte, 0..255; -1: none. A byte with a line error is delivered as it is. */
int ns16550_receive(const struct ns16550 *uart);

/* The UART interrupts while received bytes wait; if not, what a read of IIR withdraws falls. */
void ns16550_set_receive_interrupt(struct ns16550 *uart, bool on);

/* Of features/uart32, behind HAS(uart32): an access of the width that the UART takes. */
uint8_t uart32_read(const struct ns16550 *uart, uint32_t number);
void uart32_write(const struct ns16550 *uart, uint32_t number, uint8_t value);
void uart32_transmit(const struct ns16550 *uart, const uint8_t *bytes, uint32_t count);

#endif
