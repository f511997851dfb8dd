/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a tenant's virtual 16550, over the rings of core/vuart.h; called as those are.
 */
#ifndef COTENANT_FEATURES_PLIC_VUART_REGISTERS_H
#define COTENANT_FEATURES_PLIC_VUART_REGISTERS_H

#include "core/vuart.h"

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

/* The tenant writes the byte register at `offset`; writes above 7 are ignored. */
void vuart_write(struct vuart *uart, unsigned offset, uint8_t value);

/* What a write at `offset` changes has to do with neither bytes nor interrupts: LCR and SCR. */
static inline bool vuart_write_is_plain(unsigned offset)
{
    return offset == 3 || offset == 7;
}

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

/* Level of the interrupt line. OUT2 does not gate it. */
bool vuart_interrupt(const struct vuart *uart);

#endif
