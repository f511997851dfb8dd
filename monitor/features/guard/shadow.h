/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of a guarded device (split virtqueue: virtio 1.2, section 2.7).
 *
 * The device reads its descriptors and its available ring from a shadow in the monitor's memory,
 * into which the monitor copies what the driver has made available after it has checked it. The
 * used ring is the driver's own: the device writes it directly, at the address that was checked
 * when the queue was set up.
 *
 * What holds at every moment, whatever the driver does and whenever the device looks, is that each
 * shadow descriptor that the device can come to names memory of the tenant, also for a device that
 * reads its two words while the monitor changes them. So it does not matter for isolation which
 * descriptors the device still has in use: the driver decides that, and may lie about it.
 *
 * Interrupts off, shared lock held.
 */
#ifndef COTENANT_FEATURES_GUARD_SHADOW_H
#define COTENANT_FEATURES_GUARD_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

struct tenant;

/* The most descriptors of a queue; a power of two. */
#define SHADOW_SIZE 128

/* What the device reads: sections 2.7.5 and 2.7.6. The two parts are aligned to 16 and 2. */
struct __attribute__((aligned(16))) shadow_rings {
    struct shadow_descriptor {
        uint64_t address;
        uint64_t rest; /* length: 32 bits, flags: 16, next: 16 */
    } descriptors[SHADOW_SIZE];
    uint16_t flags; /* 0: the device interrupts for whatever it has used */
    uint16_t index;
    uint16_t entries[SHADOW_SIZE];
    uint16_t used_event;
};

/* Where the driver has its rings, physical addresses. */
struct shadow_places {
    uint64_t descriptors;
    uint64_t available;
    uint64_t used;
    uint32_t size; /* descriptors */
};

struct shadow_queue {
    struct shadow_places asked; /* what the driver has written; nothing else is known of it */
    /* Checked; changes only while the queue is not ready. */
    struct shadow_places places;
    bool ready;
    uint16_t next; /* chains ever copied, modulo 2^16 */
    /* The chain that is being copied. */
    bool open;
    uint16_t head;
    uint16_t following; /* its next descriptor */
    uint32_t copied;    /* descriptors */
    /* Shadow descriptors that the device can come to, a bit each; the others are not valid. */
    uint64_t written[SHADOW_SIZE / 64];
    struct shadow_bound {
        uint32_t least_room;
        uint32_t longest;
    } bounds[SHADOW_SIZE]; /* see set_descriptor() */
    struct shadow_rings rings;
};

/*
 * The driver has placed the queue. False: it is not wholly in the tenant's memory. The device is
 * not to know of the shadow before this, and reads it from its beginning afterwards.
 */
bool shadow_start(struct shadow_queue *queue, const struct tenant *tenant);

/*
 * Copies descriptors that the driver has made available and that have not been copied, of which
 * there is one, and looks at interrupts behind each. It counts down *steps, which is above 0; when
 * that comes to 0, or the hart is wanted, 0 is left of it, and perhaps something to copy.
 * `registers`: of the device, which can be read without effect. False: the rings make no sense, or
 * name memory that is not the tenant's.
 */
bool shadow_copy(struct shadow_queue *queue, const struct tenant *tenant, unsigned *steps,
                 uint64_t registers);

/* Shows the device the chains that have been copied wholly. True: there are new ones. */
bool shadow_publish(struct shadow_queue *queue);

/*
 * Takes back the device's word that it need not be notified (section 2.7.10): it looks at the
 * shadow, in which nothing appears without a notification. True: something has been made available
 * meanwhile, perhaps without one.
 */
bool shadow_listen(struct shadow_queue *queue);

#endif
