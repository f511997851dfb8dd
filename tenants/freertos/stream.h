/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams to other tenants (rt/channel.h) for FreeRTOS: tasks wait for them, several at once. The
 * calls are made from tasks; each keeps interrupts off for a moment, not while it waits.
 */
#ifndef COTENANT_FREERTOS_STREAM_H
#define COTENANT_FREERTOS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "FreeRTOS.h"
#include "rt/channel.h"

/* Tasks that can wait at the same time. */
#define STREAM_WAITERS 8

/*
 * Finds the tenant's channels and takes the external interrupt for them. Before the scheduler runs
 * or after. False: there is no virtual console.
 */
bool streams_start(void);

/* Opens the channel of that name; NULL: there is none. */
struct channel *stream_open(const char *name);

/* Whether the other end is open; waits up to `ticks` until it is. */
bool stream_wait_connected(struct channel *channel, TickType_t ticks);

/* Takes up to `size` bytes that have come; waits up to `ticks` for the first one. 0: none came. */
uint32_t stream_read(struct channel *channel, void *bytes, uint32_t size, TickType_t ticks);

/* Sends `size` bytes; waits up to `ticks` for room each time there is none. Returns how many. */
uint32_t stream_write(struct channel *channel, const void *bytes, uint32_t size, TickType_t ticks);

#endif
