/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of virtual devices, which register themselves. Interrupts off, shared lock held. */
#ifndef COTENANT_FEATURES_VIRTIO_TYPE_H
#define COTENANT_FEATURES_VIRTIO_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"

struct virtio_device;

/* What a type of device does. All must be given but what says so. */
struct virtio_type {
    uint32_t kind; /* COTENANT_VIRTUAL_*, the number of the type in the standard */
    /* Ties the devices together as the bundle's channels say, at boot. NULL: there is no need. */
    void (*init)(void);
    /* What it identifies itself as. NULL: its kind. */
    uint32_t (*id)(const struct virtio_device *device);
    /* Feature bits that it offers beside VIRTIO_F_VERSION_1. */
    uint64_t (*features)(const struct virtio_device *device);
    uint32_t (*queue_count)(const struct virtio_device *device);
    /* Reads `size` (1, 2, 4) bytes of the configuration space; what is not there reads 0. */
    uint32_t (*read_configuration)(const struct virtio_device *device, uint32_t offset,
                                   uint32_t size);
    /* NULL: nothing there can be written. */
    void (*write_configuration)(struct virtio_device *device, uint32_t offset, uint32_t size,
                                uint32_t value);
    /* The driver is ready (DRIVER_OK): its queues are in place. */
    void (*start)(struct virtio_device *device);
    /*
     * Something has become available in a queue, which is ready. False: there is more to do than is
     * good at a stretch, and the driver shall notify again; it does not know that it does.
     */
    bool (*notify)(struct virtio_device *device, uint32_t queue);
    /* The time has come to tell what was put off by virtio_may_tell(). NULL: it is told nothing. */
    void (*tell)(struct virtio_device *device);
    /*
     * The driver has taken a queue away from a device that may work, and what was in it is gone: a
     * transfer from it or to it is over, at both ends.
     */
    void (*queue_stopped)(struct virtio_device *device, uint32_t queue);
    /*
     * The device is reset or broken, and has no queues: forget what concerns the driver, by parts
     * from 0. Returns whether there is another part.
     */
    bool (*reset)(struct virtio_device *device, uint32_t part);
    /*
     * It was reset, and what works with the driver's buffers has not let go of them yet: the reset
     * is not over. NULL: it always is.
     */
    bool (*holds)(const struct virtio_device *device);
};

TABLE(const struct virtio_type *const, virtio_types);

/* Registers a type at link time: see core/table.h. */
#define VIRTIO_TYPE(type)                                                                          \
    static const struct virtio_type *const type##_entry TABLE_ENTRY(virtio_types) = &(type)

#endif
