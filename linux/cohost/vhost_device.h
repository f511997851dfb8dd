/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtio device whose queues another process serves, by vhost-user. */
#ifndef COHOST_VHOST_DEVICE_H
#define COHOST_VHOST_DEVICE_H

#include <stdbool.h>

#define VHOST_DEVICES_MOST 6

/*
 * Adds a device to the bus that the back end at the other end of the socket serves. `name` is for
 * sentences. The network card has an address of the guest's name; the file system is called `tag`.
 */
void vhost_add_disk(const char *name, int socket);
void vhost_add_net(const char *name, int socket, const char *guest);
void vhost_add_share(const char *name, int socket, const char *tag);

#endif
