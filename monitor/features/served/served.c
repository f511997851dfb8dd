/* SPDX-License-Identifier: BSD-2-Clause */
/* The client's side: the type of its devices, and the port by which the server learns of events. */
#include "features/served/served.h"

#include "core/feature.h"
#include "core/hart.h"
#include "core/tenant.h"

/* Device ids of virtio 1.2, chapter 5, in the numbers of the kinds. */
#define DEVICE_ID(device) ((device)->description->kind & (COTENANT_VIRTUAL_SERVED - 1))

struct served served_devices[COTENANT_MAX_VIRTUAL_DEVICES];
uint8_t served_pages[COTENANT_MAX_TENANTS];

static struct served *served_of(const struct virtio_device *device)
{
    return &served_devices[device->index];
}

/* Sends the byte for events of a device. False: the port has no room for it. */
static bool tell(struct served *served)
{
    served->told = virtio_port_send(served->port, 1);
    return served->told;
}

/* The server has no program that listens: it looks at the events when there is one. */
static void note(struct served *served, uint32_t event)
{
    served->events |= event;
    if (!served->told && served->port->open) {
        (void)tell(served);
    }
}

static uint32_t id(const struct virtio_device *device)
{
    return served_of(device)->present ? DEVICE_ID(device) : 0;
}

static uint64_t offered(const struct virtio_device *device)
{
    return served_of(device)->features;
}

static uint32_t queue_count(const struct virtio_device *device)
{
    uint32_t kind = device->description->kind;

    return kind == COTENANT_VIRTUAL_SERVED_DISK || kind == COTENANT_VIRTUAL_SERVED_RNG ? 1 : 2;
}

static uint32_t read_configuration(const struct virtio_device *device, uint32_t offset,
                                   uint32_t size)
{
    const uint8_t *bytes = (const uint8_t *)served_of(device)->configuration;
    uint32_t value = 0;

    for (uint32_t i = 0; i < size && offset + i < COTENANT_SERVED_CONFIGURATION_SIZE; i++) {
        value |= (uint32_t)bytes[offset + i] << 8 * i;
    }
    return value;
}

static void start(struct virtio_device *device)
{
    note(served_of(device), COTENANT_SERVED_STATE_CHANGED);
}

static bool notify(struct virtio_device *device, uint32_t queue)
{
    note(served_of(device), 1u << queue);
    return true;
}

static void queue_stopped(struct virtio_device *device, uint32_t queue)
{
    (void)queue;
    note(served_of(device), COTENANT_SERVED_STATE_CHANGED);
}

static bool reset(struct virtio_device *device, uint32_t part)
{
    struct served *served = served_of(device);

    (void)part;
    served->resets++;
    served->waited_until = hart_now(hart_self()) + bundle->board.timebase_hz;
    note(served, COTENANT_SERVED_STATE_CHANGED);
    return false;
}

/* A program that has gone touches nothing; one that does not answer is not waited for for long. */
static bool holds(const struct virtio_device *device)
{
    const struct served *served = served_of(device);

    return served->followed != served->resets && served->port->open &&
           hart_now(hart_self()) < served->waited_until;
}

#define SERVED_TYPE(name, number)                                                                  \
    static const struct virtio_type name = {                                                       \
        .kind = (number),                                                                          \
        .id = id,                                                                                  \
        .features = offered,                                                                       \
        .queue_count = queue_count,                                                                \
        .read_configuration = read_configuration,                                                  \
        .start = start,                                                                            \
        .notify = notify,                                                                          \
        .queue_stopped = queue_stopped,                                                            \
        .reset = reset,                                                                            \
        .holds = holds,                                                                            \
    };                                                                                             \
    VIRTIO_TYPE(name)

SERVED_TYPE(served_net, COTENANT_VIRTUAL_SERVED_NET);
SERVED_TYPE(served_disk, COTENANT_VIRTUAL_SERVED_DISK);
SERVED_TYPE(served_console, COTENANT_VIRTUAL_SERVED_CONSOLE);
SERVED_TYPE(served_rng, COTENANT_VIRTUAL_SERVED_RNG);
SERVED_TYPE(served_share, COTENANT_VIRTUAL_SERVED_SHARE);

/* A device of the port's client that has events of which the server does not know. */
static struct served *untold(const struct virtio_port *port)
{
    for (uint32_t i = 0; i < bundle->device_count; i++) {
        struct served *served = &served_devices[i];

        if (served->port == port && served->events != 0 && !served->told) {
            return served;
        }
    }
    return NULL;
}

static bool has_more(const struct virtio_port *port)
{
    return port->open && untold(port) != NULL;
}

static bool send(struct virtio_port *port)
{
    struct served *served = untold(port);

    return served != NULL && tell(served);
}

/* Nothing is said by the port in this direction. */
static void receive(struct virtio_port *port, const uint8_t *bytes, uint32_t length, bool last)
{
    (void)port;
    (void)bytes;
    (void)length;
    (void)last;
}

/* The program has gone: the next one is told of what it has not looked at. */
static void close(struct virtio_port *port)
{
    for (uint32_t i = 0; i < bundle->device_count; i++) {
        if (served_devices[i].port == port) {
            served_devices[i].told = false;
        }
    }
}

static void begin(struct virtio_port *port)
{
    for (uint32_t i = 0; i < bundle->channel_count; i++) {
        const struct bundle_channel *channel = &bundle->channels[i];

        if (channel->kind != COTENANT_CHANNEL_SERVED || channel->name != port->name) {
            continue;
        }
        for (uint32_t end = 1; end < channel->end_count; end++) {
            struct virtio_device *device = &virtio_devices[channel->ends[end].device];
            struct served *served = served_of(device);

            served->page = served_pages[port->device->tenant->index]++;
            served->port = port;
            served->device = device;
        }
    }
}

VIRTIO_PORT_SERVICE(served) = {
    .kind = COTENANT_CHANNEL_SERVED,
    .begin = begin,
    .receive = receive,
    .has_more = has_more,
    .send = send,
    .close = close,
};

FEATURE(served);
