/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/uart.h"

void uart_init(void)
{
    uart_write(UART_INTERRUPT_ENABLE, 0);
    uart_write(UART_LINE_CONTROL, UART_LCR_8N1);
    uart_write(UART_FIFO_CONTROL,
               UART_FCR_ENABLE | UART_FCR_RESET_RECEIVE | UART_FCR_RESET_TRANSMIT);
    uart_write(UART_MODEM_CONTROL, UART_MCR_DTR_RTS_OUT2);
}

void uart_put(uint8_t byte)
{
    while ((uart_read(UART_LINE_STATUS) & UART_LSR_TRANSMIT_EMPTY) == 0) {
    }
    uart_write(UART_DATA, byte);
}

bool uart_get(uint8_t *byte)
{
    if ((uart_read(UART_LINE_STATUS) & UART_LSR_READY) == 0) {
        return false;
    }
    *byte = uart_read(UART_DATA);
    return true;
}
