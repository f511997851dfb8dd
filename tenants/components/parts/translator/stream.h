/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tenant's first stream channel: port 0 of a virtio console with several ports (virtio 1.2,
 * section 5.3). One thread uses it. What the device shares with us is not cleared by a restart, and
 * stream_start() resets the device before it touches that.
 */
#ifndef COTENANT_COMPONENTS_STREAM_H
#define COTENANT_COMPONENTS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* Of a memory channel, whose doorbell is told by the port; size 0: the channel is none. */
struct stream_window {
    void *bytes;
    uint64_t size;
    unsigned end;
    volatile uint32_t *doorbell;
};

/* Starts the device, afresh, and opens the port: the other end sees a hang-up if it was open.
 * False: there is no such device, or it refuses. */
bool stream_start(struct stream_window *window);

/* Whether the other end is open. False also after the device has failed: see stream_has_failed().
 */
bool stream_is_open(void);
bool stream_has_failed(void);

/* Up to `size` bytes that have come: how many. */
uint32_t stream_read(void *bytes, uint32_t size);

/* Sends `size` bytes, of which those for which there is no room are lost. Returns how many went. */
uint32_t stream_write(const void *bytes, uint32_t size);

/* As messages_wait(), for the device. */
void stream_wait(uint64_t end, uint64_t *wake);

#endif
