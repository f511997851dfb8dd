/* SPDX-License-Identifier: BSD-2-Clause */
/* Any accesses of a server to its clients' devices, any of a client, and any calls of the port. */
#include "any_queues.h"

#include "core/lifecycle.h"

#include "features/served/registers.c"
#include "features/served/served.c"

#define DEVICES 3 /* of which the first has the port */
#define QUEUES 2
#define BASE 0x20000000ul
#define PAGES (BASE + 2 * COTENANT_VIRTUAL_DEVICE_SIZE)

static struct bundle system;
static struct virtio_port port;
static struct vhart vhart;

bool lifecycle_is_quitting(void)
{
    return any_bool();
}

static void is_client(struct tenant *tenant)
{
    //@ assert tenant == &tenants[1];
    tenant->state = (enum tenant_state)any_up_to(TENANT_LOADING);
    tenant->lives = any32();
}

void tenant_run(struct tenant *tenant)
{
    is_client(tenant);
}

void tenant_prepare(struct tenant *tenant, enum tenant_purpose purpose)
{
    (void)purpose;
    is_client(tenant);
}

static uint32_t fill(struct virtio_port *of, const void *bytes, uint32_t length, bool last)
{
    //@ assert \valid(of);
    //@ assert \valid_read((const uint8_t *)bytes + (0 .. length - 1));
    (void)of;
    (void)bytes;
    (void)last;
    return any_up_to(length);
}

static void set_up(void)
{
    MAKE_ANY(system);
    system.board.timebase_hz = any32();
    system.device_count = DEVICES;
    system.channel_count = 1;
    system.channels[0].kind = COTENANT_CHANNEL_SERVED;
    system.channels[0].end_count = DEVICES;
    system.tenants[0].device_count = 1;
    system.tenants[0].virtual_base = BASE;
    bundle = &system;
    for (uint32_t i = 0; i < DEVICES; i++) {
        uint32_t tenant = i == 0 ? 0 : 1;

        system.channels[0].ends[i].device = i;
        tenants[tenant].index = tenant;
        tenants[tenant].description = &system.tenants[tenant];
        virtio_devices[i].index = i;
        virtio_devices[i].description = &system.devices[i];
        virtio_devices[i].tenant = &tenants[tenant];
        virtio_devices[i].type = &served_net;
        for (uint32_t queue = 0; queue < QUEUES; queue++) {
            MAKE_ANY(virtio_devices[i].queues[queue].registers);
            virtio_devices[i].queues[queue].ring.size = any32();
        }
    }
    port.device = &virtio_devices[0];
    port.name = system.channels[0].name;
    port.fill = fill;
    vhart.tenant = &tenants[0];
    begin(&port);
}

static void call_of_client(struct virtio_device *device)
{
    switch (any_up_to(6)) {
    case 0:
        notify(device, any_up_to(queue_count(device) - 1));
        break;
    case 1:
        queue_stopped(device, any_up_to(queue_count(device) - 1));
        break;
    case 2:
        start(device);
        break;
    case 3:
        read_configuration(device, any32(), (uint32_t)Frama_C_interval_split(1, 4));
        break;
    case 4:
        (void)id(device);
        (void)offered(device);
        break;
    case 5:
        (void)holds(device);
        break;
    default:
        reset(device, any32());
        break;
    }
}

static void call_of_port(void)
{
    uint8_t byte = any8();

    port.open = any_bool();
    switch (any_up_to(2)) {
    case 0:
        if (has_more(&port)) {
            send(&port);
        }
        break;
    case 1:
        receive(&port, &byte, sizeof(byte), any_bool());
        break;
    default:
        close(&port);
        break;
    }
}

/* Any address: those of pages that there are on their own. */
static uint64_t any_address(void)
{
    switch (any_up_to(2)) {
    case 0:
        return Frama_C_unsigned_long_interval(0, PAGES - 1);
    case 1:
        return Frama_C_unsigned_long_interval(PAGES + (DEVICES - 1) * COTENANT_SERVED_PAGE,
                                              UINT64_MAX);
    default:
        return PAGES + (uint64_t)Frama_C_interval_split(0, DEVICES - 2) * COTENANT_SERVED_PAGE +
               any_up_to(COTENANT_SERVED_PAGE - 1);
    }
}

static void call(void)
{
    uint64_t value = any64();
    uint64_t address;

    switch (any_up_to(2)) {
    case 0:
        address = any_address();
        if (is_served(&tenants[0], address)) {
            access_served(&vhart, address, 1u << Frama_C_interval_split(0, 3), any_bool(), &value);
        }
        break;
    case 1:
        call_of_client(&virtio_devices[Frama_C_interval_split(1, DEVICES - 1)]);
        break;
    default:
        call_of_port();
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
