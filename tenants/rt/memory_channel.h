/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory channels to other tenants: messages through a window that both ends share
 * (abi/message_ring.h), and a doorbell. What arrives there is told by a port of the virtual console
 * like those of streams, so channels_start() comes first (rt/channel.h).
 *
 *     static struct memory_channel samples;
 *
 *     memory_channel_open(&samples, "samples");
 *     memory_channel_send(&samples, &sample, sizeof(sample));
 *
 * Nothing here waits. To wait for the doorbell, with interrupts off:
 *
 *     if (memory_channel_begin_wait(&samples, RING_RECEIVING))
 *         wait_for_interrupt();
 *     memory_channel_end_wait(&samples);
 *
 * One context at a time uses a channel.
 */
#ifndef COTENANT_RT_MEMORY_CHANNEL_H
#define COTENANT_RT_MEMORY_CHANNEL_H

#include "abi/message_ring.h"
#include "rt/channel.h"

struct memory_channel {
    struct ring ring;
    void *window;
    uint64_t size; /* bytes of the window */
    struct channel *bell;
    volatile uint32_t *doorbell;
};

/*
 * Opens the channel of that name and rings. False: there is none. To begin anew after RING_BROKEN,
 * it is called again.
 */
bool memory_channel_open(struct memory_channel *memory, const char *name);

/* The other end is told. */
void memory_channel_close(struct memory_channel *memory);

/* ring_is_met(), ring_send() and ring_receive(), and the doorbell if the other end waits for it. */
bool memory_channel_is_met(struct memory_channel *memory);
int memory_channel_send(struct memory_channel *memory, const void *bytes, uint32_t length);
int64_t memory_channel_receive(struct memory_channel *memory, void *bytes, uint32_t room);

/* ring_begin_wait(), after what has been rung so far is forgotten; ring_end_wait(). */
bool memory_channel_begin_wait(struct memory_channel *memory, uint32_t what);
void memory_channel_end_wait(struct memory_channel *memory);

#endif
