/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual network devices (virtio 1.2, section 5.1): the ends of a network among tenants.
 *
 * A frame goes to the end whose address it names, else to all others. It is copied when its sender
 * notifies, piece by piece, straight into a receiver's buffer. Between two ends a frame waits until
 * the receiver has a buffer; a network of more ends drops it, so that none of them can hold up the
 * others. The header in front of a frame is the monitor's: what one driver writes there never
 * reaches another. An end has a link while any other one is there. Shared lock held.
 */
#include "features/virtio/virtio.h"

#include "arch/memory.h"
#include "core/feature.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "irq/source_set.h"

/* Section 5.1.3. */
#define FEATURE_MAC (1ul << 5)
#define FEATURE_STATUS (1ul << 16)
/* Section 5.1.4: the address, and the offset of status behind it. */
#define MAC_SIZE 6
#define CONFIGURATION_STATUS MAC_SIZE
#define STATUS_LINK_UP 1
/* Section 5.1.2. */
#define QUEUE_RECEIVE 0
#define QUEUE_TRANSMIT 1
#define QUEUES 2
/* Section 5.1.6: struct virtio_net_hdr with num_buffers, which is 1 in what is received. */
#define HEADER_SIZE 12
#define HEADER_NUM_BUFFERS 10

/* What has to be known of a frame before it is given to anyone. */
#define START_SIZE (HEADER_SIZE + MAC_SIZE)

/* More pieces than a frame of the usual size has, its buffers' ends included. */
#define FRAME_PIECES 10

/*
 * A frame is dropped for a receiver that lets none of so many attempts come to its end, or for
 * which others always come between: the store that sends it has to end.
 */
#define MOST_ATTEMPTS 4

#define MULTICAST 0x1 /* in the first byte of an address */

struct net {
    struct virtio_device *device;
    const struct bundle_channel *channel;
    uint32_t end; /* which of the channel's ends this is */
    bool link;    /* what has_link() was when the driver was told last */
    /* The frame that is being sent: ends that are still to get it, a bit each, and the one that
     * has part of it, if any. */
    uint32_t targets;
    uint32_t attempts; /* to give it to the present target, that were cut short */
    uint32_t taken;    /* bytes of it in `start`, or passed over for the present target */
    uint8_t start[START_SIZE];
    bool over; /* no end is to get more of it: its buffer is to be given back */
    struct net *receiver;
    struct net *sender; /* who has put part of a frame into our receive queue, or NULL */
};

static struct net nets[COTENANT_MAX_VIRTUAL_DEVICES];

static struct net *net_of(const struct virtio_device *device)
{
    return &nets[device->index];
}

static struct net *other(const struct net *net, uint32_t end)
{
    return &nets[net->channel->ends[end].device];
}

static struct virtqueue *queue_of(const struct net *net, uint32_t queue)
{
    return &net->device->queues[queue];
}

static const uint8_t *mac_of(const struct net *net)
{
    return net->channel->ends[net->end].mac;
}

static bool has_link(const struct net *net)
{
    for (uint32_t end = 0; end < net->channel->end_count; end++) {
        if (end != net->end && virtio_is_live(other(net, end)->device)) {
            return true;
        }
    }
    return false;
}

/* The ends that a frame to `address` goes to. */
static uint32_t find_targets(const struct net *net, const uint8_t address[MAC_SIZE])
{
    uint32_t all = ((1u << net->channel->end_count) - 1) & ~(1u << net->end);

    for (uint32_t end = 0; (address[0] & MULTICAST) == 0 && end < net->channel->end_count; end++) {
        const uint8_t *mac = net->channel->ends[end].mac;

        /* The last byte first: in the others most addresses of a network are the same. */
        if (mac[MAC_SIZE - 1] == address[MAC_SIZE - 1] && memcmp(mac, address, MAC_SIZE) == 0) {
            return (1u << end) & all;
        }
    }
    return all;
}

/* The receiver does not get what of the frame is in its buffer, which is for the next one. */
static void leave_receiver(struct net *net)
{
    struct net *receiver = net->receiver;

    if (receiver != NULL) {
        virtqueue_rewind(queue_of(receiver, QUEUE_RECEIVE));
        receiver->sender = NULL;
        net->receiver = NULL;
    }
}

/* The present receiver does not get the rest of what `net` is sending: that one will begin anew. */
static void abandon(struct net *net)
{
    net->attempts++;
    net->taken = 0;
    virtqueue_rewind(queue_of(net, QUEUE_TRANSMIT));
    leave_receiver(net);
}

/* The target has the frame, or will never have it. */
static void next_target(struct net *net, uint32_t end)
{
    leave_receiver(net);
    net->attempts = 0;
    net->taken = 0;
    net->targets &= ~(1u << end);
    if (net->targets != 0) {
        virtqueue_rewind(queue_of(net, QUEUE_TRANSMIT));
    } else {
        net->over = true;
    }
}

static void end_frame(struct net *net)
{
    struct virtqueue *queue = queue_of(net, QUEUE_TRANSMIT);

    net->over = false;
    if (queue->open || virtio_look(net->device, queue, false) != VIRTQUEUE_EMPTY) {
        virtio_finish(net->device, queue);
    }
}

/*
 * A new frame: who is to get it. One that is too short for an address is dropped. The first target
 * gets the address as it was read here, and then the rest of the open chain.
 */
static void begin_frame(struct net *net)
{
    struct virtqueue *queue = queue_of(net, QUEUE_TRANSMIT);
    enum virtqueue_state state =
        virtio_take(net->device, queue, net->start, START_SIZE, &net->taken);

    if (state == VIRTQUEUE_LATER) {
        return;
    }
    if (state == VIRTQUEUE_BYTES) {
        net->targets = find_targets(net, net->start + HEADER_SIZE);
    }
    net->attempts = 0;
    net->over = net->targets == 0;
    if (net->over) {
        net->taken = 0;
    }
}

/* Opens a buffer of the receiver. False: wait for one. */
static bool begin_copy(struct net *net, struct net *target, uint32_t end)
{
    struct virtqueue *queue = queue_of(target, QUEUE_RECEIVE);
    bool waits = net->channel->end_count == 2 && virtio_is_live(target->device);
    enum virtqueue_state state;
    bool open;

    if (target->sender != NULL) {
        abandon(target->sender); /* which does not have the hart now, perhaps for long */
    }
    if (net->attempts >= MOST_ATTEMPTS) {
        next_target(net, end);
        return true;
    }
    open = queue->open;
    state = waits ? virtio_look_for_room(target->device, queue)
                  : virtio_look(target->device, queue, true);
    if (state == VIRTQUEUE_EMPTY && waits) {
        return false;
    }
    if (state == VIRTQUEUE_BYTES && !open && hart_is_wanted()) {
        return true; /* it is open when this is done again */
    }
    if (state != VIRTQUEUE_BYTES) {
        next_target(net, end);
        return true;
    }
    virtqueue_ask(queue, false);
    net->receiver = target;
    target->sender = net;
    return true;
}

/* What the receiver gets in front of what is copied: the address too, if it was just read. */
static uint32_t start_of(const struct net *net)
{
    return net->taken == START_SIZE ? START_SIZE : HEADER_SIZE;
}

/* The receiver gets the monitor's header. Returns whether it has it. */
static bool give_start(struct net *net, uint32_t end)
{
    uint8_t start[START_SIZE] = {[HEADER_NUM_BUFFERS] = 1};
    struct net *target = net->receiver;
    enum virtqueue_state state;

    memcpy(start + HEADER_SIZE, net->start + HEADER_SIZE, MAC_SIZE);
    state = virtio_fill(target->device, queue_of(target, QUEUE_RECEIVE), start, start_of(net));

    if (state != VIRTQUEUE_BYTES && state != VIRTQUEUE_LATER) {
        next_target(net, end);
    }
    return state == VIRTQUEUE_BYTES;
}

/* Passes over the sender's header. Returns whether that is done. */
static bool skip_header(struct net *net, uint32_t end)
{
    enum virtqueue_state state = virtio_take(net->device, queue_of(net, QUEUE_TRANSMIT), net->start,
                                             HEADER_SIZE, &net->taken);

    if (state != VIRTQUEUE_BYTES && state != VIRTQUEUE_LATER) {
        next_target(net, end);
    }
    return state == VIRTQUEUE_BYTES;
}

/*
 * Does not give way to harts that wait for the lock, as virtio_work() does: two that did so in the
 * middle of frames for the same receiver would never finish one. A frame that is longer than the
 * receiver's buffer is not received.
 */
static void copy_piece(struct net *net, uint32_t end)
{
    struct virtqueue *from = queue_of(net, QUEUE_TRANSMIT);
    struct virtqueue *to = queue_of(net->receiver, QUEUE_RECEIVE);

    for (unsigned pieces = 0; pieces < FRAME_PIECES; pieces++) {
        enum virtqueue_state state = virtio_look_on(net->device, from, false);

        if (state == VIRTQUEUE_LATER) {
            return;
        }
        if (state == VIRTQUEUE_END) {
            virtio_finish(net->receiver->device, to);
            next_target(net, end);
            return;
        }
        if (state != VIRTQUEUE_BYTES ||
            virtio_look(net->receiver->device, to, true) != VIRTQUEUE_BYTES) {
            next_target(net, end);
            return;
        }
        if (!virtio_copy(to, from, UINT32_MAX)) {
            return;
        }
    }
}

/* A step while it is not known who is to get a frame. False: there is none. */
static bool begin(struct net *net)
{
    enum virtqueue_state state = virtio_look_on(net->device, queue_of(net, QUEUE_TRANSMIT), false);

    if (state == VIRTQUEUE_BYTES || state == VIRTQUEUE_END) {
        begin_frame(net); /* at its end already: one that is too short */
    }
    return !virtqueue_has_nothing(state);
}

static bool step(void *subject)
{
    struct net *net = subject;
    uint32_t end;

    if (net->over) {
        end_frame(net);
        return true;
    }
    if (net->targets == 0) {
        return begin(net);
    }
    end = lowest_bit(net->targets);
    if (net->receiver == NULL) {
        if (!begin_copy(net, other(net, end), end)) {
            return false;
        }
        if (net->receiver == NULL || hart_is_wanted()) {
            return true;
        }
    }
    if (queue_of(net->receiver, QUEUE_RECEIVE)->written < start_of(net) &&
        (!give_start(net, end) || hart_is_wanted())) {
        return true;
    }
    if (net->taken < HEADER_SIZE && (!skip_header(net, end) || hart_is_wanted())) {
        return true;
    }
    /* At once: another hart that sends to the same receiver would take the buffer away again. */
    copy_piece(net, end);
    if (net->over && !hart_is_wanted()) {
        end_frame(net);
    }
    return true;
}

static bool notify(struct virtio_device *device, uint32_t queue)
{
    struct net *net = net_of(device);
    struct net *sender;

    if (queue == QUEUE_TRANSMIT) {
        return virtio_work(step, net);
    }
    virtqueue_ask(queue_of(net, QUEUE_RECEIVE), false);
    if (net->channel->end_count != 2) {
        return true; /* nothing waits for its buffers */
    }
    sender = other(net, net->end == 0 ? 1 : 0);
    return virtio_work_for_sender(step, sender, queue_of(sender, QUEUE_TRANSMIT),
                                  queue_of(net, QUEUE_RECEIVE));
}

/* What it was sending is dropped, and an end that was sending to it begins anew. */
static void queue_stopped(struct virtio_device *device, uint32_t queue)
{
    struct net *net = net_of(device);

    if (queue == QUEUE_TRANSMIT) {
        abandon(net);
        net->targets = 0;
        net->over = false;
    } else if (net->sender != NULL) {
        abandon(net->sender);
    }
}

/* The link may have come or gone. */
static void tell(struct virtio_device *device)
{
    struct net *net = net_of(device);
    bool link = has_link(net);

    if (link != net->link) {
        net->link = link;
        virtio_tell_change(device);
    }
}

/* The links of the others may have come or gone: each is told in its turn. */
static void tell_others(const struct net *net)
{
    for (uint32_t end = 0; end < net->channel->end_count; end++) {
        if (end != net->end) {
            virtio_tell_again(other(net, end)->device);
        }
    }
}

/* Its first buffers are to be notified: a frame may wait for them, from before it started. */
static void start(struct virtio_device *device)
{
    struct net *net = net_of(device);

    net->link = has_link(net);
    tell_others(net);
}

static bool reset(struct virtio_device *device, uint32_t part)
{
    if (part < QUEUES) {
        queue_stopped(device, part);
        return true;
    }
    tell_others(net_of(device));
    return false;
}

static uint64_t offered(const struct virtio_device *device)
{
    (void)device;
    return FEATURE_MAC | FEATURE_STATUS;
}

static uint32_t queue_count(const struct virtio_device *device)
{
    (void)device;
    return QUEUES;
}

static uint32_t read_configuration(const struct virtio_device *device, uint32_t offset,
                                   uint32_t size)
{
    const struct net *net = net_of(device);
    uint8_t bytes[CONFIGURATION_STATUS + sizeof(uint32_t)] = {0};
    uint32_t value = 0;

    memcpy(bytes, mac_of(net), MAC_SIZE);
    bytes[CONFIGURATION_STATUS] = has_link(net) ? STATUS_LINK_UP : 0;
    for (uint32_t i = 0; i < size && offset + i < sizeof(bytes); i++) {
        value |= (uint32_t)bytes[offset + i] << (8 * i);
    }
    return value;
}

static void init(void);

static const struct virtio_type virtio_net_type = {
    .kind = COTENANT_VIRTUAL_NET,
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

VIRTIO_TYPE(virtio_net_type);
FEATURE(virtio_net);

static void init(void)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        for (uint32_t end = 0; channel->kind == COTENANT_CHANNEL_NET && end < channel->end_count;
             end++) {
            struct net *net = &nets[channel->ends[end].device];

            net->device = &virtio_devices[channel->ends[end].device];
            net->channel = channel;
            net->end = end;
            virtio_set_limit(&net->device->changes, channel->ends[end].events);
        }
    }
}
