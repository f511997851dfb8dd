/* SPDX-License-Identifier: BSD-2-Clause */
#include "power_keys.h"

#include <linux/input-event-codes.h>
#include <stddef.h>
#include <string.h>

#include "pieces.h"
#include "virtio_mmio.h"

#define ID_INPUT 18
#define NAME "Cotenant power keys"

enum { QUEUE_EVENTS, QUEUE_STATUS, QUEUE_COUNT };
enum { CONFIGURATION_NAME = 0x01, CONFIGURATION_EVENTS = 0x11 };

struct event {
    uint16_t type;
    uint16_t code;
    uint32_t value;
};

/* The driver chooses with the first two what it finds in the others (5.8.4). */
struct configuration {
    uint8_t select, which, size, reserved[5];
    uint8_t value[128];
};

static struct {
    struct virtio virtio;
    struct configuration configuration;
} keys;

static void configure(struct virtio *device, uint64_t offset, uint32_t value)
{
    struct configuration *configuration = &keys.configuration;

    (void)device;
    if (offset > offsetof(struct configuration, which)) {
        return;
    }
    ((uint8_t *)configuration)[offset] = (uint8_t)value;
    configuration->size = 0;
    memset(configuration->value, 0, sizeof(configuration->value));
    if (configuration->select == CONFIGURATION_NAME && configuration->which == 0) {
        memcpy(configuration->value, NAME, sizeof(NAME) - 1);
        configuration->size = sizeof(NAME) - 1;
    } else if (configuration->select == CONFIGURATION_EVENTS && configuration->which == EV_KEY) {
        configuration->value[KEY_POWER / 8] = 1u << KEY_POWER % 8;
        configuration->value[KEY_SLEEP / 8] = 1u << KEY_SLEEP % 8;
        configuration->size = KEY_SLEEP / 8 + 1;
    }
}

static bool send_event(uint16_t type, uint16_t code, uint32_t value)
{
    const struct event event = {type, code, value};
    struct virtio_request request;
    size_t written;

    if (!virtio_try_take(&keys.virtio, QUEUE_EVENTS, &request)) {
        return false;
    }
    written = pieces_put(request.write, request.write_count, &event, sizeof(event));
    virtio_give_back(&keys.virtio, QUEUE_EVENTS, &request, (uint32_t)written);
    return true;
}

void power_keys_add(void)
{
    keys.virtio.id = ID_INPUT;
    keys.virtio.queue_count = QUEUE_COUNT;
    keys.virtio.configuration = &keys.configuration;
    keys.virtio.configuration_size = sizeof(keys.configuration);
    keys.virtio.configure = configure;
    virtio_add(&keys.virtio);
}

static bool press(uint16_t code)
{
    return send_event(EV_KEY, code, 1) && send_event(EV_SYN, SYN_REPORT, 0) &&
           send_event(EV_KEY, code, 0) && send_event(EV_SYN, SYN_REPORT, 0);
}

bool power_keys_press_sleep(void)
{
    return press(KEY_SLEEP);
}

bool power_keys_press_power(void)
{
    return press(KEY_POWER);
}
