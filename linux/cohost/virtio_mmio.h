/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device on the bus (virtio 1.2, section 4.2: MMIO, version 2), with split queues. What
 * the guest puts into registers and memory is checked where it is used: it can harm only itself.
 */
#ifndef COHOST_VIRTIO_MMIO_H
#define COHOST_VIRTIO_MMIO_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define VIRTIO_QUEUE_SIZE 128
#define VIRTIO_MOST_QUEUES 2
#define VIRTIO_F_VERSION_1 (1ull << 32)

struct virtio_queue {
    uint32_t size;
    bool ready;
    uint64_t descriptors, available, used; /* addresses */
    uint16_t next;                         /* in the available ring */
};

struct virtio {
    /* What a device is. */
    uint32_t id;
    uint64_t features;
    unsigned queue_count;
    const void *configuration;
    size_t configuration_size;

    /* Its state. */
    pthread_mutex_t lock;
    pthread_cond_t notified; /* the guest has something for the device, or the device is done */
    bool busy;               /* a request is being carried out, without the lock */
    unsigned source;
    uint32_t status, interrupts, feature_select, driver_feature_select, queue_select;
    uint64_t driver_features;
    struct virtio_queue queues[VIRTIO_MOST_QUEUES];
};

/* A request: first what the device reads, then what it writes. */
struct virtio_request {
    uint16_t head;
    unsigned read_count, write_count;
    struct iovec read[VIRTIO_QUEUE_SIZE], write[VIRTIO_QUEUE_SIZE];
};

/* Adds it to the bus. What it is has been filled in. */
void virtio_add(struct virtio *device);

/* Puts it into the state that it has after power on; a request that is carried out ends first. */
void virtio_reset(struct virtio *device);

/*
 * Waits for a request and takes it: the device is busy then. A malformed one is given back without
 * being shown.
 */
void virtio_take(struct virtio *device, unsigned queue, struct virtio_request *request);

/* Gives a request back, into which so many bytes were written, and interrupts the guest. */
void virtio_give_back(struct virtio *device, unsigned queue, const struct virtio_request *request,
                      uint32_t written);

#endif
