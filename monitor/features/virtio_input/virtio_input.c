/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/virtio_input/virtio_input.h"

#include "core/feature.h"
#include "core/hooks.h"
#include "core/tenant.h"

/* Section 5.8.2. */
#define QUEUE_EVENTS 0
#define QUEUES 2

/* Section 5.8.4: the driver selects what it wants to read, then reads it. */
#define CONFIGURATION_SELECT 0
#define CONFIGURATION_SUBSELECT 1
#define CONFIGURATION_SIZE 2
#define CONFIGURATION_DATA 8
#define SELECT_NAME 0x01
#define SELECT_EVENT_BITS 0x11

/* As Linux numbers them (include/uapi/linux/input-event-codes.h). */
#define EVENT_SYNCHRONISATION 0
#define EVENT_KEY 1
#define KEY_SLEEP 142

/* Section 5.8.6. */
struct input_event {
    uint16_t type;
    uint16_t code;
    uint32_t value;
};

static const char name[] = "Cotenant sleep key";

static const struct input_event press[] = {
    {EVENT_KEY, KEY_SLEEP, 1},
    {EVENT_SYNCHRONISATION, 0, 0},
    {EVENT_KEY, KEY_SLEEP, 0},
    {EVENT_SYNCHRONISATION, 0, 0},
};

#define PRESS_EVENTS (sizeof(press) / sizeof(press[0]))

static struct {
    uint8_t select;
    uint8_t subselect;
    uint8_t left; /* events of the press that the driver is to be told of */
} states[COTENANT_MAX_VIRTUAL_DEVICES];

static uint64_t offered(const struct virtio_device *device)
{
    (void)device;
    return 0;
}

static uint32_t queue_count(const struct virtio_device *device)
{
    (void)device;
    return QUEUES;
}

/* How many bytes of data there are for what is selected. */
static uint32_t data_size(const struct virtio_device *device)
{
    switch (states[device->index].select) {
    case SELECT_NAME:
        return sizeof(name) - 1;
    case SELECT_EVENT_BITS:
        return states[device->index].subselect == EVENT_KEY ? KEY_SLEEP / 8 + 1 : 0;
    default:
        return 0;
    }
}

static uint8_t read_byte(const struct virtio_device *device, uint32_t offset)
{
    uint32_t position = offset - CONFIGURATION_DATA;

    switch (offset) {
    case CONFIGURATION_SELECT:
        return states[device->index].select;
    case CONFIGURATION_SUBSELECT:
        return states[device->index].subselect;
    case CONFIGURATION_SIZE:
        return (uint8_t)data_size(device);
    default:
        break;
    }
    if (offset < CONFIGURATION_DATA || position >= data_size(device)) {
        return 0;
    }
    if (states[device->index].select == SELECT_NAME) {
        return (uint8_t)name[position];
    }
    return position == KEY_SLEEP / 8 ? 1u << KEY_SLEEP % 8 : 0;
}

static uint32_t read_configuration(const struct virtio_device *device, uint32_t offset,
                                   uint32_t size)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < size; i++) {
        value |= (uint32_t)read_byte(device, offset + i) << 8 * i;
    }
    return value;
}

static void write_configuration(struct virtio_device *device, uint32_t offset, uint32_t size,
                                uint32_t value)
{
    if (size != sizeof(uint8_t)) {
        return;
    }
    if (offset == CONFIGURATION_SELECT) {
        states[device->index].select = (uint8_t)value;
    } else if (offset == CONFIGURATION_SUBSELECT) {
        states[device->index].subselect = (uint8_t)value;
    }
}

static void start(struct virtio_device *device)
{
    (void)device;
}

/* New buffers for events wait until there is one; there are no lights that could be set. */
static bool notify(struct virtio_device *device, uint32_t queue)
{
    (void)device;
    (void)queue;
    return true;
}

/* An event is put into a buffer as a whole: there is no transfer that could be over. */
static void queue_stopped(struct virtio_device *device, uint32_t queue)
{
    (void)device;
    (void)queue;
}

static bool reset(struct virtio_device *device, uint32_t part)
{
    (void)part;
    states[device->index].select = 0;
    states[device->index].subselect = 0;
    states[device->index].left = 0;
    return false;
}

/* The next event; the rest of a press for which there is no buffer is not told. */
static void tell(struct virtio_device *device)
{
    uint8_t *left = &states[device->index].left;

    if (*left != 0 && virtio_put(device, &device->queues[QUEUE_EVENTS],
                                 &press[PRESS_EVENTS - *left], sizeof(press[0]))) {
        (*left)--;
    } else {
        *left = 0;
    }
    if (*left != 0) {
        virtio_tell_again(device);
    }
}

const struct virtio_type virtio_input_type = {
    .kind = COTENANT_VIRTUAL_INPUT,
    .features = offered,
    .queue_count = queue_count,
    .read_configuration = read_configuration,
    .write_configuration = write_configuration,
    .start = start,
    .notify = notify,
    .tell = tell,
    .queue_stopped = queue_stopped,
    .reset = reset,
};

VIRTIO_TYPE(virtio_input_type);

void virtio_press_sleep_key(const struct tenant *tenant)
{
    const struct bundle_tenant *description = tenant->description;

    for (uint32_t i = 0; i < description->device_count; i++) {
        struct virtio_device *device = &virtio_devices[description->device_first + i];

        if (device->type == &virtio_input_type && virtio_is_live(device)) {
            states[device->index].left = PRESS_EVENTS;
            virtio_tell_again(device);
        }
    }
}

HOOK(tenant_is_asked_to_suspend, virtio_press_sleep_key);
FEATURE(virtio_input);
