/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the guest transmits goes to a large buffer at once. When that is full the transmitter is not
 * ready, and a store all the same waits: nothing is lost.
 */
#include "ns16550.h"

#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "guest.h"

enum {
    DATA,
    INTERRUPT_ENABLE,
    INTERRUPT_ID,
    LINE_CONTROL,
    MODEM_CONTROL,
    LINE_STATUS,
    MODEM_STATUS,
    SCRATCH
};
#define FIFO_CONTROL INTERRUPT_ID
#define REGISTER_SHIFT 2
#define REGISTER_SIZE (1 << REGISTER_SHIFT)
#define CLOCK 3686400
#define SENDER_FIFO 128

#define ENABLE_RECEIVED 0x01
#define ENABLE_SENT 0x02
#define ID_NONE 0x01
#define ID_SENT 0x02
#define ID_RECEIVED 0x04
#define ID_FIFOS 0xc0
#define FIFO_ENABLE 0x01
#define FIFO_CLEAR_RECEIVER 0x02
#define DIVISOR_ACCESS 0x80
#define MODEM_RTS 0x02 /* the guest takes bytes */
#define MODEM_LOOPBACK 0x10
#define STATUS_RECEIVED 0x01
#define STATUS_READY 0x60    /* transmitter's holding register and shift register empty */
#define MODEM_CONNECTED 0xb0 /* carrier, data set ready, clear to send */

static void tell(const struct ns16550 *uart)
{
    const uint64_t one = 1;

    (void)!write(uart->output_event, &one, sizeof(one));
}

static bool is_ready(const struct ns16550 *uart)
{
    return uart->output_count < NS16550_OUTPUT;
}

static uint8_t interrupt_id(const struct ns16550 *uart)
{
    if ((uart->enabled & ENABLE_RECEIVED) != 0 && uart->received_count > 0) {
        return ID_RECEIVED;
    }
    return (uart->enabled & ENABLE_SENT) != 0 && uart->sent_notice ? ID_SENT : ID_NONE;
}

static void update_line(struct ns16550 *uart)
{
    bool high = interrupt_id(uart) != ID_NONE;

    if (high != uart->line) {
        uart->line = high;
        guest_line(uart->source, high);
    }
}

static void append(struct ns16550 *uart, uint8_t byte)
{
    while (!is_ready(uart) && !uart->closed) {
        pthread_cond_wait(&uart->room, &uart->lock);
    }
    if (!is_ready(uart)) {
        return;
    }
    uart->output[(uart->output_first + uart->output_count) % NS16550_OUTPUT] = byte;
    if (uart->output_count++ == 0) {
        tell(uart);
    }
}

static void transmit(struct ns16550 *uart, uint8_t byte)
{
    if ((uart->modem_control & MODEM_LOOPBACK) != 0) {
        return;
    }
    append(uart, byte);
    uart->sent_notice = is_ready(uart);
}

static uint8_t take_received(struct ns16550 *uart)
{
    uint8_t byte = uart->received[0];

    if (uart->received_count == 0) {
        return 0;
    }
    memmove(uart->received, uart->received + 1, --uart->received_count);
    if (uart->received_count == 0) {
        tell(uart);
    }
    return byte;
}

static uint8_t take_interrupt_id(struct ns16550 *uart)
{
    uint8_t id = interrupt_id(uart);

    if (id == ID_SENT) {
        uart->sent_notice = false;
    }
    return id | ((uart->fifo_control & FIFO_ENABLE) != 0 ? ID_FIFOS : 0);
}

static uint8_t modem_status(const struct ns16550 *uart)
{
    uint8_t control = uart->modem_control;

    if ((control & MODEM_LOOPBACK) == 0) {
        return MODEM_CONNECTED;
    }
    /* The outputs (DTR, RTS, OUT1, OUT2) are the inputs (DSR, CTS, RI, DCD). */
    return (uint8_t)((control & 2) << 3 | (control & 1) << 5 | (control & 4) << 4 |
                     (control & 8) << 4);
}

static uint8_t load(struct ns16550 *uart, unsigned offset)
{
    bool divisor = (uart->line_control & DIVISOR_ACCESS) != 0;

    switch (offset) {
    case DATA:
        return divisor ? uart->divisor[0] : take_received(uart);
    case INTERRUPT_ENABLE:
        return divisor ? uart->divisor[1] : uart->enabled;
    case INTERRUPT_ID:
        return take_interrupt_id(uart);
    case LINE_CONTROL:
        return uart->line_control;
    case MODEM_CONTROL:
        return uart->modem_control;
    case LINE_STATUS:
        return (is_ready(uart) ? STATUS_READY : 0) |
               (uart->received_count > 0 ? STATUS_RECEIVED : 0);
    case MODEM_STATUS:
        return modem_status(uart);
    case SCRATCH:
        return uart->scratch;
    default:
        return 0;
    }
}

static void enable_interrupts(struct ns16550 *uart, uint8_t value)
{
    if ((value & ~uart->enabled & ENABLE_SENT) != 0) {
        uart->sent_notice = is_ready(uart);
    }
    uart->enabled = value & 0xf;
    tell(uart); /* input may wait for this */
}

static void control_fifo(struct ns16550 *uart, uint8_t value)
{
    uart->fifo_control = value;
    if ((value & FIFO_CLEAR_RECEIVER) != 0) {
        uart->received_count = 0;
        tell(uart);
    }
}

static void store(struct ns16550 *uart, unsigned offset, uint8_t value)
{
    if ((uart->line_control & DIVISOR_ACCESS) != 0 && offset <= INTERRUPT_ENABLE) {
        uart->divisor[offset] = value;
        return;
    }
    switch (offset) {
    case DATA:
        transmit(uart, value);
        break;
    case INTERRUPT_ENABLE:
        enable_interrupts(uart, value);
        break;
    case FIFO_CONTROL:
        control_fifo(uart, value);
        break;
    case LINE_CONTROL:
        uart->line_control = value;
        break;
    case MODEM_CONTROL:
        uart->modem_control = value;
        tell(uart); /* input may wait for this */
        break;
    case SCRATCH:
        uart->scratch = value;
        break;
    default:
        break;
    }
}

/*
 * The registers are words, which the monitor passes on in a third of the instructions that it takes
 * for bytes; and the transmitter takes many bytes for one interrupt and one look at its state.
 */
static const struct bus_cell cells[] = {
    {"clock-frequency", CLOCK}, {"reg-shift", REGISTER_SHIFT}, {"reg-io-width", REGISTER_SIZE},
    {"fifo-size", SENDER_FIFO}, {"tx-threshold", 0},           {NULL, 0},
};

static unsigned register_at(uint64_t offset)
{
    return (unsigned)(offset >> REGISTER_SHIFT);
}

static uint64_t bus_loads(void *device, uint64_t offset, unsigned size)
{
    struct ns16550 *uart = device;
    uint8_t value;

    (void)size;
    pthread_mutex_lock(&uart->lock);
    value = load(uart, register_at(offset));
    update_line(uart);
    pthread_mutex_unlock(&uart->lock);
    return value;
}

static void bus_stores(void *device, uint64_t offset, uint64_t value, unsigned size)
{
    struct ns16550 *uart = device;

    (void)size;
    pthread_mutex_lock(&uart->lock);
    store(uart, register_at(offset), (uint8_t)value);
    update_line(uart);
    pthread_mutex_unlock(&uart->lock);
}

void ns16550_add(struct ns16550 *uart, int output_event)
{
    const struct bus_device device = {
        .node = "serial",
        .compatible = "ns16550a",
        .cells = cells,
        .device = uart,
        .load = bus_loads,
        .store = bus_stores,
    };

    pthread_mutex_init(&uart->lock, NULL);
    pthread_cond_init(&uart->room, NULL);
    uart->output_event = output_event;
    uart->source = bus_add(device);
}

void ns16550_reset(struct ns16550 *uart)
{
    pthread_mutex_lock(&uart->lock);
    uart->enabled = uart->line_control = uart->modem_control = uart->fifo_control = 0;
    uart->received_count = 0;
    uart->line = uart->sent_notice = uart->closed = false;
    pthread_mutex_unlock(&uart->lock);
}

void ns16550_save(struct ns16550 *uart, struct ns16550_state *state)
{
    pthread_mutex_lock(&uart->lock);
    *state = (struct ns16550_state){
        .enabled = uart->enabled,
        .line_control = uart->line_control,
        .modem_control = uart->modem_control,
        .scratch = uart->scratch,
        .divisor = {uart->divisor[0], uart->divisor[1]},
        .fifo_control = uart->fifo_control,
        .sent_notice = uart->sent_notice,
        .received_count = (uint8_t)uart->received_count,
    };
    memcpy(state->received, uart->received, sizeof(state->received));
    pthread_mutex_unlock(&uart->lock);
}

void ns16550_restore(struct ns16550 *uart, const struct ns16550_state *state)
{
    pthread_mutex_lock(&uart->lock);
    uart->enabled = state->enabled;
    uart->line_control = state->line_control;
    uart->modem_control = state->modem_control;
    uart->scratch = state->scratch;
    memcpy(uart->divisor, state->divisor, sizeof(uart->divisor));
    uart->fifo_control = state->fifo_control;
    uart->sent_notice = state->sent_notice != 0;
    uart->received_count =
        state->received_count < NS16550_FIFO ? state->received_count : NS16550_FIFO;
    memcpy(uart->received, state->received, sizeof(uart->received));
    update_line(uart);
    pthread_mutex_unlock(&uart->lock);
}

void ns16550_close(struct ns16550 *uart)
{
    pthread_mutex_lock(&uart->lock);
    uart->closed = true;
    pthread_cond_broadcast(&uart->room);
    pthread_mutex_unlock(&uart->lock);
}

/* Until the guest's driver has opened the port, what is typed waits. */
static size_t room_in(const struct ns16550 *uart)
{
    bool ready = (uart->enabled & ENABLE_RECEIVED) != 0 &&
                 (!uart->waits_for_rts || (uart->modem_control & MODEM_RTS) != 0);

    return ready ? NS16550_FIFO - uart->received_count : 0;
}

size_t ns16550_receive(struct ns16550 *uart, const uint8_t *bytes, size_t count)
{
    size_t room;

    pthread_mutex_lock(&uart->lock);
    room = room_in(uart);
    count = count < room ? count : room;
    memcpy(uart->received + uart->received_count, bytes, count);
    uart->received_count += (unsigned)count;
    update_line(uart);
    pthread_mutex_unlock(&uart->lock);
    return count;
}

size_t ns16550_output(struct ns16550 *uart, uint8_t *bytes, size_t room)
{
    size_t count;

    pthread_mutex_lock(&uart->lock);
    count = uart->output_count < room ? uart->output_count : room;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = uart->output[(uart->output_first + i) % NS16550_OUTPUT];
    }
    pthread_mutex_unlock(&uart->lock);
    return count;
}

void ns16550_sent(struct ns16550 *uart, size_t count)
{
    bool was_ready;

    pthread_mutex_lock(&uart->lock);
    was_ready = is_ready(uart);
    uart->output_first = (uart->output_first + count) % NS16550_OUTPUT;
    uart->output_count -= count;
    if (!was_ready && count > 0) {
        uart->sent_notice = true;
        update_line(uart);
        pthread_cond_broadcast(&uart->room);
    }
    pthread_mutex_unlock(&uart->lock);
}

void ns16550_put(struct ns16550 *uart, uint8_t byte)
{
    pthread_mutex_lock(&uart->lock);
    append(uart, byte);
    pthread_mutex_unlock(&uart->lock);
}
