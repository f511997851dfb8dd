/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual devices that tenants reach by virtio over MMIO, version 2 (virtio 1.2, section 4.2).
 *
 * Here are the registers, the same for every device; what a device does with its queues is its
 * type's. A queue that makes no sense, or a driver that breaks the protocol, stops the device until
 * its driver resets it (DEVICE_NEEDS_RESET, section 2.1.2): other tenants notice no more than that
 * it has fallen silent.
 *
 * Interrupts off, shared lock held.
 */
#ifndef COTENANT_FEATURES_VIRTIO_VIRTIO_H
#define COTENANT_FEATURES_VIRTIO_VIRTIO_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"
#include "core/tenant.h"
#include "features/virtio/event_limit.h"
#include "features/virtio/type.h"
#include "features/virtio/virtqueue.h"

/* Two for each port of a console and two to control them. */
#define VIRTIO_MOST_QUEUES (2 * (COTENANT_MAX_PORTS + 1))

/* Interrupt status (section 4.2.2). */
#define VIRTIO_INTERRUPT_USED 0x1
#define VIRTIO_INTERRUPT_CONFIGURATION 0x2

struct virtio_device {
    const struct virtio_type *type; /* NULL: there is no such device */
    struct tenant *tenant;
    const struct bundle_device *description;
    uint32_t index; /* in virtio_devices */
    uint8_t status;
    uint8_t interrupts; /* VIRTIO_INTERRUPT_* */
    uint8_t held;       /* those that are put off */
    bool touched;       /* the driver has written what a reset takes back */
    uint8_t ending;     /* the part that is next of a reset that has begun; 0: none has */
    uint64_t tell_at;   /* when something that is put off is to be told; TIME_NEVER: nothing is */
    struct event_limit changes;  /* of the other ends, that it is told of as interrupts */
    struct event_limit wake_ups; /* interrupts for used buffers */
    uint32_t feature_select;
    uint32_t driver_feature_select;
    uint64_t driver_features;
    uint32_t queue_select;
    struct virtqueue queues[VIRTIO_MOST_QUEUES];
};

extern struct virtio_device virtio_devices[COTENANT_MAX_VIRTUAL_DEVICES];

/* The bytes of address space of the tenant's devices, and where `address` is from their first one.
 */
static inline uint64_t virtio_window_size(const struct tenant *tenant)
{
    return (uint64_t)tenant->description->device_count * COTENANT_VIRTUAL_DEVICE_SIZE;
}

static inline uint64_t virtio_window_offset(const struct tenant *tenant, uint64_t address)
{
    return address - tenant->description->virtual_base;
}

/*
 * The tenant loads or stores `size` bytes at `offset` of a device's registers. False: a store
 * that is to be made again (see virtio_type.notify). Registers that do not exist, and those that
 * are not accessed as they must be (section 4.2.2.2), read 0 and ignore writes.
 */
uint32_t virtio_read(struct virtio_device *device, uint32_t offset, uint32_t size);
bool virtio_write(struct virtio_device *device, uint32_t offset, uint32_t size, uint32_t value);

/* For types of devices. Its driver has set it up and has not broken it. */
bool virtio_is_live(const struct virtio_device *device);

/* virtqueue_look(); a broken queue stops the device and is reported as BROKEN. */
enum virtqueue_state virtio_look(struct virtio_device *device, struct virtqueue *queue, bool fill);

/* The same as a part of a work: LATER if it went on to another buffer and the hart is wanted. */
enum virtqueue_state virtio_look_on(struct virtio_device *device, struct virtqueue *queue,
                                    bool fill);

/*
 * virtio_look() of a queue that is written to. EMPTY: there is no buffer, and the driver has been
 * asked to notify when there is one.
 */
enum virtqueue_state virtio_look_for_room(struct virtio_device *device, struct virtqueue *queue);

/* virtqueue_finish(), and the interrupt if the driver wants it. */
void virtio_finish(struct virtio_device *device, struct virtqueue *queue);

/*
 * Takes bytes out of the open or next chain of a queue, from its beginning, until *taken is
 * `length`. BYTES: it is; LATER: it will be; others: there are less, or they are in many pieces: a
 * driver's own fault.
 */
enum virtqueue_state virtio_take(struct virtio_device *device, struct virtqueue *queue, void *bytes,
                                 uint32_t length, uint32_t *taken);

/* The same into a chain, of which `written` counts them and which stays open. */
enum virtqueue_state virtio_fill(struct virtio_device *device, struct virtqueue *queue,
                                 const void *bytes, uint32_t length);

/*
 * Puts `length` bytes into the next chain of a queue, as far as they fit into two buffers. False:
 * there is none now; the driver will notify when there is one.
 */
bool virtio_put(struct virtio_device *device, struct virtqueue *queue, const void *bytes,
                uint32_t length);

/* Raises an interrupt of the device: VIRTIO_INTERRUPT_*. */
void virtio_interrupt(struct virtio_device *device, uint8_t reason);

/* Another end has changed: a configuration interrupt, as often as the device takes such. */
void virtio_tell_change(struct virtio_device *device);

/*
 * Whether the device may be told of another event now, which virtio_told() is then to count. False:
 * later, when its type's tell() is called.
 */
bool virtio_may_tell(struct virtio_device *device, const struct event_limit *limit);
void virtio_told(struct event_limit *limit);

/* There is more to tell than is good at a stretch: tell() is called once more. */
void virtio_tell_again(struct virtio_device *device);

/* `limit` is so many events a second, 0: any number. */
void virtio_set_limit(struct event_limit *limit, uint32_t per_second);

/*
 * When something is to be told that was put off (TIME_NEVER: never), and one device to be told of
 * that is due. For the service of core/work.h.
 */
uint64_t virtio_deadline(void);
void virtio_tell_one(uint64_t now);

/*
 * Moves a piece of at most `most` bytes from one open chain to another, which are both in state
 * BYTES: a small one if the hart is wanted already. False: the hart is wanted now.
 */
bool virtio_copy(struct virtqueue *to, struct virtqueue *from, uint32_t most);

/*
 * The same with several pieces, until one of the buffers is at its end, another vhart waits for the
 * hart, or a hart for the lock. False: the rest, if there is one, is the next step's.
 */
bool virtio_copy_on(struct virtqueue *to, struct virtqueue *from);

/*
 * Does steps of a work, which are a piece each, until `step` says that there is none to do (false)
 * or another vhart waits for the hart, or a hart for the lock. Returns whether all is done.
 */
bool virtio_work(bool (*step)(void *subject), void *subject);

/*
 * The same in the time of a receiver, whose driver has made buffers available in `to`, for what
 * waits for them in `from`, another tenant's: as long as what is sent uses the buffers. For a few
 * chains that use none, the receiver has time once: they and what follows them are moved when the
 * sender notifies.
 */
bool virtio_work_for_sender(bool (*step)(void *subject), void *subject,
                            const struct virtqueue *from, struct virtqueue *to);

/* Another vhart waits for the hart, or a hart for the lock. */
bool virtio_is_wanted(void);

#endif
