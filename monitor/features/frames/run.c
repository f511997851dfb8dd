/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/frames/run.h"

#include <stddef.h>

/* Bytes between two looks at interrupts: up to a multiple of this in the ring. */
#define PIECE 8

/* vuart_transmit_next() for as many bytes as lie together, at most `room`. */
static uint32_t take_together(struct vuart *uart, uint8_t *bytes, uint64_t room)
{
    uint32_t tail = uart->transmit.tail;
    const uint8_t *from = &uart->transmit_data[tail % VUART_TRANSMIT_SIZE];
    uint64_t used = uart->transmit.head - tail;
    uint64_t count = PIECE - tail % PIECE;
    uint32_t lines = 0;

    count = count < used ? count : used;
    count = count < room ? count : room;
    for (const uint8_t *end = from + count; from != end; from++) {
        uint8_t byte = *from;

        *bytes++ = byte;
        lines += byte == '\n';
    }
    uart->transmit.tail = tail + (uint32_t)count;
    uart->transmit_lines -= lines;
    vuart_update_ready(uart);
    return (uint32_t)count;
}

uint32_t frames_run(struct console_mux *mux, uint8_t *bytes, uint32_t room)
{
    struct vuart *uart = mux->turn < mux->tenant_count ? mux->uarts[mux->turn] : NULL;
    uint32_t count = 0;

    if (mux->out_state == CONSOLE_FRAME_PAYLOAD && uart != NULL) {
        count = take_together(uart, bytes, mux->out_left < room ? mux->out_left : room);
        mux->out_left -= count;
        if (mux->out_left == 0) {
            mux->out_state = CONSOLE_FRAME_IDLE;
        }
    }
    return count;
}
