/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual socket devices (virtio 1.2, section 5.10), two and two joined: what a driver sends
 * arrives at the other one. Linux has them as AF_VSOCK. End n of a channel has the address (CID) 3
 * + n.
 *
 * A packet is moved when either driver notifies, in that driver's time, and waits in the sender's
 * queue while the receiver has no buffer; one that is longer than the receiver's buffer arrives as
 * several. What does not come from the sender's own address or go to the other one's is dropped.
 * When a driver goes away, the other one is told (VIRTIO_VSOCK_EVENT_TRANSPORT_RESET) and ends all
 * connections. Shared lock held.
 */
#ifndef COTENANT_VDEV_VIRTIO_SOCKET_H
#define COTENANT_VDEV_VIRTIO_SOCKET_H

/* Ties the devices together as the bundle's channels say. Once, after all devices exist. */
void virtio_socket_init(void);

#endif
