/* SPDX-License-Identifier: BSD-2-Clause */
/* Any calls of virtual input devices, of a tenant that has another device as well. */
#include "any_queues.h"

#include "core/hooks.h"

#include "features/virtio_input/virtio_input.c"

#define DEVICES 3

static struct bundle_tenant description;
static struct tenant tenant;
static const struct virtio_type other = {.kind = COTENANT_VIRTUAL_NET};

static void call(struct virtio_device *device)
{
    switch (any_up_to(6)) {
    case 0:
        notify(device, any_up_to(queue_count(device) - 1));
        break;
    case 1:
        queue_stopped(device, any_up_to(queue_count(device) - 1));
        break;
    case 2:
        write_configuration(device, any32(), (uint32_t)Frama_C_interval_split(1, 4), any32());
        break;
    case 3:
        start(device);
        (void)offered(device);
        read_configuration(device, any32(), (uint32_t)Frama_C_interval_split(1, 4));
        break;
    case 4:
        virtio_press_sleep_key(&tenant);
        break;
    case 5:
        tell(device);
        break;
    default:
        reset(device, any32());
        break;
    }
}

int main(void)
{
    description.device_first = 1;
    description.device_count = DEVICES - 1;
    tenant.description = &description;
    for (uint32_t i = 0; i < DEVICES; i++) {
        virtio_devices[i].index = i;
        virtio_devices[i].type = i == 1 ? &other : &virtio_input_type;
    }
    while (any_bool()) {
        pass_moment();
        call(&virtio_devices[Frama_C_interval_split(0, 1) * 2]);
    }
    return 0;
}
