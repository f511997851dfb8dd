/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/guard/guard.h"

#include "arch/mmio.h"
#include "core/feature.h"
#include "core/give_back.h"
#include "core/guarded.h"
#include "core/hooks.h"
#include "device/virtio_registers.h"
#include "features/device_reset/virtio_reset.h"

#define VERSION_MODERN 2

/*
 * Section 6: of the features that belong to no type of device, a guarded one has this and no other.
 * Not INDIRECT_DESC (28): tables behind descriptors would have to be copied as well. Not EVENT_IDX
 * (29): the driver says when it wants an interrupt without a notification, and the device looks at
 * the shadow. Not ACCESS_PLATFORM (33), RING_PACKED (34), IN_ORDER (35), ORDER_PLATFORM (36),
 * SR_IOV (37), NOTIFICATION_DATA (38), NOTIF_CONFIG_DATA (39), RING_RESET (40) and later ones:
 * other rings, other addresses, other meanings of registers, or not known.
 */
#define FEATURE_VERSION_1 (1ul << 32)

/* Section 2.1. */
#define STATUS_DRIVER_OK 0x04
#define STATUS_FEATURES_OK 0x08
#define STATUS_NEEDS_RESET 0x40

/* Descriptors that are copied in a row. */
#define MOST_STEPS 16
/* A request has two descriptors beside its segments: of its header and of its status. */
#define SEGMENTS_MOST (SHADOW_SIZE - 2)

struct guard guards[COTENANT_MAX_GUARDED];
uint32_t guard_count;

static uint32_t read_device(const struct guard *guard, uint32_t offset)
{
    return mmio_read32(guard->base + offset);
}

static void write_device(const struct guard *guard, uint32_t offset, uint32_t value)
{
    mmio_write32(guard->base + offset, value);
}

static void forget_driver(struct guard *guard)
{
    if (!guard->touched) {
        return;
    }
    guard->touched = false;
    guard->status = 0;
    guard->broken = false;
    guard->feature_select = 0;
    guard->driver_feature_select = 0;
    guard->driver_features = 0;
    guard->queue_select = 0;
    for (uint32_t i = 0; i < GUARD_MOST_QUEUES; i++) {
        guard->queues[i].asked = (struct shadow_places){0};
        guard->queues[i].ready = false;
    }
}

static struct guard *find(uint64_t base)
{
    for (uint32_t i = 0; i < guard_count; i++) {
        if (guards[i].base == base) {
            return &guards[i];
        }
    }
    return NULL;
}

/* Takes devices from their driver. */
static bool give_back(struct tenant *tenant, uint16_t *next, unsigned *room)
{
    uint32_t bit = 1u << tenant->index;
    uint32_t count = guard_count;
    unsigned left = *room;
    uint32_t i;

    for (i = *next; left > 0 && i < count; i++) {
        struct guard *guard = &guards[i];

        if ((guard->tenants & bit) != 0) {
            guard->resetting = !virtio_reset(guard->base);
            forget_driver(guard);
            left--;
        }
    }
    *room = left;
    *next = (uint16_t)i;
    return i == count;
}

GIVE_BACK(give_back);

static struct guard *guard_of(uint64_t base)
{
    struct guard *guard = find(base);

    if (guard != NULL) {
        return guard;
    }
    if (guard_count == COTENANT_MAX_GUARDED) {
        return NULL; /* more than the check of the bundle lets through */
    }
    guards[guard_count] = (struct guard){.base = base};
    return &guards[guard_count++];
}

static void guard_device(uint64_t base, const struct tenant *tenant)
{
    struct guard *guard = guard_of(base);

    if (guard == NULL) {
        return;
    }
    guard->tenants |= 1u << tenant->index;
    guard->resetting = !virtio_reset(base);
    guard->type = read_device(guard, REG_VERSION) == VERSION_MODERN
                      ? guard_type_of(read_device(guard, REG_DEVICE_ID))
                      : NULL;
}

/* Resets and guards the devices of the bundle's tenants. */
static void guard_devices(void)
{
    for (uint32_t i = 0; i < tenant_count; i++) {
        const struct bundle_tenant *description = tenants[i].description;

        for (uint32_t j = 0; j < COTENANT_MAX_RESETS; j++) {
            if (is_guarded(description, &description->resets[j])) {
                guard_device(description->resets[j].base, &tenants[i]);
            }
        }
    }
}

HOOK(machine_begins, guard_devices);
FEATURE(guard);

/* Both ends of the device are stopped: what it has in hand is lost. */
static void stop_broken(struct guard *guard, struct vhart *vhart)
{
    guard->resetting = !virtio_reset(guard->base);
    guard->broken = true;
    for (uint32_t i = 0; i < GUARD_MOST_QUEUES; i++) {
        guard->queues[i].ready = false;
    }
    vhart->faults++;
}

static bool is_live(const struct guard *guard)
{
    return !guard->broken && !guard->resetting && (guard->status & STATUS_DRIVER_OK) != 0;
}

/*
 * Passes on what the driver has made available in any queue: when it notifies, and when it
 * acknowledges an interrupt. A device may have withdrawn its wish to be notified (section 2.7.10)
 * at any time since the last look, so that a driver did not notify; but it has something in hand
 * then, of which it tells by an interrupt later.
 */
static enum mmio_result serve(struct guard *guard, struct vhart *vhart)
{
    unsigned steps = MOST_STEPS;

    for (uint32_t i = 0; is_live(guard) && i < guard->type->queues; i++) {
        struct shadow_queue *queue = &guard->queues[i];

        while (queue->ready && shadow_listen(queue)) {
            enum shadow_result result = shadow_copy(queue, vhart->tenant, &steps, guard->base);

            if (result == SHADOW_BROKEN) {
                stop_broken(guard, vhart);
                break;
            }
            if (shadow_publish(queue)) {
                write_device(guard, REG_QUEUE_NOTIFY, i);
            }
            if (result == SHADOW_SOME) {
                return MMIO_AGAIN;
            }
        }
    }
    return MMIO_DONE;
}

static uint64_t offered(const struct guard *guard)
{
    uint64_t features;

    write_device(guard, REG_DEVICE_FEATURES_SELECT, 0);
    features = read_device(guard, REG_DEVICE_FEATURES);
    write_device(guard, REG_DEVICE_FEATURES_SELECT, 1);
    features |= (uint64_t)read_device(guard, REG_DEVICE_FEATURES) << 32;
    return features & (guard->type->features | FEATURE_VERSION_1);
}

static struct shadow_queue *selected(struct guard *guard)
{
    return guard->queue_select < guard->type->queues ? &guard->queues[guard->queue_select] : NULL;
}

static uint32_t size_limit(const struct guard *guard)
{
    uint32_t most;

    if (guard->queue_select >= guard->type->queues) {
        return 0;
    }
    write_device(guard, REG_QUEUE_SELECT, guard->queue_select);
    most = read_device(guard, REG_QUEUE_SIZE_MAX);
    return most < SHADOW_SIZE ? most : SHADOW_SIZE;
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

/* A device whose reset takes time: section 2.4. */
static void look_at_reset(struct guard *guard)
{
    if (guard->resetting && read_device(guard, REG_STATUS) == 0) {
        guard->resetting = false;
    }
}

static uint32_t read_status(struct guard *guard)
{
    look_at_reset(guard);
    if (guard->broken) {
        return guard->status | STATUS_NEEDS_RESET;
    }
    return read_device(guard, REG_STATUS);
}

static uint32_t read_register(struct guard *guard, uint32_t offset)
{
    const struct shadow_queue *queue;

    switch (offset) {
    case REG_VENDOR_ID:
    case REG_CONFIGURATION_GENERATION:
        return read_device(guard, offset);
    case REG_DEVICE_FEATURES:
        return half(offered(guard), guard->feature_select);
    case REG_QUEUE_SIZE_MAX:
        return size_limit(guard);
    case REG_QUEUE_READY:
        queue = selected(guard);
        return queue != NULL && queue->ready;
    case REG_STATUS:
        return read_status(guard);
    default:
        /* No shared memory region: its length and base read as all ones (section 4.2.2). */
        return offset >= REG_SHARED_MEMORY && offset < REG_SHARED_MEMORY_END ? UINT32_MAX : 0;
    }
}

/* What a slot without a device shows too. */
static uint32_t read_identity(const struct guard *guard, uint32_t offset)
{
    switch (offset) {
    case REG_MAGIC:
        return read_device(guard, offset);
    case REG_VERSION:
        return VERSION_MODERN;
    default:
        return guard->type != NULL ? guard->type->id : 0;
    }
}

static uint32_t read_configuration(const struct guard *guard, uint32_t offset, uint32_t size)
{
    uint64_t address = guard->base + offset;
    uint32_t field = offset - REG_CONFIGURATION;

    if (field - guard->type->segments < sizeof(uint32_t)) {
        uint32_t segments = read_device(guard, REG_CONFIGURATION + guard->type->segments);

        segments = segments < SEGMENTS_MOST ? segments : SEGMENTS_MOST;
        segments >>= 8 * (field - guard->type->segments);
        return size == sizeof(uint32_t) ? segments : segments & ((1u << 8 * size) - 1);
    }
    switch (size) {
    case sizeof(uint8_t):
        return mmio_read8(address);
    case sizeof(uint16_t):
        return mmio_read16(address);
    default:
        return mmio_read32(address);
    }
}

static void write_configuration(const struct guard *guard, uint32_t offset, uint32_t size,
                                uint32_t value)
{
    switch (size) {
    case sizeof(uint8_t):
        mmio_write8(guard->base + offset, (uint8_t)value);
        break;
    case sizeof(uint16_t):
        mmio_write16(guard->base + offset, (uint16_t)value);
        break;
    default:
        mmio_write32(guard->base + offset, value);
        break;
    }
}

static void reset(struct guard *guard)
{
    write_device(guard, REG_STATUS, 0);
    guard->resetting = true;
    forget_driver(guard);
    look_at_reset(guard);
}

/* The device gets to know the features only now, when they have been found acceptable. */
static void pass_features(const struct guard *guard)
{
    for (uint32_t select = 0; select < 2; select++) {
        write_device(guard, REG_DRIVER_FEATURES_SELECT, select);
        write_device(guard, REG_DRIVER_FEATURES, half(guard->driver_features, select));
    }
}

/* Section 3.1.1: FEATURES_OK stays off if the driver wants what is not offered. */
static void write_status(struct guard *guard, uint8_t value)
{
    uint8_t before = guard->status;

    value &= (uint8_t)~STATUS_NEEDS_RESET;
    if ((before & STATUS_FEATURES_OK) == 0 && (value & STATUS_FEATURES_OK) != 0) {
        if ((guard->driver_features & ~offered(guard)) == 0 &&
            (guard->driver_features & FEATURE_VERSION_1) != 0) {
            pass_features(guard);
        } else {
            value &= (uint8_t)~STATUS_FEATURES_OK;
        }
    }
    if (((before | value) & STATUS_FEATURES_OK) == 0) {
        value &= (uint8_t)~STATUS_DRIVER_OK;
    }
    guard->status |= value;
    if (guard->status != before) {
        write_device(guard, REG_STATUS, guard->status);
    }
}

static void write_address(const struct guard *guard, uint32_t offset, uint64_t address)
{
    write_device(guard, offset, (uint32_t)address);
    write_device(guard, offset + REG_UPPER, (uint32_t)(address >> 32));
}

static void start_queue(struct guard *guard, struct shadow_queue *queue, struct vhart *vhart)
{
    if (queue->asked.size > size_limit(guard) || !shadow_start(queue, vhart->tenant)) {
        stop_broken(guard, vhart);
        return;
    }
    write_device(guard, REG_QUEUE_SELECT, guard->queue_select);
    write_device(guard, REG_QUEUE_SIZE, queue->places.size);
    write_address(guard, REG_QUEUE_DESCRIPTORS, (uint64_t)queue->rings.descriptors);
    write_address(guard, REG_QUEUE_DRIVER, (uint64_t)&queue->rings.flags);
    write_address(guard, REG_QUEUE_DEVICE, queue->places.used);
    write_device(guard, REG_QUEUE_READY, 1);
}

/*
 * A queue that a device has is not taken from it but by a reset of all of it: some devices go on
 * with it, and they may take a new size for the old place.
 */
static void write_ready(struct guard *guard, struct shadow_queue *queue, bool ready,
                        struct vhart *vhart)
{
    if (ready && !queue->ready) {
        start_queue(guard, queue, vhart);
    } else if (!ready && queue->ready) {
        stop_broken(guard, vhart);
    }
}

/* What the driver says of the selected queue; not of one that works. */
static void write_queue(struct guard *guard, uint32_t offset, uint32_t value, struct vhart *vhart)
{
    struct shadow_queue *queue = selected(guard);
    uint32_t select = offset / sizeof(uint32_t) & 1;

    if (queue == NULL) {
        return;
    }
    switch (offset) {
    case REG_QUEUE_SIZE:
        queue->asked.size = value;
        break;
    case REG_QUEUE_READY:
        write_ready(guard, queue, value != 0, vhart);
        break;
    case REG_QUEUE_DESCRIPTORS:
    case REG_QUEUE_DESCRIPTORS + REG_UPPER:
        set_half(&queue->asked.descriptors, select, value);
        break;
    case REG_QUEUE_DRIVER:
    case REG_QUEUE_DRIVER + REG_UPPER:
        set_half(&queue->asked.available, select, value);
        break;
    case REG_QUEUE_DEVICE:
    case REG_QUEUE_DEVICE + REG_UPPER:
        set_half(&queue->asked.used, select, value);
        break;
    default:
        break;
    }
}

static enum mmio_result write_register(struct guard *guard, uint32_t offset, uint32_t value,
                                       struct vhart *vhart)
{
    guard->touched = true;
    if (offset == REG_STATUS && value == 0) {
        reset(guard);
        return MMIO_DONE;
    }
    look_at_reset(guard);
    if (guard->broken || guard->resetting) {
        return MMIO_DONE;
    }
    switch (offset) {
    case REG_DEVICE_FEATURES_SELECT:
        guard->feature_select = value;
        break;
    case REG_DRIVER_FEATURES:
        if ((guard->status & STATUS_FEATURES_OK) == 0) {
            set_half(&guard->driver_features, guard->driver_feature_select, value);
        }
        break;
    case REG_DRIVER_FEATURES_SELECT:
        guard->driver_feature_select = value;
        break;
    case REG_QUEUE_SELECT:
        guard->queue_select = value;
        break;
    case REG_STATUS:
        write_status(guard, (uint8_t)value);
        return serve(guard, vhart);
    default:
        write_queue(guard, offset, value, vhart);
        break;
    }
    return MMIO_DONE;
}

static void load(struct guard *guard, uint32_t offset, uint32_t size, uint64_t *value)
{
    *value = 0;
    if (offset >= REG_CONFIGURATION) {
        *value = guard->type != NULL ? read_configuration(guard, offset, size) : 0;
    } else if (size == sizeof(uint32_t) && offset <= REG_DEVICE_ID) {
        *value = read_identity(guard, offset);
    } else if (size == sizeof(uint32_t) && guard->type != NULL) {
        *value = read_register(guard, offset);
    }
}

/* What a driver does for each message: with words, to a device that is there. */
static enum mmio_result work(struct guard *guard, struct vhart *vhart, uint32_t offset,
                             uint64_t *value)
{
    switch (offset) {
    case REG_INTERRUPT_STATUS:
        *value = read_device(guard, offset);
        return MMIO_DONE;
    case REG_INTERRUPT_ACKNOWLEDGE:
        write_device(guard, offset, (uint32_t)*value);
        return serve(guard, vhart);
    default: /* a notification; of a queue in which nothing is new, the device has heard */
        return serve(guard, vhart);
    }
}

static bool is_work(const struct guard *guard, uint32_t offset, uint32_t size, bool store)
{
    return size == sizeof(uint32_t) && guard->type != NULL &&
           (store ? offset == REG_QUEUE_NOTIFY || offset == REG_INTERRUPT_ACKNOWLEDGE
                  : offset == REG_INTERRUPT_STATUS);
}

/* Out of line: what drivers do for each message does not pay for its registers. */
static enum mmio_result __attribute__((noinline))
set_up(struct guard *guard, struct vhart *vhart, uint32_t offset, uint32_t size, bool store,
       uint64_t *value)
{
    if (size > sizeof(uint32_t) || offset % size != 0 || offset >= GUARD_REGISTERS_SIZE) {
        *value = 0;
        return MMIO_DONE;
    }
    if (!store) {
        load(guard, offset, size, value);
        return MMIO_DONE;
    }
    if (guard->type == NULL) {
        return MMIO_DONE;
    }
    if (offset >= REG_CONFIGURATION) {
        write_configuration(guard, offset, size, (uint32_t)*value);
        return MMIO_DONE;
    }
    return size == sizeof(uint32_t) ? write_register(guard, offset, (uint32_t)*value, vhart)
                                    : MMIO_DONE;
}

enum mmio_result guard_access(struct vhart *vhart, uint64_t address, uint32_t size, bool store,
                              uint64_t *value)
{
    struct guard *guard = guard_at(vhart->tenant, address);
    uint32_t offset;

    if (guard == NULL) {
        return MMIO_FAULT;
    }
    offset = (uint32_t)(address - guard->base);
    return is_work(guard, offset, size, store) ? work(guard, vhart, offset, value)
                                               : set_up(guard, vhart, offset, size, store, value);
}

static bool is_guarded_register(const struct tenant *tenant, uint64_t address)
{
    return guard_at(tenant, address) != NULL;
}

MMIO_WINDOW(is_guarded_register, guard_access);
