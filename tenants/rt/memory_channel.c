/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/memory_channel.h"

#include <stddef.h>

#include "rt/format.h"
#include "rt/platform.h"

#define PATH_SIZE (CHANNEL_NAME_SIZE + 16)
/* The doorbell's address in the node's reg property, behind the window. */
#define REG_DOORBELL 4

/* What the device tree says of the channel (docs/abi/tenant.md). */
static bool find(struct memory_channel *memory, const char *name, uint32_t *end)
{
    char path[PATH_SIZE];
    struct fdt_node node;
    uint64_t base;
    uint32_t high;
    uint32_t low;

    format_text(path, sizeof(path), "/channels/%s", name);
    if (!fdt_find(&platform.fdt, path, &node) ||
        !fdt_reg(&platform.fdt, &node, &base, &memory->size) ||
        !fdt_cell(&platform.fdt, &node, "reg", REG_DOORBELL, &high) ||
        !fdt_cell(&platform.fdt, &node, "reg", REG_DOORBELL + 1, &low) ||
        !fdt_cell(&platform.fdt, &node, "cotenant,end", 0, end)) {
        return false;
    }
    memory->window = (void *)base;
    memory->doorbell = (volatile uint32_t *)((uint64_t)high << 32 | low);
    return true;
}

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
    uint32_t end;

    if (!find(memory, name, &end)) {
        return false;
    }
    memory->bell = channel_open(name);
    if (memory->bell == NULL) {
        return false;
    }
    ring_open(&memory->ring, memory->window, memory->size, end);
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
