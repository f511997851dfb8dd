/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver core for a virtio device on the MMIO transport with split virtqueues (virtio 1.2,
 * sections 2.7 and 4.2). It speaks both versions of the transport: 2, and 1, the legacy one, which
 * is what QEMU's slots are by default.
 *
 * A request is one buffer. Nothing is allocated, nothing waits without a bound, and what the device
 * writes is checked before it is used: a device that misbehaves is given up (`failed`). The core
 * has no lock: the functions that take a queue are called by one context at a time, but for
 * virtio_acknowledge(), which an interrupt handler may call at any time.
 *
 * Addresses go to the device as they are: the caller runs with satp = 0 or maps them to themselves.
 */
#ifndef COTENANT_RT_VIRTIO_MMIO_H
#define COTENANT_RT_VIRTIO_MMIO_H

#include <stdbool.h>
#include <stdint.h>

/* Device ids, chapter 5. */
#define VIRTIO_ID_NET 1
#define VIRTIO_ID_CONSOLE 3
#define VIRTIO_ID_ENTROPY 4
#define VIRTIO_ID_INPUT 18

/* Interrupt status, section 4.2.2. */
#define VIRTIO_INTERRUPT_USED_BUFFER 0x1
#define VIRTIO_INTERRUPT_CONFIGURATION 0x2

/* Requests that can be under way in a queue; a power of two (section 2.7), at most 32. */
#define VIRTIO_QUEUE_SIZE 16
/* Of the parts of the legacy queue layout (section 2.7.2). */
#define VIRTIO_QUEUE_ALIGNMENT 4096

/* Section 2.7.5. */
struct virtio_descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
};

/* Section 2.7.6. */
struct virtio_available {
    uint16_t flags;
    uint16_t index;
    uint16_t ring[VIRTIO_QUEUE_SIZE];
    uint16_t used_event;
};

/* Section 2.7.8. */
struct virtio_used_element {
    uint32_t id;
    uint32_t length;
};

struct virtio_used {
    uint16_t flags;
    uint16_t index;
    struct virtio_used_element ring[VIRTIO_QUEUE_SIZE];
    uint16_t available_event;
};

/* The memory shared with the device, laid out as the legacy transport wants it: it suits both. */
struct virtio_rings {
    struct virtio_descriptor descriptors[VIRTIO_QUEUE_SIZE];
    struct virtio_available available;
    struct virtio_used used __attribute__((aligned(VIRTIO_QUEUE_ALIGNMENT)));
} __attribute__((aligned(VIRTIO_QUEUE_ALIGNMENT)));

struct virtio_queue {
    struct virtio_rings rings;
    uint32_t number;
    uint32_t in_flight; /* bit n: the device has descriptor n */
    uint32_t last;      /* the descriptor that came back last, likely to be free */
    uint16_t added;     /* requests ever made available, modulo 2^16 */
    uint16_t taken;     /* results ever taken, modulo 2^16 */
};

struct virtio_device {
    uint64_t base;   /* of its registers */
    uint32_t source; /* of its interrupt */
    bool legacy;
    bool failed;       /* it broke the protocol: it takes no more requests */
    uint64_t distance; /* what to add to addresses of queues, for the device to find them */
};

/*
 * Finds the first slot of the device tree that holds a device `id` (VIRTIO_ID_*) and fills in
 * where it is. False: there is none, or its transport is of an unknown version.
 */
bool virtio_find(struct virtio_device *device, uint32_t id);

/*
 * Whether a device `id` is at device->base, whose transport is of a known version, which is filled
 * in. What virtio_find() asks of each slot.
 */
bool virtio_probe(struct virtio_device *device, uint32_t id);

/* Cell `offset` (32 bits) of the device's configuration space. */
uint32_t virtio_configuration(const struct virtio_device *device, uint32_t offset);

/*
 * Resets the device and starts it with its queues 0 to `count` - 1 (section 3.1.1) and the optional
 * features `features` (of the first 32). False: it refuses, or takes too long; it is then left as
 * failed.
 */
bool virtio_start(struct virtio_device *device, struct virtio_queue *queues, uint32_t count,
                  uint32_t features);

/*
 * Gives the device `length` bytes at `buffer`, to fill or, with `read`, to read. The buffer is the
 * device's until virtio_take() returns the request's number, which is the result here: 0 to
 * VIRTIO_QUEUE_SIZE - 1, or -1: the queue is full or the device has failed. virtio_notify() tells
 * the device of it.
 */
int virtio_request(struct virtio_device *device, struct virtio_queue *queue, void *buffer,
                   uint32_t length, bool read);

/* The number that virtio_request() would return next; -1: the queue is full. */
int virtio_free_request(const struct virtio_queue *queue);

/* Tells the device that there are new requests, unless it does not want to know (section 2.7.10).
 */
void virtio_notify(const struct virtio_device *device, const struct virtio_queue *queue);

/* Whether the device shall interrupt when it has finished a request (section 2.7.7); at first yes.
 * After saying yes, look for what it has finished before. */
void virtio_want_interrupt(struct virtio_queue *queue, bool wanted);

/* Whether virtio_take() has something to return, unless the device has failed. */
static inline bool virtio_has_result(const struct virtio_queue *queue)
{
    return *(const volatile uint16_t *)&queue->rings.used.index != queue->taken;
}

/*
 * The next finished request: its number, and in *length the bytes that the device wrote, never more
 * than asked for. -1: none, or the device has failed.
 */
int virtio_take(struct virtio_device *device, struct virtio_queue *queue, uint32_t *length);

/* In an interrupt handler, before the PLIC's completion: the reasons (VIRTIO_INTERRUPT_*), cleared.
 */
uint32_t virtio_acknowledge(const struct virtio_device *device);

/* The same for who does not ask for the reasons: one access, where that one has two. */
void virtio_quiet(const struct virtio_device *device);

#endif
