/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ethernet frames: the tenant's network device (virtio 1.2, section 5.1), by which a net of the
 * system's configuration reaches it. A frame begins with the address it is for and has no checksum
 * at its end.
 *
 *     net_start();
 *     plic_enable(net_source(), 1);                       the handler calls net_interrupt()
 *     ...
 *     frame = net_receive(&length);                       NULL: none has come
 *
 * Nothing here waits. The functions have no lock: they are called by one context at a time,
 * net_interrupt() by an interrupt handler at any time. freertos/lwip/network.h puts an IP stack on
 * top.
 */
#ifndef COTENANT_RT_NET_H
#define COTENANT_RT_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/virtio_mmio.h"

#define NET_ADDRESS_SIZE 6
/* The longest frame. */
#define NET_FRAME_SIZE 1514

/*
 * Finds the tenant's first network device and starts it. False: there is none, or it does not
 * answer. It can be called again; what was on its way is then lost.
 */
bool net_start(void);

/* The interrupt source of the device. */
uint32_t net_source(void);

/* In the interrupt handler, before the PLIC's completion. True: the link may have changed. */
bool net_interrupt(void);

/* The device's own address, NET_ADDRESS_SIZE bytes. */
const uint8_t *net_address(void);

/* Whether anybody is at another end. An interrupt follows each change: see net_interrupt(). */
bool net_has_link(void);

/*
 * The next frame that has come and its length, 0 to NET_FRAME_SIZE; NULL: none has. It stays where
 * it is until the next call, which also gives its buffer back to the device. It lies 2 bytes behind
 * a multiple of 8, so that what follows the Ethernet header is aligned.
 */
const void *net_receive(uint32_t *length);

/* Whether an interrupt says that frames have come; at first yes. After saying yes, look again. */
void net_want_interrupt(bool wanted);

/*
 * Sends a copy of a frame of up to NET_FRAME_SIZE bytes. False: there is no room, and an interrupt
 * follows when there is.
 */
bool net_send(const void *frame, uint32_t length);

#endif
