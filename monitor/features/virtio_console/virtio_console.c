/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/virtio_console/virtio_console.h"

#include "arch/memory.h"
#include "core/feature.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "features/plic/mmio.h"

/* Section 5.3.3. */
#define FEATURE_MULTIPORT 0x2ul
#define QUEUE_CONTROL_IN 2 /* to the driver */
#define QUEUE_CONTROL_OUT 3
/* Section 5.3.4: the offset of max_nr_ports. */
#define CONFIGURATION_PORTS 4

/* Section 5.3.6.2. */
enum {
    EVENT_DEVICE_READY = 0,
    EVENT_DEVICE_ADD = 1,
    EVENT_PORT_READY = 3,
    EVENT_PORT_OPEN = 6,
    EVENT_PORT_NAME = 7,
};

struct control_message {
    uint32_t port;
    uint16_t event;
    uint16_t value;
};

/* Most bytes for a service at a stretch, and for one that has told its appetite. */
#define SERVICE_PIECE_SIZE 64
#define APPETITE_PIECE_SIZE 128
/* Such pieces in a row, if nothing else is to be done. */
#define MOST_SERVICE_PIECES 8

/* Times in a row that a step for a service lets those go first who want the hart. */
#define MOST_WAYS 4

#define TOLD_NOTHING 2

static struct virtio_port ports[COTENANT_MAX_VIRTUAL_DEVICES][COTENANT_MAX_PORTS];
static uint32_t port_counts[COTENANT_MAX_VIRTUAL_DEVICES];
/* Where control() goes on: so many parts of ports are done. */
static uint32_t turns[COTENANT_MAX_VIRTUAL_DEVICES];

static struct virtio_port *ports_of(const struct virtio_device *device)
{
    return ports[device->index];
}

static uint32_t port_count(const struct virtio_device *device)
{
    return port_counts[device->index];
}

/* The other end is there, or has left something on its way. */
static bool is_connected(const struct virtio_port *port)
{
    return port->peer == NULL || port->peer->open || virtqueue_has_chain(port->peer->transmit);
}

static bool tell(struct virtio_port *port, uint16_t event, uint16_t value)
{
    struct {
        struct control_message header;
        char name[COTENANT_NAME_SIZE];
    } message = {.header = {port->number, event, value}};
    uint32_t length = sizeof(message.header);

    if (event == EVENT_PORT_NAME) {
        for (uint32_t i = 0; port->name[i] != '\0'; i++) {
            message.name[i] = port->name[i];
            length++;
        }
    }
    return virtio_put(port->device, &port->device->queues[QUEUE_CONTROL_IN], &message, length);
}

/* The driver of the port is to be told that the other end has opened or closed. */
static bool is_untold(const struct virtio_port *port)
{
    return port->ready && !port->naming && port->told_open != is_connected(port);
}

/*
 * Tells it, unless it has been told too often or has no buffer. That it is told at all when it is
 * ready for it is not the other end's doing. Returns whether it has been told.
 */
static bool tell_open(struct virtio_port *port)
{
    uint8_t open = is_connected(port);
    bool first = port->told_open == TOLD_NOTHING;

    if ((!first && !virtio_may_tell(port->device, &port->changes)) ||
        !tell(port, EVENT_PORT_OPEN, open)) {
        return false;
    }
    if (!first) {
        virtio_told(&port->changes);
    }
    port->told_open = open;
    return true;
}

/*
 * Tells the driver the next thing that it does not know of the port. Returns whether it has been
 * told: then there may be another one.
 */
static bool announce(struct virtio_port *port)
{
    if (port->adding) {
        port->adding = !tell(port, EVENT_DEVICE_ADD, 0);
        return !port->adding;
    }
    if (port->naming) {
        port->naming = !tell(port, EVENT_PORT_NAME, 1);
        return !port->naming;
    }
    return is_untold(port) && tell_open(port);
}

/*
 * Gives back the open chain of the sender, moved or not, and the receiver's if something is in it.
 * Returns whether there may be more to do.
 */
static bool end_of_chain(struct virtio_port *from)
{
    struct virtio_port *to = from->peer;

    if (to != NULL && to->receive->open) {
        virtio_finish(to->device, to->receive);
        if (hart_is_wanted()) {
            return true; /* and the sender's is the next step */
        }
    }
    virtio_finish(from->device, from->transmit);
    if (to != NULL && !from->open) {
        virtio_tell_again(to->device);
    }
    return to == NULL || virtqueue_has_chain(from->transmit);
}

/*
 * What is done for a service next is a step of its own if the hart is wanted; but it is done in the
 * end, however often that is.
 */
static bool gives_way(struct virtio_port *port)
{
    if (port->gave_way < MOST_WAYS && hart_is_wanted()) {
        port->gave_way++;
        return true;
    }
    port->gave_way = 0;
    return false;
}

/* Returns whether the service may take another piece at once. */
static bool give_piece(struct virtio_port *from, struct virtqueue *source)
{
    const struct virtio_port_service *service = from->service;
    uint8_t bytes[APPETITE_PIECE_SIZE];
    uint32_t most = SERVICE_PIECE_SIZE;
    uint32_t count;

    if (service->appetite != NULL) {
        most = service->appetite(from);
        most = most < APPETITE_PIECE_SIZE ? most : APPETITE_PIECE_SIZE;
    }
    count = virtqueue_read(source, bytes, most);
    service->receive(from, bytes, count, virtqueue_is_at_end(source));
    return service->appetite != NULL && source->left != 0 && !virtio_is_wanted() &&
           !service->has_more(from);
}

static bool serve_piece(struct virtio_port *from, struct virtqueue *source)
{
    unsigned pieces = 1;

    if (gives_way(from)) {
        return true;
    }
    while (give_piece(from, source) && pieces < MOST_SERVICE_PIECES) {
        pieces++;
    }
    return true;
}

/* Lets the driver of a doorbell know that it has been rung, if it has room for the byte. */
static void deliver_ring(struct virtio_port *to)
{
    static const uint8_t byte = 1;

    if (to->rung && to->open) {
        to->rung = !virtio_put(to->device, to->receive, &byte, sizeof(byte));
    }
}

static void ring(struct virtio_port *to)
{
    to->rung = to->open;
    deliver_ring(to);
}

/* `from` has bytes in its open chain. */
static bool move_piece(struct virtio_port *from, struct virtqueue *source)
{
    struct virtio_port *to = from->peer;
    struct virtqueue *target = to->receive;

    if (to->bell) {
        ring(to);
    }
    if (to->bell || !to->open) {
        return end_of_chain(from);
    }
    switch (virtio_look_for_room(to->device, target)) {
    case VIRTQUEUE_BYTES:
        virtqueue_ask(target, false);
        return virtio_copy_on(target, source) && virtqueue_is_at_end(source) ? end_of_chain(from)
                                                                             : true;
    case VIRTQUEUE_END:
        virtio_finish(to->device, target);
        return true;
    case VIRTQUEUE_EMPTY:
    case VIRTQUEUE_BROKEN:
    case VIRTQUEUE_LATER:
        break;
    }
    return false;
}

/* Opening a buffer is a part of its own, too. */
static bool serve(struct virtio_port *to)
{
    unsigned pieces = 0;
    bool more;

    if (to->open && !to->receive->open) {
        (void)virtio_look_for_room(to->device, to->receive);
    }
    if (gives_way(to)) {
        return true;
    }
    do {
        more = to->service->send(to);
        pieces++;
    } while (more && pieces < MOST_SERVICE_PIECES && to->receive->open &&
             to->service->has_more(to) && !virtio_is_wanted());
    return more;
}

/* One step from a port to its other end; false: there is none to do now. */
static bool step(void *subject)
{
    struct virtio_port *from = subject;
    struct virtqueue *source = from->transmit;

    if (from->stale && source->next == from->fresh) {
        from->stale = false;
    }
    if (from->peer == NULL && from->service->has_more(from)) {
        return serve(from);
    }
    switch (virtio_look_on(from->device, source, false)) {
    case VIRTQUEUE_LATER:
        return true;
    case VIRTQUEUE_BYTES:
        if (from->stale) {
            return end_of_chain(from);
        }
        return from->peer == NULL ? serve_piece(from, source) : move_piece(from, source);
    case VIRTQUEUE_END:
        return end_of_chain(from);
    case VIRTQUEUE_EMPTY:
    case VIRTQUEUE_BROKEN:
        break;
    }
    return false;
}

/* Moves what `from` has sent; false: there is more. */
static bool pump(struct virtio_port *from)
{
    return virtio_work(step, from);
}

/* The driver of `to` has given buffers: moves what waits for them. */
static bool pump_to(struct virtio_port *to)
{
    struct virtio_port *from = to->peer;

    return !to->open || virtio_work_for_sender(step, from, from->transmit, to->receive);
}

/* Gives back a chain that was sent to a listener who has gone; false: there is none. */
static bool drop_stale(void *subject)
{
    struct virtio_port *from = subject;
    enum virtqueue_state state;

    if (from == NULL || !from->stale || from->transmit->next == from->fresh) {
        return false;
    }
    state = virtio_look_on(from->device, from->transmit, false);
    return state == VIRTQUEUE_LATER || (!virtqueue_has_nothing(state) && end_of_chain(from));
}

/* Drops what is on its way to `port`. */
static void begin_afresh(struct virtio_port *port)
{
    struct virtio_port *peer = port->peer;

    virtqueue_rewind(port->receive);
    port->rung = false;
    if (peer != NULL && virtqueue_is_ready(peer->transmit)) {
        peer->stale = true;
        peer->fresh = virtqueue_available(peer->transmit);
    }
}

static void set_open(struct virtio_port *port, bool open)
{
    if (port->open == open) {
        return;
    }
    port->open = open;
    begin_afresh(port);
    if (port->peer == NULL && !open) {
        port->service->close(port);
    }
}

static void take_message(struct virtio_device *device, const struct control_message *message)
{
    struct virtio_port *port;

    if (message->event == EVENT_DEVICE_READY) {
        for (uint32_t i = 0; i < port_count(device); i++) {
            ports_of(device)[i].adding = true;
        }
        return;
    }
    if (message->port >= port_count(device)) {
        return;
    }
    port = &ports_of(device)[message->port];
    if (message->event == EVENT_PORT_READY) {
        port->ready = message->value != 0;
        port->naming = port->ready;
        port->told_open = TOLD_NOTHING;
    } else if (message->event == EVENT_PORT_OPEN) {
        set_open(port, message->value != 0);
    }
}

/* The driver's next message, in two parts if the hart is wanted; returns whether there is one. */
static bool take_control(struct virtio_device *device)
{
    struct virtqueue *queue = &device->queues[QUEUE_CONTROL_OUT];
    struct control_message message = {0};
    enum virtqueue_state state = virtio_look_on(device, queue, false);

    if (state != VIRTQUEUE_BYTES) {
        return state == VIRTQUEUE_LATER;
    }
    if (virtqueue_read(queue, &message, sizeof(message)) == sizeof(message)) {
        take_message(device, &message);
    }
    virtio_finish(device, queue);
    return true;
}

/* The driver is to be told something of the port. */
static bool has_news(const struct virtio_port *port)
{
    return port->adding || port->naming || is_untold(port);
}

/* Opens the buffer of a message, if there is one. */
static bool has_room(struct virtio_device *device)
{
    struct virtqueue *queue = &device->queues[QUEUE_CONTROL_IN];

    return queue->open || virtio_look_for_room(device, queue) == VIRTQUEUE_BYTES;
}

/* Tells what there is room for; to open a buffer is a part of its own. False: there is more. */
static bool tell_news(struct virtio_device *device, struct virtio_port *port)
{
    while (has_news(port)) {
        bool was_open = device->queues[QUEUE_CONTROL_IN].open;

        if (!has_room(device)) {
            break;
        }
        if (!was_open && virtio_is_wanted()) {
            return false;
        }
        if (!announce(port)) {
            break;
        }
        if (virtio_is_wanted()) {
            return false;
        }
    }
    return true;
}

/*
 * The driver may just have opened or closed the port. Told once, whatever the other driver makes of
 * it meanwhile: this one's store does not wait for that.
 */
static void tell_peer(const struct virtio_port *port)
{
    struct virtio_port *peer = port->peer;

    if (peer != NULL && is_untold(peer)) {
        (void)tell_open(peer);
    }
}

/* What is done for a port when the driver has said something of the device. */
enum control_part {
    CONTROL_TELL_NEWS,
    CONTROL_DROP_STALE,
    CONTROL_TELL_PEER,
    CONTROL_PARTS,
};

/* False: there is more of this part. */
static bool control_port(struct virtio_device *device, struct virtio_port *port, uint32_t part)
{
    switch (part) {
    case CONTROL_TELL_NEWS:
        return tell_news(device, port);
    case CONTROL_DROP_STALE:
        return virtio_work(drop_stale, port->peer);
    default:
        tell_peer(port);
        return true;
    }
}

/*
 * The whole device: what its driver says, and what follows, port by port and part by part: the
 * store that is made again goes on at the next one.
 */
static bool control(struct virtio_device *device)
{
    uint32_t *turn = &turns[device->index];

    if (*turn == 0 && take_control(device) && virtio_is_wanted()) {
        return false;
    }
    while (*turn < CONTROL_PARTS * port_count(device)) {
        struct virtio_port *port = &ports_of(device)[*turn / CONTROL_PARTS];

        if (!control_port(device, port, *turn % CONTROL_PARTS)) {
            return false;
        }
        ++*turn;
        if (virtio_is_wanted()) {
            return false;
        }
    }
    *turn = 0;
    return !virtqueue_has_chain(&device->queues[QUEUE_CONTROL_OUT]);
}

/* Whose queue it is (section 5.3.2); not of those that control the device. */
static struct virtio_port *port_of(const struct virtio_device *device, uint32_t queue)
{
    return &ports_of(device)[queue < QUEUE_CONTROL_IN ? 0 : queue / 2 - 1];
}

static bool notify(struct virtio_device *device, uint32_t queue)
{
    struct virtio_port *port;

    if (queue == QUEUE_CONTROL_IN || queue == QUEUE_CONTROL_OUT) {
        return control(device);
    }
    port = port_of(device, queue);
    if ((queue & 1) != 0) {
        return pump(port);
    }
    if (port->bell) {
        deliver_ring(port);
        return true;
    }
    if (port->peer != NULL) {
        return pump_to(port);
    }
    virtqueue_ask(&device->queues[queue], false);
    return pump(port);
}

/* One port a time: which of them it is about is not known. */
static void tell_next(struct virtio_device *device)
{
    bool told = false;

    for (uint32_t i = 0; i < port_count(device); i++) {
        struct virtio_port *port = &ports_of(device)[i];

        if (is_untold(port) && told) {
            virtio_tell_again(device);
            return;
        }
        told = told || (is_untold(port) && tell_open(port));
    }
}

static void start(struct virtio_device *device)
{
    for (uint32_t i = 0; i < port_count(device); i++) {
        virtqueue_ask(ports_of(device)[i].receive, false);
    }
    virtqueue_ask(&device->queues[QUEUE_CONTROL_IN], false);
}

/* The half of a message that was sent from the queue, or all that was sent to it. */
static void stop_port(struct virtio_port *port, bool transmits)
{
    if (port->peer == NULL) {
        port->service->close(port);
        virtqueue_rewind(port->receive);
    } else if (transmits) {
        port->stale = false;
        virtqueue_rewind(port->peer->receive);
    } else {
        begin_afresh(port);
    }
}

/* Control messages are moved as a whole. */
static void queue_stopped(struct virtio_device *device, uint32_t queue)
{
    if (queue != QUEUE_CONTROL_IN && queue != QUEUE_CONTROL_OUT) {
        stop_port(port_of(device, queue), (queue & 1) != 0);
    }
}

/* A part is a port. */
static bool reset(struct virtio_device *device, uint32_t part)
{
    struct virtio_port *port = &ports_of(device)[part];

    turns[device->index] = 0;
    if (part >= port_count(device)) {
        return false;
    }
    port->ready = false;
    port->adding = false;
    port->naming = false;
    stop_port(port, true);
    set_open(port, false);
    if (port->peer != NULL) {
        virtio_tell_again(port->peer->device);
    }
    return true;
}

static uint64_t offered(const struct virtio_device *device)
{
    (void)device;
    return FEATURE_MULTIPORT;
}

static uint32_t queue_count(const struct virtio_device *device)
{
    return 2 * (port_count(device) + 1);
}

static uint32_t read_configuration(const struct virtio_device *device, uint32_t offset,
                                   uint32_t size)
{
    return offset == CONFIGURATION_PORTS && size == sizeof(uint32_t) ? port_count(device) : 0;
}

static void init(void);

static const struct virtio_type virtio_console_type = {
    .kind = COTENANT_VIRTUAL_CONSOLE,
    .init = init,
    .features = offered,
    .queue_count = queue_count,
    .read_configuration = read_configuration,
    .start = start,
    .notify = notify,
    .tell = tell_next,
    .queue_stopped = queue_stopped,
    .reset = reset,
};

VIRTIO_TYPE(virtio_console_type);
FEATURE(virtio_console);

static struct virtio_port *make_port(const struct bundle_channel *channel,
                                     const struct bundle_end *end)
{
    struct virtio_port *port = &ports[end->device][end->port];

    port->device = &virtio_devices[end->device];
    port->number = end->port;
    /* Section 5.3.2: port 0 comes before the control queues. */
    port->receive = &port->device->queues[end->port == 0 ? 0 : 2 * end->port + 2];
    port->transmit = port->receive + 1;
    port->name = channel->name;
    virtio_set_limit(&port->changes, end->events);
    port_counts[end->device]++;
    return port;
}

/* By way of virtio_port_fill() and virtio_port_send(): a service does not name this file. */
static uint32_t fill(struct virtio_port *port, const void *bytes, uint32_t length, bool last)
{
    struct virtqueue *queue = port->receive;
    uint32_t count;

    if (!port->open || virtio_look_for_room(port->device, queue) != VIRTQUEUE_BYTES) {
        return 0;
    }
    count = virtqueue_write(queue, bytes, length);
    if (virtqueue_is_at_end(queue) || (last && count == length)) {
        virtqueue_ask(queue, false);
        virtio_finish(port->device, queue);
    }
    return count;
}

/* NULL: the monitor is not at the other end. */
static const struct virtio_port_service *service_of(const struct bundle_channel *channel)
{
    FOR_EACH_IN_TABLE(virtio_port_services, service)
    {
        if (service->kind == channel->kind) {
            return service;
        }
    }
    return NULL;
}

static void init(void)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        if (channel->kind == COTENANT_CHANNEL_STREAM || channel->kind == COTENANT_CHANNEL_MEMORY) {
            struct virtio_port *one = make_port(channel, &channel->ends[0]);
            struct virtio_port *other = make_port(channel, &channel->ends[1]);

            one->peer = other;
            other->peer = one;
            one->bell = other->bell = channel->kind == COTENANT_CHANNEL_MEMORY;
        } else if (service_of(channel) != NULL) {
            struct virtio_port *port = make_port(channel, &channel->ends[0]);

            port->service = service_of(channel);
            port->fill = fill;
            port->service->begin(port);
        }
    }
}

void virtio_console_ring(const struct tenant *tenant, uint32_t number)
{
    for (uint32_t i = 0; i < tenant->description->device_count; i++) {
        uint32_t device = tenant->description->device_first + i;

        if (number < port_counts[device] && ports[device][number].bell) {
            ring(ports[device][number].peer);
        }
    }
}

/* The page of doorbells is behind the devices. */
static uint64_t doorbell_offset(const struct tenant *tenant, uint64_t address)
{
    return virtio_window_offset(tenant, address) - virtio_window_size(tenant);
}

static bool is_doorbell(const struct tenant *tenant, uint64_t address)
{
    return (tenant->description->flags & COTENANT_TENANT_DOORBELLS) != 0 &&
           doorbell_offset(tenant, address) < COTENANT_VIRTUAL_DEVICE_SIZE;
}

/* What is stored, and how much, does not matter; a doorbell reads as 0. */
static enum mmio_result access_doorbell(struct vhart *vhart, uint64_t address, uint32_t size,
                                        bool store, uint64_t *value)
{
    const struct tenant *tenant = vhart->tenant;

    (void)size;
    if (!is_doorbell(tenant, address)) {
        return MMIO_FAULT;
    }
    if (store) {
        virtio_console_ring(tenant, (uint32_t)doorbell_offset(tenant, address) / sizeof(uint32_t));
    } else {
        *value = 0;
    }
    return MMIO_DONE;
}

MMIO_WINDOW(is_doorbell, access_doorbell);
