/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Served devices: virtio devices of a tenant, the client, whose queues a program of another tenant,
 * the server, works on. docs/abi/served.md says how it is used.
 *
 * The server finds a page of registers for each device of a client at the address that its device
 * tree says ("cotenant,served"), in the order of the client's configuration. All accesses are of 8
 * bytes, all integers are little endian, all addresses physical. A register that does not exist
 * reads 0 and ignores stores.
 */
#ifndef COTENANT_ABI_SERVED_H
#define COTENANT_ABI_SERVED_H

#define COTENANT_SERVED_PAGE 0x1000

/* Read: COTENANT_SERVED_MAGIC, "SERVED" and the version in memory order. */
#define COTENANT_SERVED_IDENTITY 0x0
#define COTENANT_SERVED_MAGIC 0x0001444556524553
/* Read: what the configuration says that it is, a device id of virtio, */
#define COTENANT_SERVED_DEVICE 0x8
/* how many queues it has, */
#define COTENANT_SERVED_QUEUES 0x10
/* and the most descriptors of a queue. */
#define COTENANT_SERVED_QUEUE_SIZE 0x18
/*
 * Read: what has happened since it was read last, a bit each: the driver has notified the queue of
 * that number, or COTENANT_SERVED_STATE. A byte comes by the port when bits are set that were all
 * clear.
 */
#define COTENANT_SERVED_EVENTS 0x20
/* The driver has become ready, has been reset, or has taken a queue away: look at STATE. */
#define COTENANT_SERVED_STATE_CHANGED 0x80000000
/* Read: how often the device was reset, and COTENANT_SERVED_LIVE. */
#define COTENANT_SERVED_STATE 0x28
/* The driver is ready: features and queues hold until the next reset. */
#define COTENANT_SERVED_LIVE 0x100000000
/* Read and written: the feature bits that the device offers. VIRTIO_F_VERSION_1 is always. */
#define COTENANT_SERVED_FEATURES 0x30
/* Read: those that the driver has accepted. */
#define COTENANT_SERVED_ACCEPTED 0x38
/*
 * Read and written: 1 if features and configuration space are in place. Before that the device
 * identifies itself as none.
 */
#define COTENANT_SERVED_PRESENT 0x40
/* Written: interrupts the driver: 1 for used buffers, 2 for the configuration space. */
#define COTENANT_SERVED_INTERRUPT 0x48
/* Written: starts the client if its configuration lets it wait for that, and it never ran. */
#define COTENANT_SERVED_START 0x50
/* Read: 1 if the client can be started so. */
#define COTENANT_SERVED_WAITS 0x58
/*
 * Written: the number of resets in STATE that the server has followed: it does not touch buffers of
 * before any more. A reset by the driver waits for that, a second at most, while the port is open.
 */
#define COTENANT_SERVED_FOLLOWED 0x60
/* Read and written: the configuration space of the device, from here on. */
#define COTENANT_SERVED_CONFIGURATION 0x80
#define COTENANT_SERVED_CONFIGURATION_SIZE 64
/* Read: queue n, from here + n * COTENANT_SERVED_QUEUE on: descriptors, 0 if it is not in use; */
#define COTENANT_SERVED_QUEUE_FIRST 0x100
#define COTENANT_SERVED_QUEUE 0x20
/* and the addresses of descriptor table, available ring and used ring, in the client's memory. */
#define COTENANT_SERVED_QUEUE_TABLE 0x8
#define COTENANT_SERVED_QUEUE_AVAILABLE 0x10
#define COTENANT_SERVED_QUEUE_USED 0x18

#endif
