/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of bytes with one writer and one reader, one at a time: the user of a ring has its lock.
 *
 * head counts the bytes ever put, tail the bytes ever taken, both modulo 2^32; the size of the
 * buffer is a power of two, so that the difference of the two is always the number of bytes held.
 */
#ifndef COTENANT_CORE_RING_H
#define COTENANT_CORE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/memory.h"

struct ring {
    uint8_t *data;
    uint32_t mask; /* size - 1 */
    uint32_t head; /* next byte to write */
    uint32_t tail; /* next byte to read */
};

/* Makes an empty ring over `size` bytes at `data`; `size` must be a power of two below 2^31. */
static inline void ring_init(struct ring *ring, uint8_t *data, uint32_t size)
{
    ring->data = data;
    ring->mask = size - 1;
    ring->head = 0;
    ring->tail = 0;
}

/* Bytes that wait to be taken. */
static inline uint32_t ring_used(const struct ring *ring)
{
    return ring->head - ring->tail;
}

/* Bytes that can be put before the ring is full. */
static inline uint32_t ring_space(const struct ring *ring)
{
    return ring->mask + 1 - ring_used(ring);
}

/* Appends a byte; false, and nothing changes, when the ring is full. */
static inline bool ring_put(struct ring *ring, uint8_t byte)
{
    if (ring_space(ring) == 0) {
        return false;
    }
    ring->data[ring->head & ring->mask] = byte;
    ring->head++;
    return true;
}

/* Takes the oldest byte, 0..255; -1 when the ring is empty. */
static inline int ring_get(struct ring *ring)
{
    if (ring_used(ring) == 0) {
        return -1;
    }
    return ring->data[ring->tail++ & ring->mask];
}

/* Drops the oldest `count` bytes, or all when there are fewer. */
static inline void ring_drop(struct ring *ring, uint32_t count)
{
    uint32_t used = ring_used(ring);

    ring->tail += count < used ? count : used;
}

/*
 * Copies bytes that were put from `position` on, whether they have been taken or not, as long as
 * they are among the newest `window` (at most the size of the ring). What is older is skipped:
 * *position is set to the first byte copied. Returns how many, at most `room`.
 */
static inline uint32_t ring_recall(const struct ring *ring, uint32_t window, uint32_t *position,
                                   uint8_t *bytes, uint32_t room)
{
    uint32_t count;
    uint32_t first;

    if (ring->head - *position > window) {
        *position = ring->head - window;
    }
    count = ring->head - *position;
    if (count > room) {
        count = room;
    }
    first = ring->mask + 1 - (*position & ring->mask);
    first = count < first ? count : first;
    memcpy(bytes, ring->data + (*position & ring->mask), first);
    memcpy(bytes + first, ring->data, count - first);
    return count;
}

#endif
