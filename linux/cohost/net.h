/* SPDX-License-Identifier: BSD-2-Clause */
/* Network cards of the guest (virtio 1.2, section 5.1), with a tap device of the host behind. */
#ifndef COHOST_NET_H
#define COHOST_NET_H

#define NET_MOST 4

/*
 * Adds a card to the bus: "TAP" or "TAP,mac=02:00:00:00:00:01". The tap device is made if it is not
 * there. `guest`: the guest's name, from which the address is derived if none is given.
 */
void net_add(const char *description, const char *guest);

#endif
