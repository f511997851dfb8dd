/* SPDX-License-Identifier: BSD-2-Clause */
#include "virtio_mmio.h"

#include <string.h>
#include <time.h>

#include "bus.h"
#include "guest.h"

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
    SHARED_MEMORY = 0x0b0, /* length and address of a region of it, 16 bytes */
    GENERATION = 0x0fc,
    CONFIGURATION = 0x100,
};

#define MAGIC_VALUE 0x74726976
#define VENDOR_VALUE 0x4e544f43 /* "COTN" */
#define INTERRUPT_USED 1
#define STATUS_DRIVER_OK 4
/* Of devices elsewhere: what the monitor has room for. */
#define SERVED_QUEUE_SIZE 64
#define STATUS_FEATURES_OK 8
#define MALFORMED_PAUSE_NS 100000
#define ALL_QUEUES ((1u << VIRTIO_MOST_QUEUES) - 1)

/* Those on the bus. */
static struct virtio *devices[BUS_MOST_DEVICES];
static unsigned device_count;

/* Where devices are that are not on the bus. */
static const struct virtio_place *elsewhere;

static void update_line(struct virtio *device)
{
    bool high = device->interrupts != 0;

    if (high != device->line) {
        device->line = high;
        guest_set_line(device->source, high);
        device->wakes_guest |= high;
    }
}

/*
 * Lets the lock go, and wakes whom there is something for. In this order: who is woken runs at
 * once, as a rule, and would only wait for the lock.
 */
static void unlock(struct virtio *device)
{
    uint32_t queues = device->wakes_queues;
    bool guest = device->wakes_guest;

    device->wakes_queues = 0;
    device->wakes_guest = false;
    pthread_mutex_unlock(&device->lock);
    for (unsigned i = 0; queues != 0; i++, queues >>= 1) {
        if ((queues & 1) != 0 && device->serve != NULL) {
            device->serve(device, i);
        } else if ((queues & 1) != 0) {
            pthread_cond_broadcast(&device->notified[i]);
        }
    }
    if (guest) {
        guest_wake_vharts();
    }
}

/* The selected queue; NULL: there is none. */
static struct virtio_queue *selected(struct virtio *device)
{
    return device->queue_select < device->queue_count ? &device->queues[device->queue_select]
                                                      : NULL;
}

/*
 * Waits until no request is carried out. Rings can lie so that each request makes the next one: no
 * other is taken before that.
 */
static void come_to_rest(struct virtio *device)
{
    device->stops++;
    if (device->hurry != NULL) {
        device->hurry(device);
    }
    while (device->busy != 0) {
        pthread_cond_wait(&device->rests, &device->lock);
    }
    device->stops--;
    device->wakes_queues = ALL_QUEUES;
}

static void reset(struct virtio *device)
{
    come_to_rest(device);
    if (device->end != NULL) {
        device->end(device);
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
    case SHARED_MEMORY:
    case SHARED_MEMORY + 4:
    case SHARED_MEMORY + 8:
    case SHARED_MEMORY + 12:
        return UINT32_MAX; /* there is none */
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
    if (device->begin != NULL && (value & ~device->status & STATUS_DRIVER_OK) != 0) {
        device->begin(device);
    }
    device->status = value;
}

/*
 * A driver that has stopped a queue has its memory back: what was under way is done and given back
 * before (section 4.2.2.2). So it is also when a guest has suspended itself (virtio_all_at_rest).
 */
static void store_ready(struct virtio *device, struct virtio_queue *queue, uint32_t value)
{
    if (queue->ready && value != 1) {
        come_to_rest(device);
        if (device->stop != NULL) {
            device->stop(device, (unsigned)(queue - device->queues));
        }
    }
    queue->ready = value == 1 && queue->size != 0;
}

/* Registers of the selected queue. While it is ready only that can change. */
static void store_queue(struct virtio *device, uint64_t offset, uint32_t value)
{
    struct virtio_queue *queue = selected(device);
    bool high = (offset & 4) != 0;

    if (queue == NULL) {
        return;
    }
    if (offset == QUEUE_READY) {
        store_ready(device, queue, value);
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
        if (value >= device->queue_count) {
            break;
        }
        device->wakes_queues |= 1u << value;
        if (device->notice != NULL) {
            device->notice(device, value);
        }
        break;
    case INTERRUPT_ACK:
        device->interrupts &= ~value;
        update_line(device);
        break;
    case STATUS:
        store_status(device, value);
        break;
    default:
        if (offset >= CONFIGURATION && device->configure != NULL) {
            device->configure(device, offset - CONFIGURATION, value);
            break;
        }
        store_queue(device, offset, value);
        break;
    }
}

static uint64_t bus_loads(void *context, uint64_t offset, unsigned size)
{
    struct virtio *device = context;
    uint32_t value;

    pthread_mutex_lock(&device->lock);
    value = load(device, offset, size);
    unlock(device);
    return value;
}

static void bus_stores(void *context, uint64_t offset, uint64_t value, unsigned size)
{
    struct virtio *device = context;

    (void)size;
    pthread_mutex_lock(&device->lock);
    store(device, offset, (uint32_t)value);
    unlock(device);
}

void virtio_use(const struct virtio_place *place)
{
    elsewhere = place;
}

bool virtio_is_elsewhere(void)
{
    return elsewhere != NULL;
}

unsigned virtio_queue_size(void)
{
    return elsewhere == NULL ? VIRTIO_QUEUE_SIZE : SERVED_QUEUE_SIZE;
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
    for (unsigned i = 0; i < VIRTIO_MOST_QUEUES; i++) {
        pthread_cond_init(&device->notified[i], NULL);
    }
    pthread_cond_init(&device->rests, NULL);
    if (elsewhere != NULL) {
        elsewhere->add(device);
        return;
    }
    device->source = bus_add(on_bus);
    devices[device_count++] = device;
}

void virtio_reset_all(void)
{
    for (unsigned i = 0; i < device_count; i++) {
        pthread_mutex_lock(&devices[i]->lock);
        reset(devices[i]);
        update_line(devices[i]); /* raised for the machine before, perhaps in this one already */
        unlock(devices[i]);
    }
}

unsigned virtio_list(struct virtio_kind *kinds)
{
    for (unsigned i = 0; i < device_count; i++) {
        const struct virtio *device = devices[i];

        kinds[i] = (struct virtio_kind){.id = device->id, .features = device->features};
        if (device->id == VIRTIO_ID_DISK) {
            memcpy(&kinds[i].detail, device->configuration, sizeof(kinds[i].detail));
        }
    }
    return device_count;
}

/* Of a queue that is not ready no request is carried out. */
bool virtio_all_at_rest(void)
{
    bool rest = true;

    for (unsigned i = 0; i < device_count; i++) {
        pthread_mutex_lock(&devices[i]->lock);
        for (unsigned queue = 0; queue < devices[i]->queue_count; queue++) {
            rest &= !devices[i]->queues[queue].ready;
        }
        pthread_mutex_unlock(&devices[i]->lock);
    }
    return rest;
}

static void interrupt(struct virtio *device)
{
    if (elsewhere != NULL) {
        elsewhere->interrupt(device);
        return;
    }
    device->interrupts |= INTERRUPT_USED;
    update_line(device);
}

static void put_used(struct virtio *device, unsigned queue, uint16_t head, uint32_t written)
{
    if (ring_put_used(&device->queues[queue], head, written)) {
        interrupt(device);
    }
}

/* Waits for the next request; the driver tells of new ones only where the device waits. */
static void wait_for_head(struct virtio *device, unsigned number, uint16_t *head)
{
    struct virtio_queue *queue = &device->queues[number];

    while (device->stops || !ring_take_head(queue, head)) {
        ring_want_notices(queue, true);
        if (!device->stops && ring_take_head(queue, head)) {
            break;
        }
        pthread_cond_wait(&device->notified[number], &device->lock);
    }
    ring_want_notices(queue, false);
}

/* After a request that no driver makes: others get the lock, however many of these there are. */
static void pause_for_others(struct virtio *device)
{
    const struct timespec pause = {0, MALFORMED_PAUSE_NS};

    unlock(device);
    nanosleep(&pause, NULL);
    pthread_mutex_lock(&device->lock);
}

void virtio_take(struct virtio *device, unsigned number, struct virtio_request *request)
{
    struct virtio_queue *queue = &device->queues[number];

    pthread_mutex_lock(&device->lock);
    for (;;) {
        wait_for_head(device, number, &request->head);
        if (ring_read_chain(queue, request)) {
            break;
        }
        put_used(device, number, request->head, 0);
        pause_for_others(device);
    }
    device->busy++;
    unlock(device);
}

/* No driver has made more malformed ones than the queue has room for. */
bool virtio_try_take(struct virtio *device, unsigned number, struct virtio_request *request)
{
    struct virtio_queue *queue = &device->queues[number];
    bool taken = false;

    pthread_mutex_lock(&device->lock);
    for (unsigned i = 0; i < VIRTIO_QUEUE_SIZE && !taken && !device->stops; i++) {
        if (!ring_take_head(queue, &request->head)) {
            break;
        }
        taken = ring_read_chain(queue, request);
        if (!taken) {
            put_used(device, number, request->head, 0);
            pause_for_others(device);
        }
    }
    request->is_last = !ring_has_more(queue);
    device->busy += taken;
    unlock(device);
    return taken;
}

void virtio_give_back(struct virtio *device, unsigned number, const struct virtio_request *request,
                      uint32_t written)
{
    pthread_mutex_lock(&device->lock);
    put_used(device, number, request->head, written);
    device->busy--;
    if (device->stops) {
        pthread_cond_broadcast(&device->rests);
    }
    unlock(device);
}

void virtio_interrupt(struct virtio *device)
{
    pthread_mutex_lock(&device->lock);
    interrupt(device);
    unlock(device);
}

void virtio_follow(struct virtio *device, const struct virtio_setting *setting)
{
    pthread_mutex_lock(&device->lock);
    if (setting->resets != device->resets || !setting->live) {
        reset(device);
        device->resets = setting->resets;
    }
    if (setting->live && device->status == 0) {
        device->status = STATUS_DRIVER_OK;
        device->driver_features = setting->features;
        for (unsigned i = 0; i < device->queue_count; i++) {
            device->queues[i] = setting->queues[i];
            device->queues[i].ready =
                setting->queues[i].size != 0 && setting->queues[i].size <= SERVED_QUEUE_SIZE;
            ring_go_on(&device->queues[i]);
        }
        if (device->begin != NULL) {
            device->begin(device);
        }
    }
    device->wakes_queues = ALL_QUEUES;
    unlock(device);
}

void virtio_notice(struct virtio *device, unsigned queue)
{
    pthread_mutex_lock(&device->lock);
    device->wakes_queues |= 1u << queue;
    unlock(device);
}
