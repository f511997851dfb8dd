/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/memory_channel.h"

#include <stddef.h>

#include "rt/memory_window.h"

static void ring_bell(struct memory_channel *memory)
{
    if (ring_must_ring(&memory->ring)) {
        __asm__ volatile("fence w, o" ::: "memory"); /* what is in the window first */
        *memory->doorbell = 1;
    }
}

static void look_at_port(struct memory_channel *memory)
{
    ring_set_hung_up(&memory->ring, !channel_is_connected(memory->bell));
}

bool memory_channel_open(struct memory_channel *memory, const char *name)
{
    struct memory_window window;

    if (!memory_window_find(&window, name)) {
        return false;
    }
    memory->window = (void *)window.base;
    memory->size = window.size;
    memory->doorbell = (volatile uint32_t *)window.doorbell;
    memory->bell = channel_open(name);
    if (memory->bell == NULL) {
        return false;
    }
    ring_open(&memory->ring, memory->window, memory->size, window.end);
    ring_bell(memory);
    return true;
}

void memory_channel_close(struct memory_channel *memory)
{
    ring_close(&memory->ring);
    ring_bell(memory);
    channel_close(memory->bell);
}

bool memory_channel_is_met(struct memory_channel *memory)
{
    bool met;

    look_at_port(memory);
    met = ring_is_met(&memory->ring);

    ring_bell(memory);
    return met;
}

int memory_channel_send(struct memory_channel *memory, const void *bytes, uint32_t length)
{
    int result;

    look_at_port(memory);
    result = ring_send(&memory->ring, bytes, length);
    ring_bell(memory);
    return result;
}

int64_t memory_channel_receive(struct memory_channel *memory, void *bytes, uint32_t room)
{
    int64_t length;

    look_at_port(memory);
    length = ring_receive(&memory->ring, bytes, room);
    ring_bell(memory);
    return length;
}

bool memory_channel_begin_wait(struct memory_channel *memory, uint32_t what)
{
    uint8_t rung;

    for (unsigned i = 0; i < VIRTIO_QUEUE_SIZE && channel_read(memory->bell, &rung, 1) != 0; i++) {
    }
    return ring_begin_wait(&memory->ring, what);
}

void memory_channel_end_wait(struct memory_channel *memory)
{
    ring_end_wait(&memory->ring);
}
