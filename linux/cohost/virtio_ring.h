/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A split queue of a virtio device (virtio 1.2, section 2.7), as the device sees it. All that the
 * driver put there is read once, checked, and then used from the copy: it can harm only itself.
 */
#ifndef COHOST_VIRTIO_RING_H
#define COHOST_VIRTIO_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define VIRTIO_QUEUE_SIZE 128

struct virtio_queue {
    uint32_t size;
    bool ready;
    uint64_t descriptors, available, used; /* addresses */
    uint16_t next;                         /* in the available ring */
};

/* A request: first what the device reads, then what it writes. */
struct virtio_request {
    uint16_t head;
    bool is_last; /* no other one waited when it was taken without waiting */
    unsigned read_count, write_count;
    struct iovec read[VIRTIO_QUEUE_SIZE], write[VIRTIO_QUEUE_SIZE];
};

/* Bytes of the rings of a queue (section 2.7). */
uint64_t ring_descriptors_size(const struct virtio_queue *queue);
uint64_t ring_available_size(const struct virtio_queue *queue);
uint64_t ring_used_size(const struct virtio_queue *queue);

/* Goes on behind the last request that was given back, where all were given back in their order. */
void ring_go_on(struct virtio_queue *queue);

/*
 * What is known of a queue that another process serves: the requests that it has taken and not
 * given back. It may do so in any order, so that the rings alone do not tell.
 */
struct ring_watch {
    uint16_t available, used; /* up to which index the rings were looked at */
    bool lost;                /* more happened between two looks than the rings remember */
    int8_t open[VIRTIO_QUEUE_SIZE];
};

/* Looks at what has happened; at least once for a ring full of requests. */
void ring_watch(const struct virtio_queue *queue, struct ring_watch *watch);

/*
 * Prepares the queue for another process: the requests that are open come next, in the order in
 * which they were made. The process before is gone.
 */
void ring_hand_over(struct virtio_queue *queue, struct ring_watch *watch);

/* Takes the head of the next request. False: there is none. */
bool ring_take_head(struct virtio_queue *queue, uint16_t *head);

/* Whether the driver has made another one. */
bool ring_has_more(const struct virtio_queue *queue);

/* Fills in the request that begins at request->head. False: it is malformed. */
bool ring_read_chain(const struct virtio_queue *queue, struct virtio_request *request);

/* Gives a request back. Returns whether the driver wants an interrupt. */
bool ring_put_used(const struct virtio_queue *queue, uint16_t head, uint32_t written);

/* Says whether the driver is to tell of new requests. */
void ring_want_notices(const struct virtio_queue *queue, bool wanted);

#endif
