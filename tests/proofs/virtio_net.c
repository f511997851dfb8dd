/* SPDX-License-Identifier: BSD-2-Clause */
/* Any calls of virtual network devices: of two that are joined, and of a network of three. */
#include "any_queues.h"

#include "features/virtio_net/virtio_net.c"

#define MOST_ENDS 3

static struct bundle system;
static uint32_t ends;

static void set_up(void)
{
    MAKE_ANY(system);
    system.channel_count = 1;
    system.channels[0].kind = COTENANT_CHANNEL_NET;
    system.channels[0].end_count = ends;
    for (uint32_t i = 0; i < MOST_ENDS; i++) {
        system.channels[0].ends[i].device = i;
        virtio_devices[i].index = i;
    }
    bundle = &system;
    init();
}

static void call(void)
{
    struct virtio_device *device = &virtio_devices[Frama_C_interval_split(0, (int)ends - 1)];

    switch (any_up_to(6)) {
    case 0:
        notify(device, QUEUE_TRANSMIT);
        break;
    case 1:
        notify(device, QUEUE_RECEIVE);
        break;
    case 2:
        queue_stopped(device, any_up_to(queue_count(device) - 1));
        break;
    case 3:
        tell(device);
        break;
    case 4:
        start(device);
        break;
    case 5:
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
    ends = (uint32_t)Frama_C_interval_split(2, MOST_ENDS);
    //@ split ends;
    set_up();
    while (any_bool()) {
        pass_moment();
        call();
    }
    return 0;
}
