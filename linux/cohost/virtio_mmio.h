/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device on the bus (virtio 1.2, section 4.2: MMIO, version 2), with split queues. What
 * the guest puts into registers is checked where it is used.
 */
#ifndef COHOST_VIRTIO_MMIO_H
#define COHOST_VIRTIO_MMIO_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtio_ring.h"

#define VIRTIO_MOST_QUEUES 4
#define VIRTIO_F_VERSION_1 (1ull << 32)
/* Kinds of devices (section 5). */
#define VIRTIO_ID_NET 1
#define VIRTIO_ID_DISK 2
#define VIRTIO_ID_CONSOLE 3
#define VIRTIO_ID_FILE_SYSTEM 26

struct virtio {
    /* What a device is. */
    uint32_t id;
    uint64_t features;
    unsigned queue_count;
    const void *configuration;
    size_t configuration_size;

    /*
     * What a device wants to know, most of all one whose queues are served elsewhere; or NULL.
     * Called with the lock: the driver is ready, the device is reset, a queue that is ready is
     * stopped, a queue has requests.
     */
    void (*begin)(struct virtio *device);
    void (*end)(struct virtio *device);
    void (*stop)(struct virtio *device, unsigned queue);
    void (*notice)(struct virtio *device, unsigned queue);
    /*
     * NULL, or: the device is about to be reset, or a queue to be stopped, and waits until no
     * request is carried out.
     */
    void (*hurry)(struct virtio *device);
    /*
     * NULL: threads wait for requests of the queues. Otherwise it is called when a queue may have
     * some, without the lock, by the thread of the vhart that has notified it, as a rule.
     */
    void (*serve)(struct virtio *device, unsigned queue);
    /* The driver writes a byte of the configuration; NULL: it cannot. */
    void (*configure)(struct virtio *device, uint64_t offset, uint32_t value);

    /* Its state. */
    pthread_mutex_t lock;
    pthread_cond_t notified[VIRTIO_MOST_QUEUES]; /* the guest has something for a queue */
    pthread_cond_t rests;                        /* a request is done, and the device stops */
    /* What is to be done without the lock: these queues are served, and the guest is woken. */
    uint32_t wakes_queues;
    bool wakes_guest;
    unsigned stops; /* vharts that reset it or stop a queue: no request is begun meanwhile */
    unsigned busy;  /* requests that are being carried out, without the lock */
    unsigned source;
    bool line; /* level of the interrupt line */
    uint32_t status, interrupts, feature_select, driver_feature_select, queue_select;
    uint64_t driver_features;
    uint32_t resets; /* of a device in another place */
    struct virtio_queue queues[VIRTIO_MOST_QUEUES];
};

/*
 * Another place for devices than the bus: there the driver's registers are not this program's. How
 * a device is added, and how its driver is interrupted.
 */
struct virtio_place {
    void (*add)(struct virtio *device);
    void (*interrupt)(struct virtio *device);
};

/* From now on devices are added there. */
void virtio_use(const struct virtio_place *place);

/* What the driver has made of a device in such a place. */
struct virtio_setting {
    uint32_t resets; /* how often it was reset */
    bool live;       /* it is ready: */
    uint64_t features;
    struct virtio_queue queues[VIRTIO_MOST_QUEUES]; /* where they are; of size 0: not in use */
};

/*
 * Does as the driver has: resets the device, or works with queues, behind what has been used of
 * them. And looks for requests.
 */
void virtio_follow(struct virtio *device, const struct virtio_setting *setting);

/* The driver has notified a queue. */
void virtio_notice(struct virtio *device, unsigned queue);

/* Whether there is such a place. */
bool virtio_is_elsewhere(void);

/* The descriptors that a queue can have. */
unsigned virtio_queue_size(void);

/* Adds it to the bus. What it is has been filled in. */
void virtio_add(struct virtio *device);

/*
 * What there is, in the order of the bus, for a saved guest. `detail`: the size of a disk. Returns
 * how many; `devices` has room for BUS_MOST_DEVICES.
 */
struct virtio_kind {
    uint64_t id;
    uint64_t features;
    uint64_t detail;
};
unsigned virtio_list(struct virtio_kind *kinds);

/* Whether no driver uses a device, as while the guest is suspended. */
bool virtio_all_at_rest(void);

/* Puts all devices into the state after power on; requests that are carried out end first. */
void virtio_reset_all(void);

/*
 * Waits for a request and takes it: the device is busy until it is given back. A malformed one is
 * given back without being shown.
 */
void virtio_take(struct virtio *device, unsigned queue, struct virtio_request *request);

/* The same without waiting. False: there is none, or the device is being reset. */
bool virtio_try_take(struct virtio *device, unsigned queue, struct virtio_request *request);

/* Gives a request back, into which so many bytes were written, and interrupts the guest. */
void virtio_give_back(struct virtio *device, unsigned queue, const struct virtio_request *request,
                      uint32_t written);

/* Interrupts the guest: a queue has used requests. */
void virtio_interrupt(struct virtio *device);

#endif
