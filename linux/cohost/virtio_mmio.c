/* SPDX-License-Identifier: BSD-2-Clause */
#include "virtio_mmio.h"

#include <string.h>

#include "bus.h"
#include "guest.h"
#include "memory.h"

enum {
    MAGIC = 0x000,
    VERSION = 0x004,
    DEVICE_ID = 0x008,
    VENDOR_ID = 0x00c,
    DEVICE_FEATURES = 0x010,
    DEVICE_FEATURES_SELECT = 0x014,
    DRIVER_FEATURES = 0x020,
    DRIVER_FEATURES_SELECT = 0x024,
    QUEUE_SELECT = 0x030,
    QUEUE_SIZE_MAX = 0x034,
    QUEUE_SIZE = 0x038,
    QUEUE_READY = 0x044,
    QUEUE_NOTIFY = 0x050,
    INTERRUPT_STATUS = 0x060,
    INTERRUPT_ACK = 0x064,
    STATUS = 0x070,
    QUEUE_DESCRIPTORS = 0x080,
    QUEUE_AVAILABLE = 0x090,
    QUEUE_USED = 0x0a0,
    GENERATION = 0x0fc,
    CONFIGURATION = 0x100,
};

#define MAGIC_VALUE 0x74726976
#define VENDOR_VALUE 0x4e544f43 /* "COTN" */
#define INTERRUPT_USED 1
#define STATUS_FEATURES_OK 8

#define DESCRIPTOR_NEXT 1
#define DESCRIPTOR_WRITE 2

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
};

struct used_element {
    uint32_t head;
    uint32_t length;
};

/* The rings (virtio 1.2, sections 2.7.6 and 2.7.8). */
#define RING_INDEX 2
#define RING_ELEMENTS 4

static void update_line(struct virtio *device)
{
    guest_line(device->source, device->interrupts != 0);
}

/* The selected queue; NULL: there is none. */
static struct virtio_queue *selected(struct virtio *device)
{
    return device->queue_select < device->queue_count ? &device->queues[device->queue_select]
                                                      : NULL;
}

static void reset(struct virtio *device)
{
    while (device->busy) {
        pthread_cond_wait(&device->notified, &device->lock);
    }
    device->status = device->interrupts = 0;
    device->driver_features = 0;
    memset(device->queues, 0, sizeof(device->queues));
}

static uint32_t load_configuration(const struct virtio *device, uint64_t offset, unsigned size)
{
    uint32_t value = 0;

    if (size <= sizeof(value) && offset <= device->configuration_size &&
        size <= device->configuration_size - offset) {
        memcpy(&value, (const uint8_t *)device->configuration + offset, size);
    }
    return value;
}

static uint32_t load(struct virtio *device, uint64_t offset, unsigned size)
{
    const struct virtio_queue *queue = selected(device);

    switch (offset) {
    case MAGIC:
        return MAGIC_VALUE;
    case VERSION:
        return 2;
    case DEVICE_ID:
        return device->id;
    case VENDOR_ID:
        return VENDOR_VALUE;
    case DEVICE_FEATURES:
        return device->feature_select > 1
                   ? 0
                   : (uint32_t)(device->features >> 32 * device->feature_select);
    case QUEUE_SIZE_MAX:
        return queue == NULL ? 0 : VIRTIO_QUEUE_SIZE;
    case QUEUE_READY:
        return queue != NULL && queue->ready;
    case INTERRUPT_STATUS:
        return device->interrupts;
    case STATUS:
        return device->status;
    default:
        return offset < CONFIGURATION ? 0
                                      : load_configuration(device, offset - CONFIGURATION, size);
    }
}

static void set_half(uint64_t *address, bool high, uint32_t value)
{
    *address =
        high ? (uint32_t)*address | (uint64_t)value << 32 : (*address & ~0xffffffffull) | value;
}

static void store_driver_features(struct virtio *device, uint32_t value)
{
    if (device->driver_feature_select <= 1) {
        set_half(&device->driver_features, device->driver_feature_select == 1, value);
    }
}

static void store_status(struct virtio *device, uint32_t value)
{
    if (value == 0) {
        reset(device);
        update_line(device);
        return;
    }
    if ((device->driver_features & ~device->features) != 0 ||
        (device->driver_features & VIRTIO_F_VERSION_1) == 0) {
        value &= ~(uint32_t)STATUS_FEATURES_OK;
    }
    device->status = value;
}

/* Registers of the selected queue. While it is ready only that can change. */
static void store_queue(struct virtio_queue *queue, uint64_t offset, uint32_t value)
{
    bool high = (offset & 4) != 0;

    if (queue == NULL) {
        return;
    }
    if (offset == QUEUE_READY) {
        queue->ready = value == 1 && queue->size != 0;
        return;
    }
    if (queue->ready) {
        return;
    }
    /* A power of two, so that the rings' free-running indices work. */
    if (offset == QUEUE_SIZE && value <= VIRTIO_QUEUE_SIZE && (value & (value - 1)) == 0) {
        queue->size = value;
    }
    switch (offset & ~4ull) {
    case QUEUE_DESCRIPTORS:
        set_half(&queue->descriptors, high, value);
        break;
    case QUEUE_AVAILABLE:
        set_half(&queue->available, high, value);
        break;
    case QUEUE_USED:
        set_half(&queue->used, high, value);
        break;
    default:
        break;
    }
}

static void store(struct virtio *device, uint64_t offset, uint32_t value)
{
    switch (offset) {
    case DEVICE_FEATURES_SELECT:
        device->feature_select = value;
        break;
    case DRIVER_FEATURES:
        store_driver_features(device, value);
        break;
    case DRIVER_FEATURES_SELECT:
        device->driver_feature_select = value;
        break;
    case QUEUE_SELECT:
        device->queue_select = value;
        break;
    case QUEUE_NOTIFY:
        pthread_cond_broadcast(&device->notified);
        break;
    case INTERRUPT_ACK:
        device->interrupts &= ~value;
        update_line(device);
        break;
    case STATUS:
        store_status(device, value);
        break;
    default:
        store_queue(selected(device), offset, value);
        break;
    }
}

static uint64_t bus_loads(void *context, uint64_t offset, unsigned size)
{
    struct virtio *device = context;
    uint32_t value;

    pthread_mutex_lock(&device->lock);
    value = load(device, offset, size);
    pthread_mutex_unlock(&device->lock);
    return value;
}

static void bus_stores(void *context, uint64_t offset, uint64_t value, unsigned size)
{
    struct virtio *device = context;

    (void)size;
    pthread_mutex_lock(&device->lock);
    store(device, offset, (uint32_t)value);
    pthread_mutex_unlock(&device->lock);
}

void virtio_add(struct virtio *device)
{
    const struct bus_device on_bus = {
        .node = "virtio_mmio",
        .compatible = "virtio,mmio",
        .device = device,
        .load = bus_loads,
        .store = bus_stores,
    };

    device->features |= VIRTIO_F_VERSION_1;
    pthread_mutex_init(&device->lock, NULL);
    pthread_cond_init(&device->notified, NULL);
    device->source = bus_add(on_bus);
}

void virtio_reset(struct virtio *device)
{
    pthread_mutex_lock(&device->lock);
    reset(device);
    pthread_mutex_unlock(&device->lock);
}

/* The head of the next request. Returns false if there is none. */
static bool next_head(struct virtio_queue *queue, uint16_t *head)
{
    uint16_t *ring;

    if (!queue->ready) {
        return false;
    }
    ring = memory_at(queue->available, RING_ELEMENTS + 2ull * queue->size);
    if (ring == NULL || ((uintptr_t)ring & 1) != 0 ||
        __atomic_load_n(ring + RING_INDEX / 2, __ATOMIC_ACQUIRE) == queue->next) {
        return false;
    }
    *head = __atomic_load_n(ring + RING_ELEMENTS / 2 + queue->next % queue->size, __ATOMIC_RELAXED);
    queue->next++;
    return true;
}

/* Adds what a descriptor tells. False: it is not as it should be. */
static bool add_piece(struct virtio_request *request, const struct descriptor *descriptor)
{
    void *bytes = memory_at(descriptor->address, descriptor->length);
    struct iovec piece = {bytes, descriptor->length};

    if (bytes == NULL) {
        return false;
    }
    if ((descriptor->flags & DESCRIPTOR_WRITE) != 0) {
        request->write[request->write_count++] = piece;
        return true;
    }
    request->read[request->read_count++] = piece;
    return request->write_count == 0;
}

/* Follows the chain of descriptors; it is no longer than the queue. */
static bool read_chain(const struct virtio_queue *queue, struct virtio_request *request)
{
    const uint8_t *table =
        memory_at(queue->descriptors, (uint64_t)queue->size * sizeof(struct descriptor));
    uint16_t number = request->head;

    request->read_count = request->write_count = 0;
    for (uint32_t i = 0; table != NULL && i < queue->size && number < queue->size; i++) {
        struct descriptor descriptor;

        /* One copy is checked and used, whatever the guest writes meanwhile. */
        memcpy(&descriptor, table + number * sizeof(descriptor), sizeof(descriptor));
        if (!add_piece(request, &descriptor)) {
            return false;
        }
        if ((descriptor.flags & DESCRIPTOR_NEXT) == 0) {
            return true;
        }
        number = descriptor.next;
    }
    return false;
}

static void put_used(struct virtio *device, struct virtio_queue *queue, uint16_t head,
                     uint32_t written)
{
    const struct used_element element = {head, written};
    uint8_t *ring =
        queue->ready
            ? memory_at(queue->used, RING_ELEMENTS + (uint64_t)queue->size * sizeof(element))
            : NULL;
    uint16_t index;

    if (ring == NULL || ((uintptr_t)ring & 3) != 0) {
        return;
    }
    index = *(uint16_t *)(ring + RING_INDEX);
    memcpy(ring + RING_ELEMENTS + index % queue->size * sizeof(element), &element, sizeof(element));
    __atomic_store_n((uint16_t *)(ring + RING_INDEX), (uint16_t)(index + 1), __ATOMIC_RELEASE);
    device->interrupts |= INTERRUPT_USED;
    update_line(device);
}

void virtio_take(struct virtio *device, unsigned number, struct virtio_request *request)
{
    struct virtio_queue *queue = &device->queues[number];

    pthread_mutex_lock(&device->lock);
    for (;;) {
        while (!next_head(queue, &request->head)) {
            pthread_cond_wait(&device->notified, &device->lock);
        }
        if (read_chain(queue, request)) {
            break;
        }
        put_used(device, queue, request->head, 0);
    }
    device->busy = true;
    pthread_mutex_unlock(&device->lock);
}

void virtio_give_back(struct virtio *device, unsigned number, const struct virtio_request *request,
                      uint32_t written)
{
    pthread_mutex_lock(&device->lock);
    put_used(device, &device->queues[number], request->head, written);
    device->busy = false;
    pthread_cond_broadcast(&device->notified);
    pthread_mutex_unlock(&device->lock);
}
