/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver of a 16550 (National Semiconductor PC16550D data sheet), at the device tree's address. */
#ifndef COTENANT_RT_UART_H
#define COTENANT_RT_UART_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/platform.h"

/* Registers (section 8.0 of the data sheet); some share a number by direction or by DLAB. */
#define UART_DATA 0
#define UART_INTERRUPT_ENABLE 1
#define UART_INTERRUPT_ID 2
#define UART_FIFO_CONTROL 2
#define UART_LINE_CONTROL 3
#define UART_MODEM_CONTROL 4
#define UART_LINE_STATUS 5
#define UART_MODEM_STATUS 6
#define UART_SCRATCH 7
#define UART_DIVISOR_LOW 0
#define UART_DIVISOR_HIGH 1

#define UART_IER_RECEIVED 0x01
#define UART_IER_TRANSMIT_EMPTY 0x02
#define UART_IIR_NONE 0x01
#define UART_IIR_MASK 0x0f
#define UART_IIR_TRANSMIT_EMPTY 0x02
#define UART_IIR_RECEIVED 0x04
#define UART_IIR_TIMEOUT 0x0c
#define UART_IIR_FIFOS 0xc0
#define UART_FCR_ENABLE 0x01
#define UART_FCR_RESET_RECEIVE 0x02
#define UART_FCR_RESET_TRANSMIT 0x04
#define UART_LCR_8N1 0x03
#define UART_LCR_DLAB 0x80
#define UART_MCR_DTR_RTS_OUT2 0x0b
#define UART_MCR_LOOPBACK 0x10
#define UART_LSR_READY 0x01
#define UART_LSR_OVERRUN 0x02
#define UART_LSR_TRANSMIT_EMPTY 0x20
#define UART_LSR_IDLE 0x40

static inline volatile uint8_t *uart_register(unsigned number)
{
    return (volatile uint8_t *)(platform.uart_base + ((uint64_t)number << platform.uart_shift));
}

static inline uint8_t uart_read(unsigned number)
{
    return *uart_register(number);
}

static inline void uart_write(unsigned number, uint8_t value)
{
    *uart_register(number) = value;
}

/* 8N1, FIFOs on and empty, interrupts off. Call it before anything below. */
void uart_init(void);

/* Sends one byte, waiting for room. */
void uart_put(uint8_t byte);

/* Takes a received byte; false if there is none. */
bool uart_get(uint8_t *byte);

#endif
