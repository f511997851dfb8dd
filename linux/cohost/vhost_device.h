/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtio device whose queues another process serves, by vhost-user. */
#ifndef COHOST_VHOST_DEVICE_H
#define COHOST_VHOST_DEVICE_H

#include <stdbool.h>

#define VHOST_DEVICES_MOST 6

/*
 * How a back end is reached: `connect` returns a new socket, -1 if nobody serves. It is called
 * again, by a thread of the device, whenever the back end was lost. `name` is for sentences.
 */
struct vhost_way {
    const char *name;
    int (*connect)(struct vhost_way *way);
};

/*
 * Adds a device to the bus that a back end serves. If the back end is lost, the guest's requests
 * wait for the next one, which does again what was not done. The network card has an address of the
 * guest's name; the file system is called `tag`.
 */
void vhost_add_disk(struct vhost_way *way);
void vhost_add_net(struct vhost_way *way, const char *guest);
void vhost_add_share(struct vhost_way *way, const char *tag);

#endif
