/* SPDX-License-Identifier: BSD-2-Clause */
/* The control protocol on a port of a tenant's virtual console. */
#include "core/feature.h"
#include "core/tenant.h"
#include "features/control/control.h"
#include "features/virtio_console/virtio_console.h"

/* Most bytes of one buffer that we send: its length bounds how long a step takes. */
#define PIECE_SIZE 256

static struct control_link links[COTENANT_MAX_TENANTS];

static struct control_link *link_of(const struct virtio_port *port)
{
    return &links[port->device->tenant->index];
}

/* All of it is taken: before there is something to send, an answer is not complete. */
static void receive(struct virtio_port *port, const uint8_t *bytes, uint32_t length, bool last)
{
    uint32_t done = 0;
    uint32_t taken;

    (void)last;
    do { /* what follows a request in the same buffer is lost: its answer comes first */
        taken = control_take(link_of(port), bytes + done, length - done);
        done += taken;
    } while (taken != 0 && done < length);
}

static bool has_more(const struct virtio_port *port)
{
    return control_waiting(link_of(port)) != 0;
}

static bool send(struct virtio_port *port)
{
    struct control_link *link = link_of(port);
    uint8_t piece[PIECE_SIZE];
    uint32_t count = control_look(link, piece, sizeof(piece));

    if (!virtio_port_send(port, piece, count)) {
        return false;
    }
    control_drop(link, count);
    return true;
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
    .receive = receive,
    .has_more = has_more,
    .send = send,
    .close = close,
};

FEATURE(control_port);
