/* SPDX-License-Identifier: BSD-2-Clause */
/* How a driver sets its device up: all registers but those of guard.c. */
#include "arch/mmio.h"
#include "device/virtio_registers.h"
#include "features/device_reset/virtio_reset.h"
#include "features/guard/guard.h"

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

/* A request has two descriptors beside its segments: of its header and of its status. */
#define SEGMENTS_MOST (SHADOW_SIZE - 2)

void guard_stop_broken(struct guard *guard, struct vhart *vhart)
{
    guard->resetting = !virtio_reset(guard->base);
    guard->broken = true;
    for (uint32_t i = 0; i < GUARD_MOST_QUEUES; i++) {
        guard->queues[i].ready = false;
    }
    vhart->faults++;
}

static uint64_t offered(const struct guard *guard)
{
    uint64_t features;

    guard_write(guard, REG_DEVICE_FEATURES_SELECT, 0);
    features = guard_read(guard, REG_DEVICE_FEATURES);
    guard_write(guard, REG_DEVICE_FEATURES_SELECT, 1);
    features |= (uint64_t)guard_read(guard, REG_DEVICE_FEATURES) << 32;
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
    guard_write(guard, REG_QUEUE_SELECT, guard->queue_select);
    most = guard_read(guard, REG_QUEUE_SIZE_MAX);
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
    if (guard->resetting && guard_read(guard, REG_STATUS) == 0) {
        guard->resetting = false;
    }
}

static uint32_t read_status(struct guard *guard)
{
    look_at_reset(guard);
    if (guard->broken) {
        return guard->status | STATUS_NEEDS_RESET;
    }
    return guard_read(guard, REG_STATUS);
}

static uint32_t read_register(struct guard *guard, uint32_t offset)
{
    const struct shadow_queue *queue;

    switch (offset) {
    case REG_VENDOR_ID:
    case REG_CONFIGURATION_GENERATION:
        return guard_read(guard, offset);
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
        return guard_read(guard, offset);
    case REG_VERSION:
        return GUARD_VERSION;
    default:
        return guard->type != NULL ? guard->type->id : 0;
    }
}

static uint32_t read_configuration(const struct guard *guard, uint32_t offset, uint32_t size)
{
    uint64_t address = guard->base + offset;
    uint32_t field = offset - REG_CONFIGURATION;

    if (field - guard->type->segments < sizeof(uint32_t)) {
        uint32_t segments = guard_read(guard, REG_CONFIGURATION + guard->type->segments);

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

static void write_configuration(struct guard *guard, uint32_t offset, uint32_t size, uint32_t value)
{
    guard->touched = true;
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
    guard_write(guard, REG_STATUS, 0);
    guard->resetting = true;
    guard_forget_driver(guard);
    look_at_reset(guard);
}

/* The device gets to know the features only now, when they have been found acceptable. */
static void pass_features(const struct guard *guard)
{
    for (uint32_t select = 0; select < 2; select++) {
        guard_write(guard, REG_DRIVER_FEATURES_SELECT, select);
        guard_write(guard, REG_DRIVER_FEATURES, half(guard->driver_features, select));
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
        guard_write(guard, REG_STATUS, guard->status);
    }
}

static void write_address(const struct guard *guard, uint32_t offset, uint64_t address)
{
    guard_write(guard, offset, (uint32_t)address);
    guard_write(guard, offset + REG_UPPER, (uint32_t)(address >> 32));
}

static void start_queue(struct guard *guard, struct shadow_queue *queue, struct vhart *vhart)
{
    if (queue->asked.size > size_limit(guard) || !shadow_start(queue, vhart->tenant)) {
        guard_stop_broken(guard, vhart);
        return;
    }
    guard_write(guard, REG_QUEUE_SELECT, guard->queue_select);
    guard_write(guard, REG_QUEUE_SIZE, queue->places.size);
    write_address(guard, REG_QUEUE_DESCRIPTORS, (uint64_t)queue->rings.descriptors);
    write_address(guard, REG_QUEUE_DRIVER, (uint64_t)&queue->rings.flags);
    write_address(guard, REG_QUEUE_DEVICE, queue->places.used);
    guard_write(guard, REG_QUEUE_READY, 1);
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
        guard_stop_broken(guard, vhart);
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

static void write_register(struct guard *guard, uint32_t offset, uint32_t value,
                           struct vhart *vhart)
{
    guard->touched = true;
    if (offset == REG_STATUS && value == 0) {
        reset(guard);
        return;
    }
    look_at_reset(guard);
    if (guard->broken || guard->resetting) {
        return;
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
        break;
    default:
        write_queue(guard, offset, value, vhart);
        break;
    }
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

void guard_set_up(struct guard *guard, struct vhart *vhart, uint32_t offset, uint32_t size,
                  bool store, uint64_t *value)
{
    if (size > sizeof(uint32_t) || offset % size != 0 || offset >= GUARD_REGISTERS_SIZE) {
        *value = 0;
    } else if (!store) {
        load(guard, offset, size, value);
    } else if (guard->type == NULL) {
        return;
    } else if (offset >= REG_CONFIGURATION) {
        write_configuration(guard, offset, size, (uint32_t)*value);
    } else if (size == sizeof(uint32_t)) {
        write_register(guard, offset, (uint32_t)*value, vhart);
    }
}
