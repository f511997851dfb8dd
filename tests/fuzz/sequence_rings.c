/* SPDX-License-Identifier: BSD-2-Clause */
#include "sequence_rings.h"

#include <string.h>

#include "sequence_statistics.h"

#define NO_INTERRUPT 1
#define NO_NOTIFY 1
#define DESCRIPTOR_NEXT 1
#define DESCRIPTOR_WRITE 2
#define USED_SIZE (6 + 8 * DESCRIPTORS)
/* An honest store is made again at most so often, whatever others do meanwhile. */
#define MOST_RETRIES 256

struct slot {
    bool offered;
    uint16_t length;
};

static struct queue {
    bool placed;
    bool suppressed;
    uint16_t added;
    uint16_t taken;
    struct slot slots[SLOTS];
} queues[DRIVERS][QUEUES];

static uint8_t shadows[TENANTS][MAIN_SIZE];

static struct queue *queue_of(const struct driver *driver, uint32_t queue)
{
    return &queues[driver->index][queue];
}

static uint8_t *shadow_of(const struct driver *driver, uint64_t address)
{
    return &shadows[driver->tenant][address - tenant_memory(driver->tenant)];
}

static void require_same(const struct driver *driver, uint64_t address, uint32_t size)
{
    REQUIRE_THAT(memcmp(memory_at(address), shadow_of(driver, address), size) == 0, driver);
}

/* The driver writes where the device does not. */
static void poke(const struct driver *driver, uint64_t address, const void *bytes, uint32_t size)
{
    require_same(driver, address, size);
    memcpy(memory_at(address), bytes, size);
    memcpy(shadow_of(driver, address), bytes, size);
}

static void accept_change(const struct driver *driver, uint64_t address, uint32_t size)
{
    memcpy(shadow_of(driver, address), memory_at(address), size);
}

static uint16_t load16(uint64_t address)
{
    uint16_t value;

    memcpy(&value, memory_at(address), sizeof(value));
    return value;
}

static uint16_t used_index(const struct driver *driver, uint32_t queue)
{
    return load16(part_of(driver, queue) + PART_USED + 2);
}

void rings_reset(void)
{
    memset(queues, 0, sizeof(queues));
    memset(shadows, 0, sizeof(shadows));
}

void rings_forget(const struct driver *driver)
{
    for (uint32_t i = 0; i < driver->queue_count; i++) {
        struct queue *queue = queue_of(driver, i);

        if (queue->placed) {
            accept_change(driver, part_of(driver, i) + PART_USED, USED_SIZE);
        }
        for (uint32_t slot = 0; slot < SLOTS && is_receive_queue(driver, i); slot++) {
            if (queue->slots[slot].offered) {
                accept_change(driver, slot_of(driver, i, slot), queue->slots[slot].length);
            }
        }
        *queue = (struct queue){0};
    }
}

static void store(struct driver *driver, uint32_t offset, uint32_t value)
{
    REQUIRE_THAT(machine_store(driver, offset, 4, value), driver);
}

void ring_place(struct driver *driver, uint32_t queue)
{
    static const uint8_t zero[PART_SLOTS];
    uint64_t part = part_of(driver, queue);
    uint64_t places[] = {part, part + PART_AVAILABLE, part + PART_USED};

    poke(driver, part, zero, PART_SLOTS);
    store(driver, 0x30, queue);
    REQUIRE_THAT(machine_load(driver, 0x34, 4) >= DESCRIPTORS, driver);
    store(driver, 0x38, DESCRIPTORS);
    for (uint32_t i = 0; i < 3; i++) {
        store(driver, 0x80 + 0x10 * i, (uint32_t)places[i]);
        store(driver, 0x84 + 0x10 * i, (uint32_t)(places[i] >> 32));
    }
    store(driver, 0x44, 1);
    REQUIRE_THAT(machine_load(driver, 0x44, 4) == 1, driver);
    queue_of(driver, queue)->placed = true;
}

bool ring_is_placed(const struct driver *driver, uint32_t queue)
{
    return queue_of(driver, queue)->placed;
}

bool ring_find_slot(const struct driver *driver, uint32_t queue, uint32_t *slot)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (!queue_of(driver, queue)->slots[i].offered) {
            *slot = i;
            return true;
        }
    }
    return false;
}

void ring_fill(const struct driver *driver, uint32_t queue, uint32_t slot, const void *bytes,
               uint32_t length)
{
    poke(driver, slot_of(driver, queue, slot), bytes, length);
}

void ring_offer(struct driver *driver, uint32_t number, uint32_t slot, uint16_t length,
                uint16_t split)
{
    struct queue *queue = queue_of(driver, number);
    uint64_t part = part_of(driver, number);
    uint16_t write = is_receive_queue(driver, number) ? DESCRIPTOR_WRITE : 0;
    uint16_t head = (uint16_t)(2 * slot);
    bool two = split != 0 && split < length;
    struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags;
        uint16_t next;
    } descriptors[2] = {
        {slot_of(driver, number, slot), two ? split : length,
         (uint16_t)(write | (two ? DESCRIPTOR_NEXT : 0)), (uint16_t)(head + 1)},
        {slot_of(driver, number, slot) + split, length - split, write, 0},
    };

    poke(driver, part + 16u * head, descriptors, two ? 32 : 16);
    poke(driver, part + PART_AVAILABLE + 4 + 2u * (queue->added % DESCRIPTORS), &head, 2);
    queue->slots[slot] = (struct slot){true, length};
    queue->added++;
    poke(driver, part + PART_AVAILABLE + 2, &queue->added, 2);
}

void ring_notify(struct driver *driver, uint32_t queue, struct fuzz_input *input)
{
    uint8_t mood = fuzz_byte(input);
    bool flood = mood % 32 == 31; /* its peers have something new each time */
    unsigned retries = 0;

    if ((load16(part_of(driver, queue) + PART_USED) & NO_NOTIFY) != 0) {
        return;
    }
    machine_wanted(mood % 4 == 3, flood || mood % 4 == 2);
    while (!machine_store(driver, REGISTER_NOTIFY, 4, queue)) {
        retries++;
        REQUIRE_THAT(retries <= MOST_RETRIES, driver);
        mood = fuzz_byte(input);
        if (flood || mood % 4 == 1) {
            hostile_meanwhile(input, flood);
        }
        machine_wanted(mood % 4 == 3, flood || mood % 4 == 2);
    }
    statistics_retries(retries);
    machine_wanted(false, false);
}

/* Whether the used ring's next element is one that the driver may believe; gives its slot back. */
static struct slot *take_element(const struct driver *driver, uint32_t number, uint32_t *length,
                                 uint32_t *index)
{
    struct queue *queue = queue_of(driver, number);
    uint64_t elements = part_of(driver, number) + PART_USED + 4;
    uint32_t element[2];
    struct slot *slot;

    memcpy(element, memory_at(elements + 8u * (queue->taken % DESCRIPTORS)), sizeof(element));
    REQUIRE_THAT(element[0] % 2 == 0 && element[0] < 2 * SLOTS, driver);
    slot = &queue->slots[element[0] / 2];
    REQUIRE_THAT(slot->offered, driver);
    slot->offered = false;
    queue->taken++;
    *index = element[0] / 2;
    *length = element[1];
    return slot;
}

bool ring_take(const struct driver *driver, uint32_t number, struct ring_result *result)
{
    const struct queue *queue = queue_of(driver, number);
    uint16_t count = (uint16_t)(used_index(driver, number) - queue->taken);
    const struct slot *slot;
    uint64_t buffer;
    uint32_t index;

    if (!queue->placed || count == 0) {
        return false;
    }
    REQUIRE_THAT(count <= SLOTS, driver);
    slot = take_element(driver, number, &result->length, &index);
    buffer = slot_of(driver, number, index);
    if (is_receive_queue(driver, number)) {
        REQUIRE_THAT(result->length <= slot->length, driver);
        accept_change(driver, buffer, slot->length);
        result->bytes = memory_at(buffer);
    } else {
        REQUIRE_THAT(result->length == 0, driver);
        result->bytes = NULL;
    }
    return true;
}

bool ring_is_idle(const struct driver *driver, uint32_t queue)
{
    return queue_of(driver, queue)->added == queue_of(driver, queue)->taken;
}

void ring_suppress(const struct driver *driver, uint32_t queue, bool suppressed)
{
    uint16_t flags = suppressed ? NO_INTERRUPT : 0;

    poke(driver, part_of(driver, queue) + PART_AVAILABLE, &flags, sizeof(flags));
    queue_of(driver, queue)->suppressed = suppressed;
}

bool ring_is_suppressed(const struct driver *driver, uint32_t queue)
{
    return queue_of(driver, queue)->suppressed;
}

void ring_check(const struct driver *driver, uint32_t number)
{
    const struct queue *queue = queue_of(driver, number);
    uint64_t part = part_of(driver, number);

    if (!queue->placed) {
        require_same(driver, part, PART_SIZE);
        return;
    }
    require_same(driver, part, PART_USED);
    require_same(driver, part + PART_USED + USED_SIZE, PART_SLOTS - PART_USED - USED_SIZE);
    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct slot *slot = &queue->slots[i];
        bool theirs = slot->offered && is_receive_queue(driver, number);
        uint32_t skipped = theirs ? slot->length : 0;

        require_same(driver, slot_of(driver, number, i) + skipped, SLOT_SIZE - skipped);
    }
    REQUIRE_THAT(queue->suppressed || driver->line || machine_owes(driver) ||
                     used_index(driver, number) == queue->taken,
                 driver);
}
