/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual network devices (virtio 1.2, section 5.1): the ends of a network among tenants.
 *
 * A frame goes to the end whose address it names, else to all others. It is copied when its sender
 * notifies, piece by piece, straight into a receiver's buffer. Between two ends a frame waits until
 * the receiver has a buffer; a network of more ends drops it, so that none of them can hold up the
 * others. The header in front of a frame is the monitor's: what one driver writes there never
 * reaches another. An end has a link while any other one is there. Shared lock held.
 */
#ifndef COTENANT_VDEV_VIRTIO_NET_H
#define COTENANT_VDEV_VIRTIO_NET_H

#include "vdev/virtio.h"

/* Ties the devices together as the bundle's channels say. Once, after all devices exist. */
void virtio_net_init(void);

#endif
