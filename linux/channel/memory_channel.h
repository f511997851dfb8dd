/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory channels in a Linux tenant, for a process that may open /dev/mem: messages through a
 * window that both ends share (abi/message_ring.h), and a doorbell. The doorbell is a store to a
 * register that the monitor emulates; what the other end rings is told by the port of the virtual
 * console that has the channel's name, which the kernel's own driver serves. C11; link nothing.
 *
 *     struct memory_channel samples;
 *
 *     if (memory_channel_open(&samples, "samples") != 0) ...             errno says why
 *     while ((length = memory_channel_receive(&samples, bytes, sizeof(bytes))) == RING_NOT_NOW)
 *         memory_channel_wait(&samples, RING_RECEIVING, -1);
 *
 * One thread at a time uses a channel.
 */
#ifndef COTENANT_LINUX_CHANNEL_MEMORY_CHANNEL_H
#define COTENANT_LINUX_CHANNEL_MEMORY_CHANNEL_H

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../abi/message_ring.h"

#define MEMORY_CHANNEL_PAGE 4096

/*
 * Looks in a row, a millisecond apart, at which the port must be hung up before that counts. The
 * kernel learns that the other end has opened its port from a worker of its own, maybe later than
 * the process sees it in the window; while the process sleeps the worker gets its turn.
 */
#define MEMORY_CHANNEL_HANG_UPS 10

struct memory_channel {
    struct ring ring;
    void *window;
    uint64_t size;  /* bytes of the window */
    unsigned end;   /* which of the two ends this is */
    uint8_t *bells; /* the page of doorbells */
    uint64_t bell;  /* and the offset of this one's */
    int port;
    unsigned hang_ups; /* how often in a row the port was hung up */
};

/* Reads `count` cells of a property of the channel's node; -1: there is none. */
static inline int memory_channel_read_cells(const char *name, const char *property, unsigned count,
                                            uint32_t *cells)
{
    char pattern[128];
    glob_t found;
    uint8_t bytes[32] = {0};
    ssize_t length = -1;

    snprintf(pattern, sizeof(pattern), "/sys/firmware/devicetree/base/channels/%s@*/%s", name,
             property);
    if (glob(pattern, 0, NULL, &found) == 0) {
        int file = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);

        length = file < 0 ? -1 : read(file, bytes, sizeof(bytes));
        if (file >= 0)
            close(file);
        globfree(&found);
    }
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *cell = &bytes[4 * i];

        cells[i] =
            (uint32_t)cell[0] << 24 | (uint32_t)cell[1] << 16 | (uint32_t)cell[2] << 8 | cell[3];
    }
    if (length == (ssize_t)(4 * count))
        return 0;
    errno = ENOENT;
    return -1;
}

/*
 * Maps window and doorbell. Without O_SYNC: the window is memory, and is cached like any; the page
 * of doorbells is nothing that a cache could keep, for each access traps.
 */
static inline int memory_channel_map(struct memory_channel *channel, uint64_t window,
                                     uint64_t doorbell)
{
    uint64_t page = doorbell & ~(uint64_t)(MEMORY_CHANNEL_PAGE - 1);
    int memory = open("/dev/mem", O_RDWR | O_CLOEXEC);

    if (memory < 0)
        return -1;
    channel->bell = doorbell - page;
    channel->window =
        mmap(NULL, channel->size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, (off_t)window);
    channel->bells = (uint8_t *)mmap(NULL, MEMORY_CHANNEL_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                                     memory, (off_t)page);
    close(memory);
    return channel->window == MAP_FAILED || (void *)channel->bells == MAP_FAILED ? -1 : 0;
}

static inline void memory_channel_ring(struct memory_channel *channel)
{
    if (ring_must_ring(&channel->ring)) {
        __asm__ volatile("fence w, o" ::: "memory"); /* what is in the window first */
        *(volatile uint32_t *)(void *)(channel->bells + channel->bell) = 1;
    }
}

/* Begins anew, as when the channel was opened; for one thing after RING_BROKEN. */
static inline void memory_channel_reopen(struct memory_channel *channel)
{
    ring_open(&channel->ring, channel->window, channel->size, channel->end);
    memory_channel_ring(channel);
}

/* Opens the channel of that name and rings. 0, or -1 with errno; ENOENT: there is none. */
static inline int memory_channel_open(struct memory_channel *channel, const char *name)
{
    char path[128];
    uint32_t reg[8];
    uint32_t end;

    if (memory_channel_read_cells(name, "reg", 8, reg) != 0 ||
        memory_channel_read_cells(name, "cotenant,end", 1, &end) != 0)
        return -1;
    channel->hang_ups = 0;
    channel->size = (uint64_t)reg[2] << 32 | reg[3];
    channel->end = end;
    snprintf(path, sizeof(path), "/dev/virtio-ports/%s", name);
    channel->port = open(path, O_RDWR | O_CLOEXEC);
    if (channel->port < 0)
        return -1;
    if (memory_channel_map(channel, (uint64_t)reg[0] << 32 | reg[1],
                           (uint64_t)reg[4] << 32 | reg[5]) != 0) {
        close(channel->port);
        return -1;
    }
    memory_channel_reopen(channel);
    return 0;
}

/* The other end is told. What was sent before can still be taken there. */
static inline void memory_channel_close(struct memory_channel *channel)
{
    ring_close(&channel->ring);
    memory_channel_ring(channel);
    munmap(channel->window, channel->size);
    munmap(channel->bells, MEMORY_CHANNEL_PAGE);
    close(channel->port);
}

/* ring_is_met(), ring_send() and ring_receive(), and the doorbell if the other end waits for it. */
static inline bool memory_channel_is_met(struct memory_channel *channel)
{
    bool met = ring_is_met(&channel->ring);

    memory_channel_ring(channel);
    return met;
}

static inline int memory_channel_send(struct memory_channel *channel, const void *bytes,
                                      uint32_t length)
{
    int result = ring_send(&channel->ring, bytes, length);

    memory_channel_ring(channel);
    return result;
}

static inline int64_t memory_channel_receive(struct memory_channel *channel, void *bytes,
                                             uint32_t room)
{
    int64_t length = ring_receive(&channel->ring, bytes, room);

    memory_channel_ring(channel);
    return length;
}

/*
 * Waits, at most `milliseconds` (-1: however long), until there is a message (RING_RECEIVING), or
 * room (RING_SENDING), or the other end has come or gone since RING_NOT_NOW or RING_APART was
 * returned; make that call again then. It may return earlier. A port that is not open at the
 * other end cannot be waited for: then it sleeps for a millisecond.
 */
static inline void memory_channel_wait(struct memory_channel *channel, uint32_t what,
                                       int milliseconds)
{
    struct pollfd port = {.fd = channel->port, .events = POLLIN};
    uint8_t rung[64];

    if (ring_begin_wait(&channel->ring, what) &&
        (milliseconds < 0 || poll(&port, 1, milliseconds) > 0)) {
        if (read(channel->port, rung, sizeof(rung)) == 0) { /* waits unless it is hung up */
            usleep(1000);
            channel->hang_ups++;
        } else {
            channel->hang_ups = 0;
        }
        ring_set_hung_up(&channel->ring, channel->hang_ups >= MEMORY_CHANNEL_HANG_UPS);
    }
    ring_end_wait(&channel->ring);
}

#endif
