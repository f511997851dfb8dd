/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/sifive_uart.h"

#include "arch/mmio.h"
#include "core/feature.h"

enum {
    REG_TRANSMIT_DATA = 0x00,
    REG_RECEIVE_DATA = 0x04,
    REG_TRANSMIT_CONTROL = 0x08,
    REG_RECEIVE_CONTROL = 0x0c,
    REG_INTERRUPT_ENABLE = 0x10,
    REG_INTERRUPT_PENDING = 0x14,
    REG_DIVISOR = 0x18,
};

#define RECEIVE_EMPTY 0x80000000u

/* The watermark interrupts pend with fewer than 1 entries to send, and more than 0 received. */
#define TRANSMIT_ENABLE_WATERMARK_1 0x10001
#define RECEIVE_ENABLE_WATERMARK_0 0x1

#define INTERRUPT_TRANSMIT 0x1
#define INTERRUPT_RECEIVE 0x2

void sifive_uart_init(struct sifive_uart *uart, uint64_t base, uint32_t divisor)
{
    uart->base = base;
    mmio_write32(base + REG_INTERRUPT_ENABLE, 0);
    if (divisor != 0) {
        mmio_write32(base + REG_DIVISOR, divisor);
    }
    mmio_write32(base + REG_TRANSMIT_CONTROL, TRANSMIT_ENABLE_WATERMARK_1);
    mmio_write32(base + REG_RECEIVE_CONTROL, RECEIVE_ENABLE_WATERMARK_0);
}

bool sifive_uart_transmit_ready(const struct sifive_uart *uart)
{
    return (mmio_read32(uart->base + REG_INTERRUPT_PENDING) & INTERRUPT_TRANSMIT) != 0;
}

void sifive_uart_transmit(const struct sifive_uart *uart, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < SIFIVE_UART_FIFO_SIZE; i++) {
        mmio_write32(uart->base + REG_TRANSMIT_DATA, bytes[i]);
    }
}

int sifive_uart_receive(const struct sifive_uart *uart)
{
    uint32_t data = mmio_read32(uart->base + REG_RECEIVE_DATA);

    return (data & RECEIVE_EMPTY) != 0 ? -1 : (int)(data & 0xff);
}

void sifive_uart_set_receive_interrupt(const struct sifive_uart *uart, bool on)
{
    mmio_write32(uart->base + REG_INTERRUPT_ENABLE, on ? INTERRUPT_RECEIVE : 0);
}

FEATURE(sifive_uart);
