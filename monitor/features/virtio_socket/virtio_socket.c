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
#include "features/virtio/virtio.h"

#include "arch/memory.h"
#include "core/feature.h"
#include "core/tenant.h"
#include "core/wanted.h"

/* Section 5.10.2. */
#define QUEUE_RECEIVE 0
#define QUEUE_TRANSMIT 1
#define QUEUE_EVENT 2
#define QUEUES 3
#define FIRST_CID 3
#define EVENT_TRANSPORT_RESET 0

/* Section 5.10.6. */
struct header {
    uint64_t source_cid;
    uint64_t destination_cid;
    uint32_t source_port;
    uint32_t destination_port;
    uint32_t length; /* of the bytes behind the header */
    uint16_t type;
    uint16_t operation;
    uint32_t flags;
    uint32_t room;
    uint32_t forwarded;
} __attribute__((packed));

struct socket {
    struct virtio_device *device;
    struct socket *peer;
    uint64_t cid;
    /* The packet that is being sent: its header, bytes that are not in a buffer of the receiver's
     * yet, and those of them that belong into the open one. */
    struct header header;
    uint32_t taken; /* bytes of the header that are there */
    uint32_t left;
    uint32_t part;
    bool in_packet;
    bool in_part;
    bool over;                 /* its buffer is to be given back */
    bool reset_due;            /* the driver is yet to be told that the other one has gone */
    struct event_limit resets; /* that it is told of */
};

static struct socket sockets[COTENANT_MAX_VIRTUAL_DEVICES];

static struct virtqueue *queue_of(const struct socket *socket, uint32_t queue)
{
    return &socket->device->queues[queue];
}

/* What its driver is to be told, of the reset of the other one. */
static void tell(struct virtio_device *device)
{
    static const uint32_t event = EVENT_TRANSPORT_RESET;
    struct socket *socket = &sockets[device->index];

    if (socket->reset_due && virtio_may_tell(socket->device, &socket->resets) &&
        virtio_put(socket->device, queue_of(socket, QUEUE_EVENT), &event, sizeof(event))) {
        virtio_told(&socket->resets);
        socket->reset_due = false;
    }
}

/* The packet has arrived, or never will. What is in the receiver's buffer is not received. */
static void end_packet(struct socket *from)
{
    if (from->in_part) {
        virtqueue_rewind(queue_of(from->peer, QUEUE_RECEIVE));
    }
    from->in_packet = false;
    from->in_part = false;
    from->over = false;
    from->taken = 0;
    virtio_finish(from->device, queue_of(from, QUEUE_TRANSMIT));
}

static void begin_packet(struct socket *from)
{
    enum virtqueue_state state = virtio_take(from->device, queue_of(from, QUEUE_TRANSMIT),
                                             &from->header, sizeof(from->header), &from->taken);

    if (state == VIRTQUEUE_LATER) {
        return;
    }
    from->in_packet = state == VIRTQUEUE_BYTES;
    from->left = from->header.length;
    from->over = !from->in_packet || from->header.source_cid != from->cid ||
                 from->header.destination_cid != from->peer->cid ||
                 !virtio_is_live(from->peer->device);
}

/* Opens a buffer of the receiver's for as much of the packet as it holds. False: wait for one. */
static bool begin_part(struct socket *from)
{
    struct socket *to = from->peer;
    struct virtqueue *target = queue_of(to, QUEUE_RECEIVE);
    bool open = target->open;
    uint32_t room;

    if (virtio_look_for_room(to->device, target) != VIRTQUEUE_BYTES) {
        from->over = !virtio_is_live(to->device);
        return from->over;
    }
    if (!open && hart_is_wanted()) {
        return true; /* it is open when this is done again */
    }
    virtqueue_ask(target, false);
    from->in_part = true;
    room = target->left > sizeof(from->header) ? target->left - (uint32_t)sizeof(from->header) : 0;
    from->part = from->left < room ? from->left : room;
    from->over = from->part == 0 && from->left > 0; /* the receiver's buffers are too small */
    return true;
}

/* The receiver gets the header of the part. */
static void give_header(struct socket *from)
{
    struct header header = from->header;
    enum virtqueue_state state;

    header.length = from->part;
    state = virtio_fill(from->peer->device, queue_of(from->peer, QUEUE_RECEIVE), &header,
                        sizeof(header));
    from->over = state != VIRTQUEUE_BYTES && state != VIRTQUEUE_LATER;
}

/* A piece of it, or the end of the buffer. */
static void move_piece(struct socket *from)
{
    struct virtqueue *source = queue_of(from, QUEUE_TRANSMIT);
    struct virtqueue *target = queue_of(from->peer, QUEUE_RECEIVE);
    enum virtqueue_state state;
    uint32_t before;

    if (from->part == 0) {
        from->in_part = false;
        virtio_finish(from->peer->device, target);
        from->over = from->left == 0;
        if (from->over && !hart_is_wanted()) {
            end_packet(from);
        }
        return;
    }
    state = virtio_look_on(from->device, source, false);
    if (state == VIRTQUEUE_LATER) {
        return;
    }
    if (state != VIRTQUEUE_BYTES ||
        virtio_look(from->peer->device, target, true) != VIRTQUEUE_BYTES) {
        from->over = true; /* shorter than its header says, or one end broke the rules */
        return;
    }
    before = target->written;
    (void)virtio_copy(target, source, from->part);
    from->part -= target->written - before;
    from->left -= target->written - before;
}

static bool step(void *subject)
{
    struct socket *from = subject;
    enum virtqueue_state state;

    if (from->over) {
        end_packet(from);
        return true;
    }
    if (from->in_part) {
        if (queue_of(from->peer, QUEUE_RECEIVE)->written < sizeof(from->header)) {
            give_header(from);
        } else {
            move_piece(from);
        }
        return true;
    }
    if (from->in_packet) {
        return begin_part(from);
    }
    state = virtio_look_on(from->device, queue_of(from, QUEUE_TRANSMIT), false);
    if (state == VIRTQUEUE_BYTES) {
        begin_packet(from);
    } else if (state == VIRTQUEUE_END) {
        end_packet(from);
    }
    return !virtqueue_has_nothing(state);
}

static bool notify(struct virtio_device *device, uint32_t queue)
{
    struct socket *socket = &sockets[device->index];

    if (queue == QUEUE_TRANSMIT) {
        return virtio_work(step, socket);
    }
    if (queue == QUEUE_EVENT) {
        if (socket->reset_due) {
            virtio_tell_again(device);
        }
        return true;
    }
    virtqueue_ask(queue_of(socket, QUEUE_RECEIVE), false);
    return virtio_work_for_sender(step, socket->peer, queue_of(socket->peer, QUEUE_TRANSMIT),
                                  queue_of(socket, QUEUE_RECEIVE));
}

/* Its first buffers are to be notified: a packet may wait for them, from before it started. */
static void start(struct virtio_device *device)
{
    virtqueue_ask(&device->queues[QUEUE_EVENT], false);
}

/* The packet that it was sending, or that was sent to it. */
static void queue_stopped(struct virtio_device *device, uint32_t queue)
{
    struct socket *socket = &sockets[device->index];

    if (queue == QUEUE_TRANSMIT) {
        end_packet(socket);
    } else if (queue == QUEUE_RECEIVE && socket->peer->in_packet) {
        end_packet(socket->peer);
    }
}

static bool reset(struct virtio_device *device, uint32_t part)
{
    struct socket *socket = &sockets[device->index];

    if (part < QUEUES) {
        queue_stopped(device, part);
        return true;
    }
    socket->reset_due = false;
    socket->peer->reset_due = virtio_is_live(socket->peer->device);
    virtio_tell_again(socket->peer->device);
    return false;
}

static uint64_t offered(const struct virtio_device *device)
{
    (void)device;
    return 0; /* streams alone */
}

static uint32_t queue_count(const struct virtio_device *device)
{
    (void)device;
    return QUEUES;
}

/* Section 5.10.4: the address, in 64 bits. */
static uint32_t read_configuration(const struct virtio_device *device, uint32_t offset,
                                   uint32_t size)
{
    return offset == 0 && size == sizeof(uint32_t) ? (uint32_t)sockets[device->index].cid : 0;
}

static void init(void);

static const struct virtio_type virtio_socket_type = {
    .kind = COTENANT_VIRTUAL_SOCKET,
    .init = init,
    .features = offered,
    .queue_count = queue_count,
    .read_configuration = read_configuration,
    .start = start,
    .notify = notify,
    .tell = tell,
    .queue_stopped = queue_stopped,
    .reset = reset,
};

VIRTIO_TYPE(virtio_socket_type);
FEATURE(virtio_socket);

static void init(void)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        for (uint32_t end = 0; channel->kind == COTENANT_CHANNEL_SOCKET && end < 2; end++) {
            struct socket *socket = &sockets[channel->ends[end].device];

            socket->device = &virtio_devices[channel->ends[end].device];
            socket->peer = &sockets[channel->ends[1 - end].device];
            socket->cid = FIRST_CID + end;
            virtio_set_limit(&socket->resets, channel->ends[end].events);
        }
    }
}
