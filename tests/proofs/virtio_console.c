/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any calls of two virtual consoles that are joined by a stream and by a memory channel; the first
 * one has a port of the monitor as well.
 */
#include "any_queues.h"

#include "features/virtio_console/virtio_console.c"

#define DEVICES 2
#define CHANNELS 3
#define BASE 0x20000000ul

static struct bundle system;
static struct vhart vhart;

static void is_port(const struct virtio_port *port)
{
    //@ assert \valid_read(port);
    (void)port;
}

static void begin_service(struct virtio_port *port)
{
    is_port(port);
}

static uint32_t appetite(const struct virtio_port *port)
{
    is_port(port);
    return any32();
}

static void receive(struct virtio_port *port, const uint8_t *bytes, uint32_t length, bool last)
{
    is_port(port);
    //@ assert length <= APPETITE_PIECE_SIZE;
    //@ assert length == 0 || \valid_read(bytes + (0 .. length - 1));
    (void)bytes;
    (void)length;
    (void)last;
}

static bool has_more(const struct virtio_port *port)
{
    is_port(port);
    return any_bool();
}

static bool send(struct virtio_port *port)
{
    static const uint8_t bytes[SERVICE_PIECE_SIZE];

    return virtio_port_fill(port, bytes, any_up_to(sizeof(bytes)), any_bool()) != 0;
}

static const struct virtio_port_service service = {
    COTENANT_CHANNEL_CONTROL, begin_service, appetite, receive, has_more, send, begin_service};

HAS_ENTRIES(virtio_port_services, &service);

static void set_up(void)
{
    MAKE_ANY(system);
    system.channel_count = CHANNELS;
    system.channels[0].kind = COTENANT_CHANNEL_STREAM;
    system.channels[1].kind = COTENANT_CHANNEL_MEMORY;
    system.channels[2].kind = COTENANT_CHANNEL_CONTROL;
    //@ loop unroll CHANNELS;
    for (uint32_t i = 0; i < CHANNELS; i++) {
        system.channels[i].name[COTENANT_NAME_SIZE - 1] = '\0'; /* checked at boot */
        system.channels[i].ends[0].device = 0;
        system.channels[i].ends[0].port = i;
        system.channels[i].ends[1].device = 1;
        system.channels[i].ends[1].port = i;
    }
    system.tenants[0].device_first = 0;
    system.tenants[0].device_count = DEVICES;
    system.tenants[0].virtual_base = BASE;
    tenants[0].description = &system.tenants[0];
    vhart.tenant = &tenants[0];
    bundle = &system;
    virtio_devices[0].index = 0;
    virtio_devices[1].index = 1;
    init();
}

static void call_of_queue(struct virtio_device *device)
{
    uint32_t queue = (uint32_t)Frama_C_interval_split(0, 2 * CHANNELS + 1);

    if (queue >= queue_count(device)) {
        return;
    }
    if (any_bool()) {
        notify(device, queue);
    } else {
        queue_stopped(device, queue);
    }
}

static void call(void)
{
    struct virtio_device *device = &virtio_devices[Frama_C_interval_split(0, DEVICES - 1)];
    uint64_t value = any64();

    switch (any_up_to(5)) {
    case 0:
    case 1:
        call_of_queue(device);
        break;
    case 2:
        tell_next(device);
        break;
    case 3:
        start(device);
        (void)offered(device);
        read_configuration(device, any32(), (uint32_t)Frama_C_interval_split(1, 4));
        break;
    case 4:
        access_doorbell(&vhart, any64(), 1u << any_up_to(3), any_bool(), &value);
        break;
    default:
        reset(device, (uint32_t)Frama_C_interval_split(0, CHANNELS));
        break;
    }
}

int main(void)
{
    set_up();
    while (any_bool()) {
        pass_moment();
        call();
    }
    return 0;
}
