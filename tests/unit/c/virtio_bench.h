/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three tenants on a network; the first two have a virtual console as well, and are joined by two
 * streams, a memory channel and sockets. The first one has a control port. Drivers for their side
 * of the queues, which may also misbehave. On the host a physical address is the address of the
 * byte in this process, and the pages around each tenant's memory cannot be read or written.
 */
#ifndef COTENANT_TESTS_VIRTIO_BENCH_H
#define COTENANT_TESTS_VIRTIO_BENCH_H

#include "core/tenant.h"
#include "features/virtio/virtio.h"

#define BENCH_TENANTS 3
/* The drivers: consoles of the first two, network devices of all, sockets of the first two. */
#define BENCH_CONSOLES 2
#define BENCH_DRIVERS 7
#define BENCH_NET BENCH_CONSOLES
#define BENCH_SOCKET 5
#define BENCH_QUEUES 10
#define BENCH_QUEUE_SIZE 8
#define BENCH_PAGE 4096
#define BENCH_PAGES 96
/*
 * Each driver has a third of its tenant's memory. Of its pages, the first ones are the queues', one
 * each.
 */
#define BENCH_DRIVER_PAGES 32
#define BENCH_FIRST_CONTROL 10
#define BENCH_FIRST_BUFFER 16

/* The queues of a port. */
#define BENCH_RECEIVE_OF(port) ((port) == 0 ? 0u : 2u * (port) + 2)

/* Offsets in a queue's page. */
#define BENCH_AVAILABLE 1024
#define BENCH_USED 2048

/* Registers (virtio 1.2, section 4.2.2). */
#define BENCH_QUEUE_NOTIFY 0x50
#define BENCH_STATUS 0x70

/* Ports of the first and the second console that are doorbells of the memory channel. */
#define BENCH_BELL(console) ((console) == 0 ? 3 : 2)
/* Queues of a console's port 0. */
#define BENCH_RECEIVE 0
#define BENCH_TRANSMIT 1
#define BENCH_CONTROL_IN 2
#define BENCH_CONTROL_OUT 3

struct bench_driver {
    struct virtio_device *device;
    uint64_t memory;
    uint32_t features; /* that it accepts of the first 32 */
    /* Level of the device's interrupt line, and how often it rose. */
    bool line;
    unsigned interrupts;
    uint16_t added[BENCH_QUEUES];
    uint16_t taken[BENCH_QUEUES];
};

extern struct bench_driver bench_drivers[BENCH_DRIVERS];

/* All devices as after power-on, all memories zero. */
void bench_reset(void);

/* All devices of the tenant are reset, as when it stops. */
void bench_stop_tenant(const struct tenant *tenant);

/* The work beside tenants that is due: a step after the other. */
void bench_work(void);

/* Somebody waits for what this hart has: work is left after each step, until bench_reset(). */
void bench_give_way(bool wanted);

/*
 * Another hart waits for the lock whenever this one looks, and does this meanwhile, until
 * bench_reset(); NULL: there is none.
 */
void bench_meanwhile(void (*other_hart)(void));

/*
 * What each end takes a second; 0: all. The devices learn of it when they are made: before the
 * first bench_reset().
 */
#define BENCH_SECOND 10000000
void bench_limit(uint16_t events, uint32_t wake_ups);

/* The time, in ticks. */
extern uint64_t bench_now;

/* Takes the third tenant off the network, which is then a cable. */
void bench_unplug_third(void);

/* Sections 3.1.1 and 4.2.3: acknowledges the device and places its queues, DRIVER_OK included. */
void bench_start(struct bench_driver *driver);

/* An address in the tenant's memory. */
uint64_t bench_buffer(const struct bench_driver *driver, unsigned number);

/* Makes one buffer available; `write`: for the device to fill. */
void bench_add(struct bench_driver *driver, uint32_t queue, uint64_t address, uint32_t length,
               bool write);

/* A store to QueueNotify: true if it is done, else it is to be made again. */
bool bench_notify_once(struct bench_driver *driver, uint32_t queue);

/* The same, made again until it is done. */
void bench_notify(struct bench_driver *driver, uint32_t queue);

/* The next used buffer: how many bytes were written, or -1: there is none. */
long bench_take(struct bench_driver *driver, uint32_t queue);

/* Whether the device asks for notifications of a queue. */
bool bench_is_asked(const struct bench_driver *driver, uint32_t queue);

/* A control message of the driver to the device, and the device's next one to the driver. */
void bench_tell(struct bench_driver *driver, uint32_t port, uint16_t event, uint16_t value);
bool bench_told(struct bench_driver *driver, uint32_t *port, uint16_t *event, uint16_t *value);

/* Starts the driver and goes through the protocol until its ports are ready and open. */
void bench_open(struct bench_driver *driver);

#endif
