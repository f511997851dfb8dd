/* SPDX-License-Identifier: BSD-2-Clause */
/* The control protocol on a port of a tenant's virtual console. */
#include "core/feature.h"
#include "core/tenant.h"
#include "features/control/control.h"
#include "features/virtio_console/virtio_console.h"

static struct control_link links[COTENANT_MAX_TENANTS];

static struct control_link *link_of(const struct virtio_port *port)
{
    return &links[port->device->tenant->index];
}

/* All of it is taken: it is no more than the appetite. */
static void receive(struct virtio_port *port, const uint8_t *bytes, uint32_t length, bool last)
{
    (void)last;
    (void)control_accept(link_of(port), bytes, length);
}

static uint32_t appetite(const struct virtio_port *port)
{
    return control_appetite(link_of(port));
}

static bool has_more(const struct virtio_port *port)
{
    const struct control_link *link = link_of(port);

    return link->complete || control_waiting(link) != 0;
}

static bool __attribute__((noinline)) give(struct virtio_port *port, struct control_link *link)
{
    const void *piece;
    uint32_t count;

    piece = control_next(link, &count);
    count = virtio_port_fill(port, piece, count, count == control_waiting(link));
    control_drop(link, count);
    return count != 0;
}

/* To carry out a request is a step of its own, which does not save the registers of the other. */
static bool send(struct virtio_port *port)
{
    struct control_link *link = link_of(port);

    return control_carry_out(link) || give(port, link);
}

static void close(struct virtio_port *port)
{
    control_reset(link_of(port));
}

static void begin(struct virtio_port *port)
{
    const struct bundle_tenant *description = port->device->tenant->description;

    control_init(link_of(port), port->device->tenant->index, description->may_see,
                 description->may_control);
}

VIRTIO_PORT_SERVICE(control) = {
    .kind = COTENANT_CHANNEL_CONTROL,
    .begin = begin,
    .appetite = appetite,
    .receive = receive,
    .has_more = has_more,
    .send = send,
    .close = close,
};

FEATURE(control_port);
