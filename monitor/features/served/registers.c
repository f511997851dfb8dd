/* SPDX-License-Identifier: BSD-2-Clause */
/* The server's side: a page of registers for each device, behind its page of doorbells. */
#include "core/lifecycle.h"
#include "core/tenant.h"
#include "features/plic/mmio.h"
#include "features/served/served.h"

static bool awaits(const struct tenant *client)
{
    return (client->description->flags & COTENANT_TENANT_AWAITS_SERVER) != 0 &&
           client->lives == 0 && !lifecycle_is_quitting() &&
           (client->state == TENANT_EMPTY || client->state == TENANT_LOADED);
}

static void start_client(struct tenant *client)
{
    if (awaits(client)) {
        tenant_prepare(client, TENANT_TO_RUN);
    }
}

/* What the driver has said of a queue, if the device works with it. */
static uint64_t load_queue(const struct virtio_device *device, uint32_t offset)
{
    uint32_t number = offset / COTENANT_SERVED_QUEUE;
    const struct virtqueue *queue;

    if (number >= device->type->queue_count(device)) {
        return 0;
    }
    queue = &device->queues[number];
    if (!virtqueue_is_ready(queue)) {
        return 0;
    }
    switch (offset % COTENANT_SERVED_QUEUE) {
    case 0:
        return queue->registers.size;
    case COTENANT_SERVED_QUEUE_TABLE:
        return queue->registers.descriptors;
    case COTENANT_SERVED_QUEUE_AVAILABLE:
        return queue->registers.available;
    case COTENANT_SERVED_QUEUE_USED:
        return queue->registers.used;
    default:
        return 0;
    }
}

static uint64_t take_events(struct served *served)
{
    uint32_t events = served->events;

    served->events = 0;
    served->told = false;
    return events;
}

uint64_t served_load(struct served *served, uint32_t offset)
{
    const struct virtio_device *device = served->device;
    uint32_t place = offset - COTENANT_SERVED_CONFIGURATION;

    switch (offset) {
    case COTENANT_SERVED_IDENTITY:
        return COTENANT_SERVED_MAGIC;
    case COTENANT_SERVED_DEVICE:
        return device->description->kind - COTENANT_VIRTUAL_SERVED;
    case COTENANT_SERVED_QUEUES:
        return device->type->queue_count(device);
    case COTENANT_SERVED_QUEUE_SIZE:
        return VIRTQUEUE_MOST;
    case COTENANT_SERVED_EVENTS:
        return take_events(served);
    case COTENANT_SERVED_STATE:
        return served->resets | (virtio_is_live(device) ? COTENANT_SERVED_LIVE : 0);
    case COTENANT_SERVED_FEATURES:
        return served->features;
    case COTENANT_SERVED_ACCEPTED:
        return device->driver_features;
    case COTENANT_SERVED_PRESENT:
        return served->present;
    case COTENANT_SERVED_WAITS:
        return awaits(device->tenant);
    default:
        break;
    }
    if (offset >= COTENANT_SERVED_QUEUE_FIRST) {
        return load_queue(device, offset - COTENANT_SERVED_QUEUE_FIRST);
    }
    return place < COTENANT_SERVED_CONFIGURATION_SIZE
               ? served->configuration[place / sizeof(uint64_t)]
               : 0;
}

/* An interrupt for a driver that is not there would meet it when it comes. */
static void interrupt(struct virtio_device *device, uint64_t reasons)
{
    if (!virtio_is_live(device)) {
        return;
    }
    if ((reasons & VIRTIO_INTERRUPT_USED) != 0) {
        virtio_interrupt(device, VIRTIO_INTERRUPT_USED);
    }
    if ((reasons & VIRTIO_INTERRUPT_CONFIGURATION) != 0) {
        virtio_tell_change(device);
    }
}

void served_store(struct served *served, uint32_t offset, uint64_t value)
{
    uint32_t place = offset - COTENANT_SERVED_CONFIGURATION;

    switch (offset) {
    case COTENANT_SERVED_FEATURES:
        served->features = value;
        break;
    case COTENANT_SERVED_PRESENT:
        served->present = value == 1;
        break;
    case COTENANT_SERVED_INTERRUPT:
        interrupt(served->device, value);
        break;
    case COTENANT_SERVED_FOLLOWED:
        served->followed = (uint32_t)value;
        break;
    case COTENANT_SERVED_START:
        start_client(served->device->tenant);
        break;
    default:
        if (place < COTENANT_SERVED_CONFIGURATION_SIZE) {
            served->configuration[place / sizeof(uint64_t)] = value;
        }
        break;
    }
}

/* Behind the devices and the page of doorbells, be they there or not. */
static uint64_t offset_of(const struct tenant *server, uint64_t address)
{
    return virtio_window_offset(server, address) - virtio_window_size(server) -
           COTENANT_VIRTUAL_DEVICE_SIZE;
}

static struct served *served_at(const struct tenant *server, uint64_t address)
{
    uint64_t page = offset_of(server, address) / COTENANT_SERVED_PAGE;

    for (uint32_t i = 0; i < bundle->device_count; i++) {
        struct served *served = &served_devices[i];

        if (served->device != NULL && served->page == page &&
            served->port->device->tenant == server) {
            return served;
        }
    }
    return NULL;
}

static bool is_served(const struct tenant *tenant, uint64_t address)
{
    return offset_of(tenant, address) / COTENANT_SERVED_PAGE < served_pages[tenant->index];
}

static enum mmio_result access_served(struct vhart *vhart, uint64_t address, uint32_t size,
                                      bool store, uint64_t *value)
{
    struct served *served = served_at(vhart->tenant, address);
    uint32_t offset = (uint32_t)(address % COTENANT_SERVED_PAGE);

    if (served == NULL || size != sizeof(uint64_t)) {
        return MMIO_FAULT;
    }
    if (store) {
        served_store(served, offset, *value);
    } else {
        *value = served_load(served, offset);
    }
    return MMIO_DONE;
}

MMIO_WINDOW(is_served, access_served);
