/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a tenant's virtual 16550, over the rings of core/vuart.h; called as those are.
 */
#ifndef COTENANT_FEATURES_PLIC_VUART_REGISTERS_H
#define COTENANT_FEATURES_PLIC_VUART_REGISTERS_H

#include "core/vuart.h"

/* Bits of IER, MCR and MSR. */
#define VUART_IER_RECEIVE 0x01
#define VUART_IER_TRANSMIT 0x02
#define VUART_IER_LINE_STATUS 0x04
#define VUART_IER_MODEM_STATUS 0x08
#define VUART_MCR_LOOPBACK 0x10
#define VUART_MSR_DELTAS 0x0f

/* The tenant reads the byte register at `offset`; offsets above 7 read 0. */
uint8_t vuart_read(struct vuart *uart, unsigned offset);

/*
 * A read at `offset` would change nothing: not of RBR, IIR and MSR. Polling drivers read LSR far
 * more often than all else.
 */
static inline bool vuart_read_is_plain(const struct vuart *uart, unsigned offset)
{
    return (0x45u >> offset % 32 & 1) == 0 && !uart->overrun;
}

/*
 * The tenant writes the byte register at `offset`; writes above 7 are ignored. False: what has
 * changed has to do with neither bytes nor interrupts, as in LCR and SCR.
 */
bool vuart_write(struct vuart *uart, unsigned offset, uint8_t value);

/*
 * vuart_write() of a byte to THR if that changes nothing but the transmit ring, which has some
 * already: nobody has to be told. Else returns false, and nothing has changed.
 */
static inline bool vuart_put(struct vuart *uart, uint8_t byte)
{
    uint32_t head = uart->transmit.head;

    if (uart->transmit_left == 0 || byte == '\n' || head == uart->transmit.tail) {
        return false;
    }
    uart->transmit_left--;
    uart->transmit_data[head % VUART_TRANSMIT_SIZE] = byte;
    uart->transmit.head = head + 1;
    return true;
}

static inline bool vuart_in_loopback(const struct vuart *uart)
{
    return (uart->modem_control & VUART_MCR_LOOPBACK) != 0;
}

/* The bytes that RBR reads. In loopback the line is cut off; what it brings waits. */
static inline const struct ring *vuart_receiver(const struct vuart *uart)
{
    return vuart_in_loopback(uart) ? &uart->loopback : &uart->receive;
}

/* Level of the interrupt line. OUT2 does not gate it. The usual one comes first. */
static inline __attribute__((always_inline)) bool vuart_interrupt(const struct vuart *uart)
{
    uint8_t enabled = uart->interrupt_enable;

    return ((enabled & VUART_IER_TRANSMIT) != 0 && uart->transmit_interrupt) ||
           ((enabled & VUART_IER_RECEIVE) != 0 && ring_used(vuart_receiver(uart)) != 0) ||
           ((enabled & VUART_IER_LINE_STATUS) != 0 && uart->overrun) ||
           ((enabled & VUART_IER_MODEM_STATUS) != 0 &&
            (uart->modem_status & VUART_MSR_DELTAS) != 0);
}

#endif
