/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16550A that a tenant sees: NS16550A semantics (16-byte FIFOs, loopback, modem lines that
 * are always ready), byte registers at offsets 0..7, no baud rate. Only its transmit FIFO is
 * larger, as its node in the device tree says.
 *
 * Behind the registers are two rings. What the tenant transmits waits in `transmit` until the
 * console multiplexer takes it; as far as the tenant can see, a byte is sent once it is in there.
 * What the console receives for the tenant waits in `receive`, which is far larger than the real
 * FIFO so that pasted text survives a tenant that is away for a while.
 *
 * Functions are called in M-mode with interrupts off and the shared lock held. Every function takes
 * a constant time, block transfers a time proportional to the bytes that they move. After any call
 * that changes something the caller calls vuart_refresh(), for the tenant's interrupt.
 */
#ifndef COTENANT_CORE_VUART_H
#define COTENANT_CORE_VUART_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/limits.h"
#include "core/ring.h"

#define VUART_RECEIVE_SIZE 2048
#define VUART_TRANSMIT_SIZE 1024
/* Depth of the receive FIFO, and of what loopback keeps: a 16550A's. */
#define VUART_FIFO_SIZE 16
/* MSR outside of loopback: DCD, DSR and CTS. */
#define VUART_LINES_READY 0xb0

struct vuart {
    struct ring receive;
    struct ring transmit;
    struct ring loopback; /* what loopback mode sent to itself */

    uint8_t interrupt_enable;  /* IER, bits 3:0 */
    uint8_t fifo_control;      /* FCR: enable and receive trigger level */
    uint8_t line_control;      /* LCR */
    uint8_t modem_control;     /* MCR, bits 4:0 */
    uint8_t modem_status;      /* MSR, with the delta bits */
    uint8_t scratch;           /* SCR */
    uint8_t divisor_low;       /* DLL */
    uint8_t divisor_high;      /* DLM */
    bool overrun;              /* LSR.OE: a received byte was lost since LSR was read */
    bool transmit_ready;       /* LSR.THRE and LSR.TEMT */
    bool transmit_interrupt;   /* the THRE interrupt is pending (seen if IER enables it) */
    bool closed;               /* the tenant does not run: input for it is thrown away */
    uint32_t transmit_lines;   /* '\n' bytes in the transmit ring */
    uint32_t transmit_dropped; /* bytes that the tenant wrote while the ring was full */
    uint32_t receive_dropped;  /* bytes for the tenant that found no room */
    uint32_t transmit_left;    /* bytes that vuart_put() may take before the next vuart_write() */

    uint8_t transmit_data[VUART_TRANSMIT_SIZE];
    uint8_t receive_data[VUART_RECEIVE_SIZE];
    uint8_t loopback_data[VUART_FIFO_SIZE];
};

/* State after power-on: rings empty, counters zero. Called once, before any other function. */
void vuart_init(struct vuart *uart);

/*
 * The tenant restarts: registers, received bytes and loopback are as after power-on. What it had
 * transmitted stays queued (its last words may tell why it restarted), and so do the counters.
 */
void vuart_reset(struct vuart *uart);

/* A byte arrives for the tenant; false: no room, the byte is lost, counted, and sets LSR.OE. */
bool vuart_receive(struct vuart *uart, uint8_t byte);

/*
 * A driver that sees THRE writes a whole FIFO without looking again, so THRE needs that much room.
 * Once it fell, it rises only when half of the ring is free: else a tenant that prints faster than
 * the console takes would be interrupted for each FIFO.
 */
#define VUART_RESUME_SPACE (VUART_TRANSMIT_SIZE / 2)

/* Brings THRE up to date after the transmit ring changed; its rise is an interrupt. */
static inline void vuart_update_ready(struct vuart *uart)
{
    uint32_t space = ring_space(&uart->transmit);

    if (space < COTENANT_UART_TRANSMIT_FIFO) {
        uart->transmit_ready = false;
    } else if (!uart->transmit_ready && space >= VUART_RESUME_SPACE) {
        uart->transmit_ready = true;
        uart->transmit_interrupt = true;
    }
}

struct tenant;

/*
 * The tenant's console has changed by other means than its registers. The feature that has these
 * replaces the function, which lies in the steps of the console.
 */
void vuart_refresh(struct tenant *tenant);

/* Bytes that wait for the console. uart->transmit_lines of them are '\n'. */
static inline uint32_t vuart_transmit_used(const struct vuart *uart)
{
    return ring_used(&uart->transmit);
}

/* The console takes the oldest byte, 0..255; -1: none. May raise the THRE interrupt. */
int vuart_transmit_next(struct vuart *uart);

/*
 * SBI debug console: appends up to `length` bytes to what the tenant transmits, whatever the state
 * of the registers. Returns how many were taken: fewer when the ring is full (not counted as
 * dropped, the tenant is told). The caller bounds `length` to bound the time.
 */
uint32_t vuart_console_write(struct vuart *uart, const uint8_t *bytes, uint32_t length);

/* SBI debug console: takes up to `length` received bytes; returns how many there were. */
uint32_t vuart_console_read(struct vuart *uart, uint8_t *bytes, uint32_t length);

#endif
