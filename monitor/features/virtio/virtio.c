/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/virtio/virtio.h"

#include "arch/memory.h"
#include "core/clock.h"
#include "core/feature.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "core/work.h"
#include "device/virtio_registers.h"
#include "features/plic/mmio.h"
#include "features/plic/routing.h"

/* Bytes that are moved at a stretch, and of those that the hart has to wait for first. */
#define PIECE_SIZE 256
#define SMALL_PIECE_SIZE 32
/* Pieces in a row. */
#define MOST_PIECES 16

/* Steps of a work in a row, and buffers that are gone on to at a stretch. */
#define MOST_STEPS 16
#define MOST_FRAGMENTS 2
/* Those that a header may be divided into; a buffer may be empty. */
#define MOST_HEADER_BUFFERS 8
/* Chains without use of a buffer that a receiver has time for. */
#define MOST_IN_VAIN 8

#define MAGIC 0x74726976 /* "virt" */
#define VERSION 2
#define VENDOR 0x43544e54
#define FEATURE_VERSION_1 (1ul << 32)

/* Section 2.1. */
#define STATUS_DRIVER_OK 0x04
#define STATUS_FEATURES_OK 0x08
#define STATUS_NEEDS_RESET 0x40

struct virtio_device virtio_devices[COTENANT_MAX_VIRTUAL_DEVICES];

/* The earliest virtio_device.tell_at, or earlier. */
static uint64_t deadline = TIME_NEVER;
/* A device that is told something in the next step of the work, or NULL. */
static struct virtio_device *due;

static const struct virtio_type *type_of(uint32_t kind)
{
    FOR_EACH_IN_TABLE(virtio_types, type)
    {
        if ((*type)->kind == kind) {
            return *type;
        }
    }
    return NULL;
}

/* Makes the virtual devices of all tenants of the bundle, and the channels among them. */
static void make_devices(void)
{
    for (uint32_t i = 0; i < bundle->device_count; i++) {
        struct virtio_device *device = &virtio_devices[i];

        device->description = &bundle->devices[i];
        device->tenant = &tenants[device->description->tenant];
        device->index = i;
        device->type = type_of(device->description->kind);
        device->tell_at = TIME_NEVER;
        virtio_set_limit(&device->wake_ups, device->description->wake_ups);
        vplic_add_virtual(device->tenant->plic, device->description->source);
    }
    FOR_EACH_IN_TABLE(virtio_types, type)
    {
        if ((*type)->init != NULL) {
            (*type)->init();
        }
    }
}

HOOK(machine_begins, make_devices);

bool virtio_is_wanted(void)
{
    const struct hart *hart = hart_self();

    return hart_is_wanted() || hart->reschedule || shared_is_wanted(hart);
}

bool virtio_work(bool (*step)(void *subject), void *subject)
{
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        if (!step(subject)) {
            return true;
        }
        if (virtio_is_wanted()) {
            break;
        }
    }
    return false;
}

/* Returns whether the receiver has time for another step. */
static bool has_time(struct virtqueue *to)
{
    if (to->in_vain_since != to->used_index) {
        to->in_vain_since = to->used_index;
        to->in_vain = 0;
    }
    return to->in_vain < MOST_IN_VAIN;
}

bool virtio_work_for_sender(bool (*step)(void *subject), void *subject,
                            const struct virtqueue *from, struct virtqueue *to)
{
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        uint16_t ended = from->used_index;

        if (!has_time(to) || !step(subject)) {
            return true;
        }
        to->in_vain += from->used_index != ended;
        if (virtio_is_wanted()) {
            break;
        }
    }
    return false;
}

bool virtio_is_live(const struct virtio_device *device)
{
    return (device->status & (STATUS_DRIVER_OK | STATUS_NEEDS_RESET)) == STATUS_DRIVER_OK;
}

static void set_interrupts(struct virtio_device *device, uint8_t interrupts)
{
    bool change = (device->interrupts != 0) != (interrupts != 0);

    device->interrupts = interrupts;
    if (change) {
        routing_set_level(device->tenant, device->description->source, interrupts != 0);
    }
}

/* Something about the device is to be told at `moment`. */
static void put_off(struct virtio_device *device, uint64_t moment)
{
    if (moment < device->tell_at) {
        device->tell_at = moment;
    }
    if (moment < deadline) {
        deadline = moment;
        work_post();
    }
}

bool virtio_may_tell(struct virtio_device *device, const struct event_limit *limit)
{
    uint64_t moment = event_limit_moment(limit);

    if (limit->interval == 0 || moment <= hart_now(hart_self())) {
        return true;
    }
    put_off(device, moment);
    return false;
}

void virtio_tell_again(struct virtio_device *device)
{
    put_off(device, 0);
}

void virtio_told(struct event_limit *limit)
{
    if (limit->interval != 0) {
        event_limit_count(limit, hart_now(hart_self()));
    }
}

/* The interrupt, or what will become one when the limit allows. */
static void interrupt_within(struct virtio_device *device, struct event_limit *limit,
                             uint8_t reason)
{
    if (virtio_may_tell(device, limit)) {
        virtio_told(limit);
        set_interrupts(device, device->interrupts | reason);
    } else {
        device->held |= reason;
    }
}

/* A line that is up stays up: only one that rises is a new interrupt. */
void virtio_interrupt(struct virtio_device *device, uint8_t reason)
{
    if (device->wake_ups.interval == 0 || device->interrupts != 0 ||
        reason != VIRTIO_INTERRUPT_USED) {
        set_interrupts(device, device->interrupts | reason);
    } else {
        interrupt_within(device, &device->wake_ups, reason);
    }
}

void virtio_tell_change(struct virtio_device *device)
{
    interrupt_within(device, &device->changes, VIRTIO_INTERRUPT_CONFIGURATION);
}

void virtio_set_limit(struct event_limit *limit, uint32_t per_second)
{
    uint64_t second = ticks_from_us(1000000);

    *limit = (struct event_limit){.interval = per_second == 0 ? 0 : second / per_second};
}

uint64_t virtio_deadline(void)
{
    return deadline;
}

/*
 * The next part of what is left to do of a device that is reset or has been broken: its queues, its
 * interrupt, and what its type knows.
 */
static void end_part(struct virtio_device *device)
{
    uint32_t part = device->ending - 1u;
    uint32_t count = device->type->queue_count(device);
    bool more = true;

    if (part < count) {
        virtqueue_stop(&device->queues[part]);
    } else if (part > count) {
        more = device->type->reset(device, part - count - 1);
    } else if ((device->status & STATUS_NEEDS_RESET) != 0) {
        virtio_interrupt(device, VIRTIO_INTERRUPT_CONFIGURATION);
    } else {
        set_interrupts(device, 0);
    }
    device->ending = more ? device->ending + 1 : 0;
}

static void tell_now(struct virtio_device *device)
{
    uint8_t held = device->held;

    device->tell_at = TIME_NEVER;
    if (device->ending != 0) {
        end_part(device);
        put_off(device, 0);
        return;
    }
    device->held = 0; /* what is put off once more is held again */
    if ((held & VIRTIO_INTERRUPT_CONFIGURATION) != 0) {
        virtio_tell_change(device);
    }
    if ((held & VIRTIO_INTERRUPT_USED) != 0) {
        virtio_interrupt(device, VIRTIO_INTERRUPT_USED);
    }
    if (device->type->tell != NULL && virtio_is_live(device)) {
        device->type->tell(device);
    }
}

/* The first device that is due, or NULL: then `deadline` is right again. */
static struct virtio_device *find_due(uint64_t now)
{
    uint64_t earliest = TIME_NEVER;

    for (uint32_t i = 0; i < bundle->device_count; i++) {
        struct virtio_device *device = &virtio_devices[i];

        if (device->tell_at <= now) {
            return device;
        }
        if (device->tell_at < earliest) {
            earliest = device->tell_at;
        }
    }
    deadline = earliest;
    return NULL;
}

void virtio_tell_one(uint64_t now)
{
    if (due == NULL) {
        due = find_due(now);
        if (due == NULL || hart_is_wanted()) {
            return;
        }
    }
    tell_now(due);
    due = NULL;
}

static unsigned virtio_step(uint64_t now)
{
    if (deadline > now) {
        return WORK_NOTHING;
    }
    virtio_tell_one(now);
    return WORK_DONE;
}

WORK(virtio, virtio_deadline, virtio_step);

/* False: there is more to do, and the hart is wanted. */
static bool end(struct virtio_device *device)
{
    while (device->ending != 0) {
        end_part(device);
        if (device->ending != 0 && virtio_is_wanted()) {
            return false;
        }
    }
    return true;
}

/*
 * Begins to reset the device: what follows is done by end_part(), part by part. Nothing is to be
 * done for a device of which the driver has written no register since the last time.
 */
static void begin_reset(struct virtio_device *device)
{
    if (!device->touched) {
        return;
    }
    device->touched = false;
    device->status = 0;
    device->feature_select = 0;
    device->driver_feature_select = 0;
    device->driver_features = 0;
    device->queue_select = 0;
    device->held = 0;
    device->ending = 1;
}

static bool is_held(const struct virtio_device *device)
{
    return device->type->holds != NULL && device->type->holds(device);
}

/* A part of device `*next`. Out of line: devices that were not used do not pay for it. */
static bool __attribute__((noinline))
give_back_part_of(struct tenant *tenant, uint16_t *next, unsigned *room)
{
    uint32_t count = tenant->description->device_count;
    struct virtio_device *device = &virtio_devices[tenant->description->device_first + *next];
    bool *waits = &tenant->given_back.waits;

    if (*room < GIVE_BACK_ROOM) {
        return false;
    }
    *room = 0;
    if (device->ending == 0) {
        begin_reset(device);
    }
    if (device->ending != 0) {
        end_part(device);
    }
    *waits = device->ending == 0 && is_held(device);
    if (device->ending == 0 && !device->touched && !*waits) {
        (*next)++;
    }
    return *next == count;
}

/* Each part of a device is a part of its own; one that no driver has touched is none. */
static bool give_back(struct tenant *tenant, uint16_t *next, unsigned *room)
{
    size_t first = tenant->description->device_first;
    const struct virtio_device *device = &virtio_devices[first + *next];
    uint32_t count = tenant->description->device_count;

    tenant->given_back.waits = false;
    for (uint32_t i = *next; i != count; i++, device++) {
        if (device->touched || device->ending != 0 || device->type->holds != NULL) {
            *next = (uint16_t)i;
            return give_back_part_of(tenant, next, room);
        }
    }
    return true;
}

GIVE_BACK(give_back);

/*
 * From now on it is not live. Its driver may not make another access for long, and the others are
 * to know: what follows is work beside tenants.
 */
static void stop_broken(struct virtio_device *device)
{
    device->status |= STATUS_NEEDS_RESET;
    device->ending = 1;
    put_off(device, 0);
}

enum virtqueue_state virtio_look(struct virtio_device *device, struct virtqueue *queue, bool fill)
{
    enum virtqueue_state state;

    if (!virtio_is_live(device)) {
        return VIRTQUEUE_EMPTY;
    }
    state = virtqueue_look(queue, device->tenant, fill);
    if (state == VIRTQUEUE_BROKEN) {
        stop_broken(device);
    }
    return state;
}

enum virtqueue_state virtio_look_for_room(struct virtio_device *device, struct virtqueue *queue)
{
    enum virtqueue_state state = virtio_look(device, queue, true);

    if (state == VIRTQUEUE_EMPTY && queue->quiet) {
        virtqueue_ask(queue, true);
        state = virtio_look(device, queue, true); /* it may have come just before */
    }
    return state;
}

void virtio_finish(struct virtio_device *device, struct virtqueue *queue)
{
    if (virtqueue_finish(queue)) {
        virtio_interrupt(device, VIRTIO_INTERRUPT_USED);
    }
}

bool virtio_copy(struct virtqueue *to, struct virtqueue *from, uint32_t most)
{
    uint32_t piece = hart_is_wanted() ? SMALL_PIECE_SIZE : PIECE_SIZE;

    virtqueue_copy(to, from, most < piece ? most : piece);
    return !hart_is_wanted();
}

bool virtio_copy_on(struct virtqueue *to, struct virtqueue *from)
{
    for (unsigned pieces = 1; virtio_copy(to, from, UINT32_MAX); pieces++) {
        if (to->left == 0 || from->left == 0) {
            return true;
        }
        if (pieces == MOST_PIECES || virtio_is_wanted()) {
            break;
        }
    }
    return false;
}

enum virtqueue_state virtio_look_on(struct virtio_device *device, struct virtqueue *queue,
                                    bool fill)
{
    bool is_new = queue->left == 0;
    enum virtqueue_state state = virtio_look(device, queue, fill);

    return is_new && state == VIRTQUEUE_BYTES && queue->left != 0 && hart_is_wanted()
               ? VIRTQUEUE_LATER
               : state;
}

enum virtqueue_state virtio_take(struct virtio_device *device, struct virtqueue *queue, void *bytes,
                                 uint32_t length, uint32_t *taken)
{
    for (unsigned i = 0; i < MOST_FRAGMENTS; i++) {
        enum virtqueue_state state = virtio_look_on(device, queue, false);

        if (state != VIRTQUEUE_BYTES) {
            return state;
        }
        if (queue->steps > MOST_HEADER_BUFFERS) {
            return VIRTQUEUE_END;
        }
        *taken += virtqueue_read(queue, (uint8_t *)bytes + *taken, length - *taken);
        if (*taken == length) {
            return VIRTQUEUE_BYTES;
        }
    }
    return VIRTQUEUE_LATER;
}

enum virtqueue_state virtio_fill(struct virtio_device *device, struct virtqueue *queue,
                                 const void *bytes, uint32_t length)
{
    for (unsigned i = 0; i < MOST_FRAGMENTS; i++) {
        enum virtqueue_state state = virtio_look_on(device, queue, true);

        if (state != VIRTQUEUE_BYTES) {
            return state;
        }
        if (queue->steps > MOST_HEADER_BUFFERS) {
            return VIRTQUEUE_END;
        }
        (void)virtqueue_write(queue, (const uint8_t *)bytes + queue->written,
                              length - queue->written);
        if (queue->written == length) {
            return VIRTQUEUE_BYTES;
        }
    }
    return VIRTQUEUE_LATER;
}

bool virtio_put(struct virtio_device *device, struct virtqueue *queue, const void *bytes,
                uint32_t length)
{
    const uint8_t *next = bytes;

    if (virtio_look_for_room(device, queue) != VIRTQUEUE_BYTES) {
        return false;
    }
    for (unsigned i = 0; i < MOST_FRAGMENTS && length > 0; i++) {
        uint32_t count;

        if (virtio_look(device, queue, true) != VIRTQUEUE_BYTES) {
            break;
        }
        count = virtqueue_write(queue, next, length);
        next += count;
        length -= count;
    }
    if (!virtio_is_live(device)) {
        return false;
    }
    virtqueue_ask(queue, false);
    virtio_finish(device, queue);
    return true;
}

/* The queue that the driver has selected, or NULL. */
static struct virtqueue *selected(struct virtio_device *device)
{
    return device->queue_select < device->type->queue_count(device)
               ? &device->queues[device->queue_select]
               : NULL;
}

static uint64_t offered(const struct virtio_device *device)
{
    return FEATURE_VERSION_1 | device->type->features(device);
}

static uint32_t half(uint64_t value, uint32_t select)
{
    return select < 2 ? (uint32_t)(value >> (32 * select)) : 0;
}

static void set_half(uint64_t *value, uint32_t select, uint32_t bits)
{
    if (select < 2) {
        *value &= ~(0xfffffffful << (32 * select));
        *value |= (uint64_t)bits << (32 * select);
    }
}

static uint32_t read_register(struct virtio_device *device, uint32_t offset)
{
    const struct virtqueue *queue;

    switch (offset) {
    case REG_MAGIC:
        return MAGIC;
    case REG_VERSION:
        return VERSION;
    case REG_DEVICE_ID:
        return device->type->id != NULL ? device->type->id(device) : device->description->kind;
    case REG_VENDOR_ID:
        return VENDOR;
    case REG_DEVICE_FEATURES:
        return half(offered(device), device->feature_select);
    case REG_QUEUE_SIZE_MAX:
        return selected(device) != NULL ? VIRTQUEUE_MOST : 0;
    case REG_QUEUE_READY:
        queue = selected(device);
        return queue != NULL && virtqueue_is_ready(queue);
    case REG_INTERRUPT_STATUS:
        return device->interrupts;
    case REG_STATUS:
        return device->status;
    default:
        /* No shared memory region: its length and base read as all ones (section 4.2.2). */
        return offset >= REG_SHARED_MEMORY && offset < REG_SHARED_MEMORY_END ? UINT32_MAX : 0;
    }
}

/* Wider fields are read and written by halves (section 4.2.2.2). */
static bool is_too_wide(uint32_t size)
{
    return size > sizeof(uint32_t);
}

uint32_t virtio_read(struct virtio_device *device, uint32_t offset, uint32_t size)
{
    if (is_too_wide(size)) {
        return 0;
    }
    if (offset >= REG_CONFIGURATION) {
        return device->type->read_configuration(device, offset - REG_CONFIGURATION, size);
    }
    return size == sizeof(uint32_t) ? read_register(device, offset) : 0;
}

/* Section 3.1.1: FEATURES_OK stays off if the driver wants what is not offered. */
static bool write_status(struct virtio_device *device, uint8_t value)
{
    bool acceptable = (device->driver_features & ~offered(device)) == 0 &&
                      (device->driver_features & FEATURE_VERSION_1) != 0;
    bool was_live = virtio_is_live(device);

    if (value == 0) {
        begin_reset(device);
        return end(device) && !is_held(device);
    }
    device->touched = true;
    if ((device->status & STATUS_FEATURES_OK) == 0 && !acceptable) {
        value &= (uint8_t) ~(STATUS_FEATURES_OK | STATUS_DRIVER_OK);
    }
    device->status |= value & (uint8_t)~STATUS_NEEDS_RESET;
    if (!was_live && virtio_is_live(device)) {
        device->type->start(device);
    }
    return true;
}

static void write_ready(struct virtio_device *device, struct virtqueue *queue, bool ready)
{
    if (!ready) {
        virtqueue_stop(queue);
        device->type->queue_stopped(device, device->queue_select);
    } else if (!virtqueue_is_ready(queue) && !virtqueue_start(queue, device->tenant)) {
        stop_broken(device);
    }
}

/* What the driver says of the selected queue; not of one that works. */
static void write_queue(struct virtio_device *device, uint32_t offset, uint32_t value)
{
    struct virtqueue *queue = selected(device);
    uint32_t select = offset / sizeof(uint32_t) & 1;

    if (queue == NULL || (virtqueue_is_ready(queue) && offset != REG_QUEUE_READY)) {
        return;
    }
    switch (offset) {
    case REG_QUEUE_SIZE:
        if (value <= VIRTQUEUE_MOST && (value & (value - 1)) == 0) {
            queue->registers.size = value;
        }
        break;
    case REG_QUEUE_READY:
        write_ready(device, queue, value != 0);
        break;
    case REG_QUEUE_DESCRIPTORS:
    case REG_QUEUE_DESCRIPTORS + REG_UPPER:
        set_half(&queue->registers.descriptors, select, value);
        break;
    case REG_QUEUE_DRIVER:
    case REG_QUEUE_DRIVER + REG_UPPER:
        set_half(&queue->registers.available, select, value);
        break;
    case REG_QUEUE_DEVICE:
    case REG_QUEUE_DEVICE + REG_UPPER:
        set_half(&queue->registers.used, select, value);
        break;
    default:
        break;
    }
}

static bool notify(struct virtio_device *device, uint32_t queue)
{
    return !virtio_is_live(device) || queue >= VIRTIO_MOST_QUEUES ||
           !virtqueue_is_ready(&device->queues[queue]) || device->type->notify(device, queue);
}

/* False: the store is to be made again. */
static bool write_register(struct virtio_device *device, uint32_t offset, uint32_t value)
{
    if (offset == REG_STATUS) {
        return write_status(device, (uint8_t)value);
    }
    device->touched = true;
    switch (offset) {
    case REG_DEVICE_FEATURES_SELECT:
        device->feature_select = value;
        break;
    case REG_DRIVER_FEATURES:
        if ((device->status & STATUS_FEATURES_OK) == 0) {
            set_half(&device->driver_features, device->driver_feature_select, value);
        }
        break;
    case REG_DRIVER_FEATURES_SELECT:
        device->driver_feature_select = value;
        break;
    case REG_QUEUE_SELECT:
        device->queue_select = value;
        break;
    default:
        write_queue(device, offset, value);
        break;
    }
    return true;
}

bool virtio_write(struct virtio_device *device, uint32_t offset, uint32_t size, uint32_t value)
{
    /* First what a driver does for each message. */
    if (offset == REG_QUEUE_NOTIFY && size == sizeof(uint32_t)) {
        return notify(device, value);
    }
    if (offset == REG_INTERRUPT_ACKNOWLEDGE && size == sizeof(uint32_t)) {
        set_interrupts(device, device->interrupts & (uint8_t)~value);
        return true;
    }
    if (!end(device)) {
        return false; /* what the last store but this one has led to comes first */
    }
    if (offset >= REG_CONFIGURATION) {
        if (device->type->write_configuration != NULL && !is_too_wide(size)) {
            device->touched = true;
            device->type->write_configuration(device, offset - REG_CONFIGURATION, size, value);
        }
        return true;
    }
    return size != sizeof(uint32_t) || write_register(device, offset, value);
}

static bool is_virtio(const struct tenant *tenant, uint64_t address)
{
    return virtio_window_offset(tenant, address) < virtio_window_size(tenant);
}

static enum mmio_result access(struct vhart *vhart, uint64_t address, uint32_t size, bool store,
                               uint64_t *value)
{
    const struct tenant *tenant = vhart->tenant;
    uint64_t place = virtio_window_offset(tenant, address);
    uint32_t offset = place % COTENANT_VIRTUAL_DEVICE_SIZE;
    struct virtio_device *device;

    if (place >= virtio_window_size(tenant)) {
        return MMIO_FAULT;
    }
    device =
        &virtio_devices[tenant->description->device_first + place / COTENANT_VIRTUAL_DEVICE_SIZE];
    if (store) {
        return virtio_write(device, offset, size, (uint32_t)*value) ? MMIO_DONE : MMIO_AGAIN;
    }
    *value = virtio_read(device, offset, size);
    return MMIO_DONE;
}

MMIO_WINDOW(is_virtio, access);
FEATURE(virtio);
