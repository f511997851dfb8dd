/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accesses to virtual devices that Linux makes most, on a page that is remembered: a byte
 * register of the virtual UART, by an instruction of 4 bytes; a word register in a window of
 * vdev/mmio.h, such as a virtio device's, and the claim register of the vhart's own PLIC context.
 * Called by the trap entry before trap_dispatch(), in the same state, for an access fault of a load
 * or a store; each either does everything that trap_dispatch() would have done, or changes nothing
 * and returns {NULL, NULL}.
 */
#ifndef COTENANT_ENTRY_FAST_DEVICE_H
#define COTENANT_ENTRY_FAST_DEVICE_H

#include "entry/trap.h"

struct world_change fast_load(struct hart *hart);
struct world_change fast_store(struct hart *hart);

#endif
