/* SPDX-License-Identifier: BSD-2-Clause */
/* Any calls of two virtual socket devices that are joined. */
#include "any_queues.h"

#include "features/virtio_socket/virtio_socket.c"

#define ENDS 2

static struct bundle system;

static void set_up(void)
{
    MAKE_ANY(system);
    system.channel_count = 1;
    system.channels[0].kind = COTENANT_CHANNEL_SOCKET;
    for (uint32_t i = 0; i < ENDS; i++) {
        system.channels[0].ends[i].device = i;
        virtio_devices[i].index = i;
    }
    bundle = &system;
    init();
}

static void call(void)
{
    struct virtio_device *device = &virtio_devices[Frama_C_interval_split(0, ENDS - 1)];

    switch (any_up_to(5)) {
    case 0:
        notify(device, any_up_to(queue_count(device) - 1));
        break;
    case 1:
        queue_stopped(device, any_up_to(queue_count(device) - 1));
        break;
    case 2:
        tell(device);
        break;
    case 3:
        start(device);
        break;
    case 4:
        (void)offered(device);
        read_configuration(device, any32(), (uint32_t)Frama_C_interval_split(1, 4));
        break;
    default:
        reset(device, any32());
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
