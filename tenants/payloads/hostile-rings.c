/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives the virtual console rings that make no sense: places, lengths, links and indices at random,
 * of its own memory, of everybody's and of nobody's; stores to its registers at random; and
 * notifies all the time. Whatever comes of it, a reset makes the device work again: in the end it
 * uses the channel "talk" as it should, floods it, and never stops.
 *
 * Arguments: rounds=N  (default 500)   seed=N
 */
#include "rt/channel.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/virtio_mmio.h"

#define QUEUES 4
#define REGISTERS_SIZE 0x200
#define QUEUE_NOTIFY 0x50
#define STATUS 0x70
#define STATUS_NEEDS_RESET 0x40
#define STORES 16
#define FEATURE_MULTIPORT 2

const char payload_name[] = "hostile-rings";

static struct virtio_device console;
static struct virtio_queue queues[QUEUES];
static struct random random;
/* Where the device may write what it likes. */
static uint8_t scratch[4096];

static volatile uint32_t *device_register(uint32_t offset)
{
    return (volatile uint32_t *)(console.base + offset);
}

/* The address, if it is not in our own memory: the device is let loose on that only where it may.
 */
static uint64_t elsewhere(uint64_t address)
{
    return address - platform.memory_base < platform.memory_size ? (uintptr_t)scratch : address;
}

/* An address that the device should not believe, or should. */
static uint64_t any_address(void)
{
    switch (random_next(&random) % 6) {
    case 0:
        return (uintptr_t)&queues[random_next(&random) % QUEUES];
    case 1:
        return platform.memory_base + platform.memory_size - random_next(&random) % 64;
    case 2:
        return platform.memory_base - random_next(&random) % 4096;
    case 3:
        return console.base;
    case 4:
        return elsewhere(random_next(&random));
    default:
        return elsewhere(0x80000000 + random_next(&random) % 0x80000000);
    }
}

static void spoil(struct virtio_rings *rings)
{
    for (unsigned i = 0; i < VIRTIO_QUEUE_SIZE; i++) {
        rings->descriptors[i] = (struct virtio_descriptor){
            .address = any_address(),
            .length = (uint32_t)(random_next(&random) >> (random_next(&random) % 64)),
            .flags = (uint16_t)(random_next(&random) % 8),
            .next = (uint16_t)(random_next(&random) % (VIRTIO_QUEUE_SIZE + 2)),
        };
        rings->available.ring[i] = (uint16_t)(random_next(&random) % (VIRTIO_QUEUE_SIZE + 2));
    }
    rings->available.index = (uint16_t)(random_next(&random) % (2 * VIRTIO_QUEUE_SIZE));
    rings->available.flags = (uint16_t)random_next(&random);
}

/* Returns whether the device has given up. */
static bool storm(void)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        spoil(&queues[i].rings);
        *device_register(QUEUE_NOTIFY) = (uint32_t)(random_next(&random) % (QUEUES + 1));
    }
    for (unsigned i = 0; i < STORES; i++) {
        uint32_t offset = (uint32_t)(random_next(&random) % REGISTERS_SIZE) & ~3u;

        *device_register(offset) = (uint32_t)(random_next(&random) >> (random_next(&random) % 64));
        *device_register(QUEUE_NOTIFY) = (uint32_t)(random_next(&random) % QUEUES);
        (void)*device_register(offset);
    }
    return (*device_register(STATUS) & STATUS_NEEDS_RESET) != 0;
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 500);
    uint64_t given_up = 0;
    struct channel *channel;
    static uint8_t bytes[CHANNEL_BUFFER_SIZE];

    random = random_from(platform_number("seed", 1));
    interrupts_disable();
    check(virtio_find(&console, VIRTIO_ID_CONSOLE), "there is no virtual console");
    for (uint64_t round = 0; round < rounds; round++) {
        check(virtio_start(&console, queues, QUEUES, FEATURE_MULTIPORT),
              "round %lu: a reset does not help", round);
        given_up += storm();
    }
    check(given_up > rounds / 4, "the device has taken nearly all of it");
    check(channels_start(), "the device has no names any more");
    channel = channel_open("talk");
    check(channel != NULL, "there is no channel \"talk\"");
    print("hostile-rings: rounds=%lu given up=%lu\n", rounds, given_up);
    print("PASS %s\n", payload_name);
    for (;;) {
        channel_write(channel, bytes, sizeof(bytes), false);
    }
}
