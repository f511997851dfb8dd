/* SPDX-License-Identifier: BSD-2-Clause */
/* A 16550A UART, whose other end is read and written by console.c. */
#ifndef COHOST_NS16550_H
#define COHOST_NS16550_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS16550_FIFO 16
#define NS16550_OUTPUT 65536

struct ns16550 {
    pthread_mutex_t lock;
    pthread_cond_t room; /* in the output, or the guest has ended */
    unsigned source;
    bool waits_for_rts; /* bytes arrive only while the guest's driver requests them */
    bool line;          /* the level of the interrupt line */
    bool closed;        /* nothing is written any more */
    bool sent_notice;   /* a transmit interrupt is due */
    uint8_t enabled, line_control, modem_control, scratch, divisor[2], fifo_control;
    uint8_t received[NS16550_FIFO];
    unsigned received_count;
    uint8_t output[NS16550_OUTPUT];
    size_t output_first, output_count;
    int output_event; /* readable when there may be output, and when there is room for input */
};

/* Adds one to the bus. `output_event`: an eventfd. */
void ns16550_add(struct ns16550 *uart, int output_event);

/* Puts it into the state that it has after a reset of the machine; output that waits stays. */
void ns16550_reset(struct ns16550 *uart);

/* What the guest's driver has set, and bytes that wait for it: of a guest that is saved. */
struct ns16550_state {
    uint8_t enabled, line_control, modem_control, scratch, divisor[2], fifo_control;
    uint8_t sent_notice, received_count;
    uint8_t received[NS16550_FIFO];
};
void ns16550_save(struct ns16550 *uart, struct ns16550_state *state);
void ns16550_restore(struct ns16550 *uart, const struct ns16550_state *state);

/* No store waits for room from now on. */
void ns16550_close(struct ns16550 *uart);

/* Gives it bytes that have arrived; returns how many found room, none before the guest listens. */
size_t ns16550_receive(struct ns16550 *uart, const uint8_t *bytes, size_t count);

/* Copies output that waits, up to `room` bytes; ns16550_sent takes it away. */
size_t ns16550_output(struct ns16550 *uart, uint8_t *bytes, size_t room);
void ns16550_sent(struct ns16550 *uart, size_t count);

/* Adds a byte to the output, after waiting for room. */
void ns16550_put(struct ns16550 *uart, uint8_t byte);

#endif
