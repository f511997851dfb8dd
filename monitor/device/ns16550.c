/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/ns16550.h"

#include "arch/mmio.h"
#include "core/feature.h"

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
    return HAS(uart32) ? uart32_read(uart, number)
                       : mmio_read8(uart->base + ((uint64_t)number << uart->shift));
}

static void write_register(const struct ns16550 *uart, uint32_t number, uint8_t value)
{
    if (HAS(uart32)) {
        uart32_write(uart, number, value);
    } else {
        mmio_write8(uart->base + ((uint64_t)number << uart->shift), value);
    }
}

void ns16550_init(struct ns16550 *uart, uint64_t base, uint32_t shift, uint32_t divisor)
{
    uart->base = base;
    uart->shift = shift;
    uart->interrupt_enable = 0;

    write_register(uart, NS16550_LINE_CONTROL, LCR_8_BITS);
    write_register(uart, NS16550_INTERRUPT_ENABLE, 0);
    if (divisor != 0) {
        write_register(uart, NS16550_LINE_CONTROL, LCR_DLAB | LCR_8_BITS);
        write_register(uart, NS16550_DATA, (uint8_t)divisor);
        write_register(uart, NS16550_INTERRUPT_ENABLE, (uint8_t)(divisor >> 8));
        write_register(uart, NS16550_LINE_CONTROL, LCR_8_BITS);
    }
    write_register(uart, NS16550_FIFO_CONTROL, FCR_ENABLE_AND_CLEAR);
    write_register(uart, NS16550_MODEM_CONTROL, MCR_DTR_RTS_OUT2);
}

bool ns16550_transmit_ready(const struct ns16550 *uart)
{
    return (read_register(uart, NS16550_LINE_STATUS) & LSR_TRANSMIT_FIFO_EMPTY) != 0;
}

bool ns16550_transmit_done(const struct ns16550 *uart)
{
    return (read_register(uart, NS16550_LINE_STATUS) & LSR_TRANSMITTER_EMPTY) != 0;
}

void ns16550_transmit(const struct ns16550 *uart, const uint8_t *bytes, uint32_t count)
{
    uint64_t data = uart->base; /* NS16550_DATA is 0 */

    count = count < NS16550_FIFO_SIZE ? count : NS16550_FIFO_SIZE;
    if (HAS(uart32) && (uart->shift & NS16550_32_BITS) != 0) {
        uart32_transmit(uart, bytes, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        mmio_write8(data, bytes[i]);
    }
}

int ns16550_receive(const struct ns16550 *uart)
{
    if ((read_register(uart, NS16550_LINE_STATUS) & LSR_DATA_READY) == 0) {
        return -1;
    }
    return read_register(uart, NS16550_DATA);
}

void ns16550_set_receive_interrupt(struct ns16550 *uart, bool on)
{
    uint8_t enabled = on ? IER_RECEIVE : 0;

    if (uart->interrupt_enable != enabled) {
        uart->interrupt_enable = enabled;
        write_register(uart, NS16550_INTERRUPT_ENABLE, enabled);
    }
    if (!on) {
        (void)read_register(uart, NS16550_INTERRUPT_ID); /* withdraws what this does */
    }
}
