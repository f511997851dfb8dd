/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams to other tenants: the ports of a virtio console with several ports (virtio 1.2, section
 * 5.3), which is how a tenant finds the channels that the system's configuration gives it.
 *
 *     struct channel *set_points;
 *
 *     channels_start();
 *     set_points = channel_open("set-points");
 *     plic_enable(channels_source(), 1);                  the handler calls channels_interrupt()
 *     ...
 *     count = channel_read(set_points, bytes, sizeof(bytes));          0: nothing has come
 *
 * Nothing here waits: what cannot be done now is not done, and an interrupt says when it can. The
 * functions have no lock: they are called by one context at a time, channels_interrupt() by an
 * interrupt handler at any time. freertos/stream.h adds both for FreeRTOS.
 */
#ifndef COTENANT_RT_CHANNEL_H
#define COTENANT_RT_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/virtio_mmio.h"

/*
 * Channels that a tenant can use; bytes that a buffer holds to send, and to receive. Each buffer
 * that is filled is an interrupt, so a large one is what makes long messages fast.
 */
#define CHANNEL_LIMIT 4
#define CHANNEL_BUFFER_SIZE 512
#define CHANNEL_RECEIVE_SIZE 4096
#define CHANNEL_NAME_SIZE 32

struct channel {
    char name[CHANNEL_NAME_SIZE]; /* "": there is none */
    uint32_t number;              /* of its port */
    bool connected;               /* somebody has opened the other end */
    /* What came and has not been read: the buffer, how much is in it, how much has been taken. */
    int received;
    uint32_t length;
    uint32_t taken;
    /* Aligned: what is aligned at both ends is copied in larger pieces. */
    _Alignas(uint64_t) uint8_t receive[VIRTIO_QUEUE_SIZE][CHANNEL_RECEIVE_SIZE];
    _Alignas(uint64_t) uint8_t transmit[VIRTIO_QUEUE_SIZE][CHANNEL_BUFFER_SIZE];
};

/*
 * Finds the virtual console and learns its ports. False: there is none, or it does not answer.
 * After a failure of the device it can be called again; all channels are then closed.
 */
bool channels_start(void);

/* The interrupt source of all channels. */
uint32_t channels_source(void);

/* In the interrupt handler, before the PLIC's completion. */
void channels_interrupt(void);

/* Opens the channel of that name. NULL: there is none. */
struct channel *channel_open(const char *name);

/* The other end sees a hang-up, after what was written before. */
void channel_close(struct channel *channel);

/*
 * Whether somebody has opened the other end. While nobody has, what is written is lost and nothing
 * comes.
 */
bool channel_is_connected(struct channel *channel);

/* Takes up to `size` bytes that have come; returns how many. An interrupt follows when more come.
 */
uint32_t channel_read(struct channel *channel, void *bytes, uint32_t size);

/*
 * Sends up to `size` bytes, each CHANNEL_BUFFER_SIZE of them as one message; returns how many:
 * fewer if there is no room. What is on its way when it returns is copied. With `wait`, an
 * interrupt follows when there is room again.
 */
uint32_t channel_write(struct channel *channel, const void *bytes, uint32_t size, bool wait);

#endif
