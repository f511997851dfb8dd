/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's side of a split virtqueue (virtio 1.2, section 2.7), in a tenant's memory.
 *
 * A chain of buffers is opened, moved piece by piece and finished; between two pieces the monitor
 * may leave, and what it has read of the chain is kept here, not read again. The rings and all they
 * say are the tenant's to write at any moment: each field is read once, and each address is
 * compared with the tenant's memory before it is used. A ring that makes no sense is reported as
 * broken; it can hurt no other tenant.
 *
 * Called with the shared lock held. No function here loops on what a tenant says.
 */
#ifndef COTENANT_FEATURES_VIRTIO_VIRTQUEUE_H
#define COTENANT_FEATURES_VIRTIO_VIRTQUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct tenant;

/* The most descriptors of a queue; a power of two. */
#define VIRTQUEUE_MOST 64

/* Where the driver wants the queue, as it has written it: nothing is loaded or stored there. */
struct virtqueue_registers {
    uint64_t descriptors; /* physical addresses of the three parts */
    uint64_t available;
    uint64_t used;
    uint32_t size; /* descriptors: a power of two, or 0 */
};

/*
 * Where the queue is: wholly in its tenant's memory, and aligned. Only virtqueue_start() makes one,
 * from registers that it has checked, and no code outside of virtqueue.c looks into it: what is
 * loaded and stored for a queue is at the addresses that were checked, however the registers
 * change.
 */
struct virtqueue_ring {
    uint64_t descriptors;
    uint64_t available;
    uint64_t used;
    uint32_t size; /* 0: there is none */
};

/* Without a ring, no chain is open, and nothing below does anything. */
struct virtqueue {
    struct virtqueue_registers registers;
    struct virtqueue_ring ring;
    bool quiet;          /* the driver has been told that it need not notify */
    uint16_t next;       /* place in the available ring, modulo 2^16, of the chain that is next */
    uint16_t used_index; /* chains ever finished, modulo 2^16 */
    /* The open chain. */
    bool open;
    bool more;          /* another descriptor follows */
    uint16_t head;      /* its first descriptor, which names it */
    uint16_t following; /* the next descriptor, if there is one */
    uint32_t steps;     /* descriptors read */
    uint32_t left;      /* bytes not moved of the present descriptor; no chain is open: 0 */
    uint64_t address;   /* where they are: checked, for the ring that the chain is of */
    uint32_t written;   /* bytes moved into the chain */
    /*
     * Of a queue that is written to: chains of a sender that came to their end, in the time of the
     * driver of this queue, since `used_index` was `in_vain_since` without using any of it.
     */
    uint16_t in_vain;
    uint16_t in_vain_since;
};

enum virtqueue_state {
    VIRTQUEUE_EMPTY, /* the driver has made nothing available */
    VIRTQUEUE_BYTES, /* a chain is open: `left` bytes at `address` come next (to read: perhaps 0) */
    VIRTQUEUE_END,   /* a chain is open and all of it has been moved */
    VIRTQUEUE_BROKEN, /* the ring makes no sense */
    VIRTQUEUE_LATER,  /* of parts of a work: there is another part, and the hart is wanted first */
};

/* No chain is open, and none is there to open. */
static inline bool virtqueue_has_nothing(enum virtqueue_state state)
{
    return state == VIRTQUEUE_EMPTY || state == VIRTQUEUE_BROKEN;
}

/*
 * The driver has placed the queue, which has no ring, by its registers (section 2.7.10.1: the parts
 * are aligned to 16, 2 and 4 bytes). False: it is not wholly in the tenant's memory, and has none.
 */
bool virtqueue_start(struct virtqueue *queue, const struct tenant *tenant);

/* As after power-on: without a ring, and nothing is known of what was in it. */
void virtqueue_stop(struct virtqueue *queue);

static inline bool virtqueue_is_ready(const struct virtqueue *queue)
{
    return queue->ring.size != 0;
}

/*
 * Opens the next chain unless one is open, and goes on to its next descriptor if the present one is
 * used up. `fill`: the device writes to this queue's buffers, else it reads them. A buffer without
 * a byte to write to makes no sense: a sender could use up such buffers and get nowhere.
 */
enum virtqueue_state virtqueue_look(struct virtqueue *queue, const struct tenant *tenant,
                                    bool fill);

/* A chain in state BYTES: nothing of it is left to move. */
static inline bool virtqueue_is_at_end(const struct virtqueue *queue)
{
    return queue->left == 0 && !queue->more;
}

/* How many chains the driver has ever made available, modulo 2^16. */
uint16_t virtqueue_available(const struct virtqueue *queue);

/* Something is available or has not been finished. */
bool virtqueue_has_chain(const struct virtqueue *queue);

/* Moves at most `most` bytes from one open chain to another; both are in state BYTES. */
void virtqueue_copy(struct virtqueue *to, struct virtqueue *from, uint32_t most);

/* Takes at most `most` bytes (0..most are taken) out of an open chain in state BYTES. */
uint32_t virtqueue_read(struct virtqueue *from, void *bytes, uint32_t most);

/* The same into an open chain. */
uint32_t virtqueue_write(struct virtqueue *to, const void *bytes, uint32_t most);

/*
 * Gives the open chain back to the driver; without one, does nothing. True: the driver wants to be
 * interrupted for it.
 */
bool virtqueue_finish(struct virtqueue *queue);

/* Forgets what was done with the open chain: it is the next one again, from its beginning. */
void virtqueue_rewind(struct virtqueue *queue);

/*
 * Tells the driver whether it shall notify when it makes something available (section 2.7.10).
 * It may have done so just before: look again after asking for it.
 */
void virtqueue_ask(struct virtqueue *queue, bool notify);

#endif
