/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vhost-user protocol, front end (docs/interop/vhost-user.rst of QEMU): a process at the other
 * end of a socket, the back end, serves the queues of a device in the guest's memory. What it
 * answers is checked; one that answers wrongly, or not in time, is lost, and the device with it.
 */
#ifndef COHOST_VHOST_USER_H
#define COHOST_VHOST_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

struct vhost {
    int socket;
    const struct memory *memory; /* that both see */
    uint64_t features;           /* that the back end offers */
    uint64_t protocol_features;  /* that both have */
};

/* A queue as the back end is to see it; the rings are where this process sees them. */
struct vhost_queue {
    uint32_t size;
    uint16_t next; /* in the available ring */
    const void *descriptors, *available, *used;
};

/*
 * Begins: asks what there is, and shares memory. False: this is no back end; `why` says more.
 */
bool vhost_open(struct vhost *vhost, int socket, const struct memory *shared, const char **why);

/* Reads the device's configuration. */
bool vhost_read_configuration(struct vhost *vhost, void *bytes, uint32_t size);

/* Writes a byte of it. */
bool vhost_write_configuration(struct vhost *vhost, uint32_t offset, uint8_t byte);

/* The features that the driver took, before the queues are started. */
bool vhost_set_features(struct vhost *vhost, uint64_t features);

/*
 * Starts a queue. `kick`: an eventfd that tells the back end of requests; `call`: one
 * by which it tells of used ones.
 */
bool vhost_start_queue(struct vhost *vhost, unsigned number, const struct vhost_queue *queue,
                       int kick, int call);

/* Stops one; its requests are complete, or will be made again by nobody. */
bool vhost_stop_queue(struct vhost *vhost, unsigned number);

#endif
