/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtual console with several ports (virtio 1.2, section 5.3, VIRTIO_CONSOLE_F_MULTIPORT): the
 * ends of a tenant's streams. Linux shows each as /dev/virtio-ports/NAME.
 *
 * What a driver sends into a port arrives at the port of the other end, or in the monitor. It is
 * moved when either driver notifies, in that driver's time, and waits in the sender's queue while
 * the receiver has no buffer. The end of a sent buffer is the end of a received one.
 *
 * A port whose other end is not open takes what is sent and forgets it. When an end opens, what was
 * sent before is forgotten too: it was not meant for this listener. What was sent before the sender
 * closed still arrives, and then the receiver is told (PORT_OPEN).
 *
 * The ports of a memory channel are doorbells: whatever is sent, or a store to the doorbell,
 * becomes one byte for the receiver. While it has no buffer, several rings become one. So the
 * sender never waits, and the receiver decides by its buffers how often it is rung. Shared lock
 * held.
 */
#ifndef COTENANT_FEATURES_VIRTIO_CONSOLE_VIRTIO_CONSOLE_H
#define COTENANT_FEATURES_VIRTIO_CONSOLE_VIRTIO_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"
#include "features/virtio/virtio.h"

struct virtio_port;

/* A port whose other end is the monitor. */
struct virtio_port_service {
    uint32_t kind; /* of the channel: COTENANT_CHANNEL_* */
    /* The port is made, at boot. */
    void (*begin)(struct virtio_port *port);
    /* How many bytes it can take in a few hundred instructions, 1 at least. NULL: any number. */
    uint32_t (*appetite)(const struct virtio_port *port);
    /*
     * The tenant has sent these bytes, 1..64, or 1..128 where appetite() is given; `last`: they end
     * a buffer that it sent.
     */
    void (*receive)(struct virtio_port *port, const uint8_t *bytes, uint32_t length, bool last);
    /* There is something to send: nothing is received before that has gone. */
    bool (*has_more)(const struct virtio_port *port);
    /*
     * Sends a piece of it with virtio_port_fill(), and returns whether there was room; or makes one
     * ready, and returns true.
     */
    bool (*send)(struct virtio_port *port);
    /* The tenant has closed the port or has stopped. */
    void (*close)(struct virtio_port *port);
};

TABLE(const struct virtio_port_service, virtio_port_services);

#define VIRTIO_PORT_SERVICE(name)                                                                  \
    static const struct virtio_port_service name TABLE_ENTRY(virtio_port_services)

struct virtio_port {
    struct virtio_device *device; /* NULL: there is no such port */
    uint32_t number;
    struct virtqueue *receive; /* its queues: to the driver, and from it */
    struct virtqueue *transmit;
    const char *name;
    struct virtio_port *peer;                  /* the other end; NULL: */
    const struct virtio_port_service *service; /* the monitor */
    uint32_t (*fill)(struct virtio_port *port, const void *bytes, uint32_t length, bool last);
    bool ready; /* the driver has it */
    bool open;  /* a program has opened it there */
    bool bell;  /* of a memory channel */
    bool rung;  /* and the driver does not know */
    /* What the driver is yet to be told: */
    bool adding;
    bool naming;
    uint8_t told_open;          /* what it was last told of the other end */
    struct event_limit changes; /* of the other end, that it is told of */
    /* Chains of its transmit queue before this one were sent to a listener that has gone. */
    bool stale;
    uint16_t fresh;
    uint8_t gave_way; /* so many steps for the service did nothing, as the hart was wanted */
};

/* The tenant stores to the doorbell of its port `number`; nothing if there is no such doorbell. */
void virtio_console_ring(const struct tenant *tenant, uint32_t number);

/*
 * The monitor sends: as many of the bytes as the present descriptor of the driver's buffer takes.
 * The buffer is given back when it is full, and with the `last` bytes of a message. Returns how
 * many; 0: no room, and send() of the service follows.
 */
static inline uint32_t virtio_port_fill(struct virtio_port *port, const void *bytes,
                                        uint32_t length, bool last)
{
    return port->fill(port, bytes, length, last);
}

/* A message of a byte; false: no room. */
static inline bool virtio_port_send(struct virtio_port *port, uint8_t byte)
{
    return virtio_port_fill(port, &byte, sizeof(byte), true) != 0;
}

#endif
