/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/ns16550.h"

#include "arch/mmio.h"

enum {
    REG_DATA = 0,             /* RBR, THR; DLL while LCR_DLAB */
    REG_INTERRUPT_ENABLE = 1, /* IER; DLM while LCR_DLAB */
    REG_INTERRUPT_ID = 2,     /* IIR */
    REG_FIFO_CONTROL = 2,
    REG_LINE_CONTROL = 3,
    REG_MODEM_CONTROL = 4,
    REG_LINE_STATUS = 5,
    REG_MODEM_STATUS = 6,
    REG_SCRATCH = 7,
};

#define IER_RECEIVE 0x01

#define FCR_ENABLE_AND_CLEAR 0x07 /* trigger level 1: input wakes us at once */

#define LCR_8_BITS 0x03
#define LCR_DLAB 0x80

#define MCR_DTR_RTS_OUT2 0x0b /* on PC-like boards OUT2 lets the interrupt out */

#define LSR_DATA_READY 0x01
#define LSR_TRANSMIT_FIFO_EMPTY 0x20
#define LSR_TRANSMITTER_EMPTY 0x40

static uint8_t read_register(const struct ns16550 *uart, uint32_t number)
{
    return mmio_read8(uart->base + ((uint64_t)number << uart->shift));
}

static void write_register(const struct ns16550 *uart, uint32_t number, uint8_t value)
{
    mmio_write8(uart->base + ((uint64_t)number << uart->shift), value);
}

/* No interrupts; a divisor of 0: leave it as it is. */
static void set_line(const struct ns16550 *uart, uint8_t control, uint32_t divisor)
{
    write_register(uart, REG_LINE_CONTROL, control);
    write_register(uart, REG_INTERRUPT_ENABLE, 0);
    if (divisor != 0) {
        write_register(uart, REG_LINE_CONTROL, LCR_DLAB | control);
        write_register(uart, REG_DATA, (uint8_t)divisor);
        write_register(uart, REG_INTERRUPT_ENABLE, (uint8_t)(divisor >> 8));
        write_register(uart, REG_LINE_CONTROL, control);
    }
}

void ns16550_init(struct ns16550 *uart, uint64_t base, uint32_t shift, uint32_t divisor)
{
    uart->base = base;
    uart->shift = shift;
    uart->interrupt_enable = 0;

    set_line(uart, LCR_8_BITS, divisor);
    write_register(uart, REG_FIFO_CONTROL, FCR_ENABLE_AND_CLEAR);
    write_register(uart, REG_MODEM_CONTROL, MCR_DTR_RTS_OUT2);
}

void ns16550_reset(uint64_t base, uint32_t shift, uint32_t divisor)
{
    struct ns16550 uart = {.base = base, .shift = shift};

    set_line(&uart, 0, divisor);
    write_register(&uart, REG_MODEM_CONTROL, 0); /* no loop, or what is sent comes back */
    write_register(&uart, REG_FIFO_CONTROL, FCR_ENABLE_AND_CLEAR);
    write_register(&uart, REG_FIFO_CONTROL, 0);
    write_register(&uart, REG_SCRATCH, 0);
    /* Each of these forgets something when it is read. */
    (void)read_register(&uart, REG_DATA);
    (void)read_register(&uart, REG_LINE_STATUS);
    (void)read_register(&uart, REG_MODEM_STATUS);
}

bool ns16550_transmit_ready(const struct ns16550 *uart)
{
    return (read_register(uart, REG_LINE_STATUS) & LSR_TRANSMIT_FIFO_EMPTY) != 0;
}

bool ns16550_transmit_done(const struct ns16550 *uart)
{
    return (read_register(uart, REG_LINE_STATUS) & LSR_TRANSMITTER_EMPTY) != 0;
}

void ns16550_transmit(const struct ns16550 *uart, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < NS16550_FIFO_SIZE; i++) {
        write_register(uart, REG_DATA, bytes[i]);
    }
}

int ns16550_receive(const struct ns16550 *uart)
{
    if ((read_register(uart, REG_LINE_STATUS) & LSR_DATA_READY) == 0) {
        return -1;
    }
    return read_register(uart, REG_DATA);
}

void ns16550_set_receive_interrupt(struct ns16550 *uart, bool on)
{
    uint8_t enabled = on ? IER_RECEIVE : 0;

    if (uart->interrupt_enable != enabled) {
        uart->interrupt_enable = enabled;
        write_register(uart, REG_INTERRUPT_ENABLE, enabled);
    }
}

void ns16550_acknowledge(const struct ns16550 *uart)
{
    (void)read_register(uart, REG_INTERRUPT_ID);
}
