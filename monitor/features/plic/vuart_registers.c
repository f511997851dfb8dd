/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/vuart_registers.h"

/* Register offsets; the first two lead to the divisor while LCR_DLAB is set. */
enum {
    REG_DATA = 0,             /* RBR (read), THR (write), DLL */
    REG_INTERRUPT_ENABLE = 1, /* IER, DLM */
    REG_INTERRUPT_ID = 2,     /* IIR (read), FCR (write) */
    REG_LINE_CONTROL = 3,
    REG_MODEM_CONTROL = 4,
    REG_LINE_STATUS = 5,
    REG_MODEM_STATUS = 6,
    REG_SCRATCH = 7,
};

#define IER_MASK 0x0f

/* In the order of their priority. */
#define IIR_LINE_STATUS 0x06
#define IIR_RECEIVE 0x04
#define IIR_RECEIVE_TIMEOUT 0x0c
#define IIR_TRANSMIT 0x02
#define IIR_MODEM_STATUS 0x00
#define IIR_NONE 0x01
#define IIR_FIFOS 0xc0

#define FCR_ENABLE 0x01
#define FCR_CLEAR_RECEIVE 0x02
#define FCR_TRIGGER_SHIFT 6

#define LCR_DLAB 0x80

#define MCR_DTR 0x01
#define MCR_RTS 0x02
#define MCR_OUT1 0x04
#define MCR_OUT2 0x08
#define MCR_MASK 0x1f

#define LSR_DATA_READY 0x01
#define LSR_OVERRUN 0x02
#define LSR_TRANSMIT_READY 0x60 /* THRE and TEMT */

#define MSR_CTS 0x10
#define MSR_DSR 0x20
#define MSR_RI 0x40
#define MSR_DCD 0x80
#define MSR_LINES 0xf0
#define MSR_DELTA_SHIFT 4

/* Of so many bytes the console's work hears of one at least. */
#define TOLD_AFTER 64

static struct ring *receiver_to_change(struct vuart *uart)
{
    return vuart_in_loopback(uart) ? &uart->loopback : &uart->receive;
}

static uint8_t modem_lines(uint8_t modem_control)
{
    uint8_t lines = 0;

    if ((modem_control & VUART_MCR_LOOPBACK) == 0) {
        return VUART_LINES_READY;
    }
    if (modem_control & MCR_DTR) {
        lines |= MSR_DSR;
    }
    if (modem_control & MCR_RTS) {
        lines |= MSR_CTS;
    }
    if (modem_control & MCR_OUT1) {
        lines |= MSR_RI;
    }
    if (modem_control & MCR_OUT2) {
        lines |= MSR_DCD;
    }
    return lines;
}

static bool queue_for_console(struct vuart *uart, uint8_t byte)
{
    if (!ring_put(&uart->transmit, byte)) {
        return false;
    }
    if (byte == '\n') {
        uart->transmit_lines++;
    }
    return true;
}

/*
 * THR: the byte is "sent" at once as long as there is room, so THRE falls and rises again. Further
 * bytes change nothing but the ring until THRE falls for good, or, when it has, until that is full.
 */
static void transmit(struct vuart *uart, uint8_t byte)
{
    uint32_t left;

    if (vuart_in_loopback(uart)) {
        if (!ring_put(&uart->loopback, byte)) {
            uart->overrun = true;
        }
    } else if (!queue_for_console(uart, byte)) {
        uart->transmit_dropped++;
    }
    uart->transmit_interrupt = false;
    vuart_update_ready(uart);
    left = ring_space(&uart->transmit);
    if (uart->transmit_ready) {
        uart->transmit_interrupt = true;
        left -= COTENANT_UART_TRANSMIT_FIFO;
    }
    if (!vuart_in_loopback(uart)) {
        uart->transmit_left = left % TOLD_AFTER;
    }
}

static void write_interrupt_enable(struct vuart *uart, uint8_t value)
{
    uint8_t changed = (value ^ uart->interrupt_enable) & IER_MASK;

    uart->interrupt_enable = value & IER_MASK;
    if (changed & VUART_IER_TRANSMIT) {
        uart->transmit_interrupt = (value & VUART_IER_TRANSMIT) != 0 && uart->transmit_ready;
    }
}

/*
 * Clearing the receive FIFO takes what the FIFO of a 16550A would hold; the bytes behind it are
 * still "on the line". Clearing the transmit FIFO does nothing: its bytes have been sent.
 */
static void write_fifo_control(struct vuart *uart, uint8_t value)
{
    if (value & FCR_CLEAR_RECEIVE) {
        ring_drop(receiver_to_change(uart), VUART_FIFO_SIZE);
    }
    uart->fifo_control = (value & FCR_ENABLE) != 0 ? value : 0;
}

static void write_modem_control(struct vuart *uart, uint8_t value)
{
    uint8_t before = uart->modem_status & MSR_LINES;
    uint8_t after = modem_lines(value);
    uint8_t changed = before ^ after;

    if (after & MSR_RI) {
        changed &= (uint8_t)~MSR_RI; /* only the trailing edge of RI counts */
    }
    uart->modem_control = value & MCR_MASK;
    uart->modem_status =
        after | (uart->modem_status & VUART_MSR_DELTAS) | (uint8_t)(changed >> MSR_DELTA_SHIFT);
    if ((value & VUART_MCR_LOOPBACK) == 0) {
        ring_init(&uart->loopback, uart->loopback_data, VUART_FIFO_SIZE);
    }
}

static uint32_t trigger_level(const struct vuart *uart)
{
    static const uint8_t levels[] = {1, 4, 8, 14};

    return levels[uart->fifo_control >> FCR_TRIGGER_SHIFT];
}

/*
 * The interrupt of the highest priority, as IIR names it. There is no time here: bytes below the
 * trigger level are reported as a character timeout at once.
 */
static uint8_t pending_interrupt(const struct vuart *uart)
{
    uint8_t enabled = uart->interrupt_enable;
    uint32_t received = ring_used(vuart_receiver(uart));

    if ((enabled & VUART_IER_LINE_STATUS) && uart->overrun) {
        return IIR_LINE_STATUS;
    }
    if ((enabled & VUART_IER_RECEIVE) && received > 0) {
        bool below = uart->fifo_control != 0 && received < trigger_level(uart);

        return below ? IIR_RECEIVE_TIMEOUT : IIR_RECEIVE;
    }
    if ((enabled & VUART_IER_TRANSMIT) && uart->transmit_interrupt) {
        return IIR_TRANSMIT;
    }
    if ((enabled & VUART_IER_MODEM_STATUS) && (uart->modem_status & VUART_MSR_DELTAS)) {
        return IIR_MODEM_STATUS;
    }
    return IIR_NONE;
}

static uint8_t read_interrupt_id(struct vuart *uart)
{
    uint8_t pending = pending_interrupt(uart);

    if (pending == IIR_TRANSMIT) {
        uart->transmit_interrupt = false;
        uart->transmit_left = 0;
    }
    return pending | (uart->fifo_control != 0 ? IIR_FIFOS : 0);
}

static uint8_t read_line_status(struct vuart *uart)
{
    uint8_t status = 0;

    if (ring_used(vuart_receiver(uart)) > 0) {
        status |= LSR_DATA_READY;
    }
    if (uart->overrun) {
        status |= LSR_OVERRUN;
    }
    if (uart->transmit_ready) {
        status |= LSR_TRANSMIT_READY;
    }
    uart->overrun = false;
    return status;
}

static uint8_t read_modem_status(struct vuart *uart)
{
    uint8_t status = uart->modem_status;

    uart->modem_status = status & MSR_LINES;
    return status;
}

static uint8_t read_data(struct vuart *uart)
{
    int byte = ring_get(receiver_to_change(uart));

    return byte < 0 ? 0 : (uint8_t)byte;
}

uint8_t vuart_read(struct vuart *uart, unsigned offset)
{
    bool divisor = (uart->line_control & LCR_DLAB) != 0;

    if (offset == REG_LINE_STATUS) { /* far more often than all else */
        return read_line_status(uart);
    }
    switch (offset) {
    case REG_DATA:
        return divisor ? uart->divisor_low : read_data(uart);
    case REG_INTERRUPT_ENABLE:
        return divisor ? uart->divisor_high : uart->interrupt_enable;
    case REG_INTERRUPT_ID:
        return read_interrupt_id(uart);
    case REG_LINE_CONTROL:
        return uart->line_control;
    case REG_MODEM_CONTROL:
        return uart->modem_control;
    case REG_MODEM_STATUS:
        return read_modem_status(uart);
    case REG_SCRATCH:
        return uart->scratch;
    default:
        return 0;
    }
}

bool vuart_write(struct vuart *uart, unsigned offset, uint8_t value)
{
    bool divisor = (uart->line_control & LCR_DLAB) != 0;

    uart->transmit_left = 0;
    switch (offset) {
    case REG_DATA:
        if (divisor) {
            uart->divisor_low = value;
        } else {
            transmit(uart, value);
        }
        break;
    case REG_INTERRUPT_ENABLE:
        if (divisor) {
            uart->divisor_high = value;
        } else {
            write_interrupt_enable(uart, value);
        }
        break;
    case REG_INTERRUPT_ID:
        write_fifo_control(uart, value);
        break;
    case REG_LINE_CONTROL:
        uart->line_control = value;
        return false;
    case REG_MODEM_CONTROL:
        write_modem_control(uart, value);
        break;
    case REG_SCRATCH:
        uart->scratch = value;
        return false;
    default: /* LSR and MSR are read-only */
        break;
    }
    return true;
}
