/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of 16550s, as bytes or as 32 bits. One that takes nothing but 32 bits is mostly a
 * DesignWare APB UART, which has a habit of its own (DW_apb_uart Databook, "Busy Functionality"):
 * line settings that are written while it sends are not taken, and it interrupts until its status
 * register USR is read. The firmware before may have left it sending.
 */
#include "arch/mmio.h"
#include "core/feature.h"
#include "device/ns16550.h"

#define UART_STATUS 31 /* USR */
#define IIR_MASK 0x0f
#define IIR_BUSY 0x07

static uint64_t address_of(const struct ns16550 *uart, uint32_t number)
{
    return uart->base + ((uint64_t)number << (uart->shift & (NS16550_32_BITS - 1)));
}

static bool is_32_bits(const struct ns16550 *uart)
{
    return (uart->shift & NS16550_32_BITS) != 0;
}

uint8_t uart32_read(const struct ns16550 *uart, uint32_t number)
{
    uint8_t value;

    if (!is_32_bits(uart)) {
        return mmio_read8(address_of(uart, number));
    }
    value = (uint8_t)mmio_read32(address_of(uart, number));
    if (number == NS16550_INTERRUPT_ID && (value & IIR_MASK) == IIR_BUSY) {
        (void)mmio_read32(address_of(uart, UART_STATUS));
    }
    return value;
}

void uart32_write(const struct ns16550 *uart, uint32_t number, uint8_t value)
{
    if (!is_32_bits(uart)) {
        mmio_write8(address_of(uart, number), value);
    } else if (number != NS16550_LINE_CONTROL || uart32_read(uart, number) != value) {
        mmio_write32(address_of(uart, number), value);
    }
}

void uart32_transmit(const struct ns16550 *uart, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uart32_write(uart, NS16550_DATA, bytes[i]);
    }
}

FEATURE(uart32);
