/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/guard/shadow.h"

#include "arch/csr.h"
#include "arch/memory.h"
#include "arch/mmio.h"
#include "arch/owned_memory.h"
#include "core/tenant.h"
#include "core/wanted.h"

/* Section 2.7.5: of the second word of a descriptor. */
#define DESCRIPTOR_SIZE 16
#define FLAGS_SHIFT 32
#define NEXT_SHIFT 48
#define FLAG_NEXT 0x1ul
#define FLAG_WRITE 0x2ul
#define FLAG_INDIRECT 0x4ul
/* Sections 2.7.6 and 2.7.8: flags, index, ring, and room for an event index. */
#define RING_INDEX 2
#define RING_ENTRIES 4
#define RING_REST 6
#define USED_ELEMENT_SIZE 8

static uint16_t load16(uint64_t address)
{
    return *(const volatile uint16_t *)address;
}

static uint64_t load64(uint64_t address)
{
    return *(const volatile uint64_t *)address;
}

static uint32_t length_of(uint64_t rest)
{
    return (uint32_t)rest;
}

static bool holds(const struct tenant *tenant, uint64_t address, uint64_t size, uint64_t alignment)
{
    return (address & (alignment - 1)) == 0 && tenant_owns_memory(tenant, address, size);
}

static bool are_places(const struct tenant *tenant, const struct shadow_places *places)
{
    uint64_t size = places->size;

    return size != 0 && size <= SHADOW_SIZE && (size & (size - 1)) == 0 &&
           holds(tenant, places->descriptors, size * DESCRIPTOR_SIZE, 16) &&
           holds(tenant, places->available, size * sizeof(uint16_t) + RING_REST, 2) &&
           holds(tenant, places->used, size * USED_ELEMENT_SIZE + RING_REST, 4);
}

static bool is_available(const struct shadow_queue *queue)
{
    return load16(queue->places.available + RING_INDEX) != queue->next;
}

/* The next chain, which is_available(). False: it cannot be. */
static bool open_chain(struct shadow_queue *queue)
{
    const struct shadow_places *places = &queue->places;
    uint16_t index = load16(places->available + RING_INDEX);
    uint32_t slot = queue->next & (places->size - 1);
    uint16_t head;

    FENCE_ALL(); /* the index is written after what it makes available */
    head = load16(places->available + RING_ENTRIES + sizeof(uint16_t) * (uint64_t)slot);
    if ((uint16_t)(index - queue->next - 1) >= places->size || head >= places->size) {
        return false; /* the index cannot go back either */
    }
    queue->open = true;
    queue->head = head;
    queue->following = head;
    queue->copied = 0;
    return true;
}

/* Bytes from `address` to the end of the tenant's range that it is in; 0: it is in none. */
static uint32_t room_at(const struct tenant *tenant, uint64_t address)
{
    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct bundle_range *range = &tenant->description->memory[i];
        uint64_t offset = address - range->base;

        if (offset < range->size) {
            uint64_t room = range->size - offset;

            return room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
        }
    }
    return 0;
}

bool shadow_start(struct shadow_queue *queue, const struct tenant *tenant)
{
    const struct shadow_places asked = queue->asked;

    if (!are_places(tenant, &asked)) {
        return false;
    }
    for (uint32_t i = 0; i < SHADOW_SIZE / 64; i++) {
        queue->written[i] = 0;
    }
    queue->rings.flags = 0;
    queue->rings.index = 0;
    queue->places = asked;
    queue->next = 0;
    queue->open = false;
    queue->ready = true;
    return true;
}

/* The device has read what it was about to read: it answers one access after the other. */
static void wait_for_device(uint64_t registers)
{
    FENCE_ALL();
    (void)mmio_read32(registers);
    FENCE_ALL();
}

/*
 * From now on the device can come to a shadow descriptor, perhaps before it is copied. Where it has
 * not been able to, a driver before has left something there, perhaps another tenant's: it finds
 * nothing instead, at an address with that much room behind it.
 */
static void open_descriptor(struct shadow_queue *queue, uint16_t index, uint64_t address,
                            uint32_t room)
{
    uint64_t *written = &queue->written[index / 64];
    uint64_t bit = 1ul << index % 64;

    if ((*written & bit) == 0) {
        *written |= bit;
        queue->bounds[index] = (struct shadow_bound){room, 0};
        queue->rings.descriptors[index] = (struct shadow_descriptor){address, 0};
        FENCE_ALL(); /* before it is named */
    }
}

/*
 * Changes a shadow descriptor, which the device may be reading just now although it ought not to.
 * It sees each of the two words whole, but perhaps not of the same descriptor, and not of two that
 * followed each other. That does not matter as long as the longest of them would fit at all of
 * their addresses. When it would not, the words change one after the other, an empty descriptor in
 * between, and the device is waited for after each: then only this one counts.
 */
static void set_descriptor(struct shadow_queue *queue, uint32_t index, uint64_t address,
                           uint64_t rest, uint32_t room, uint64_t registers)
{
    volatile struct shadow_descriptor *descriptor = &queue->rings.descriptors[index];
    struct shadow_bound *bound = &queue->bounds[index];

    bound->least_room = bound->least_room < room ? bound->least_room : room;
    bound->longest = bound->longest > length_of(rest) ? bound->longest : length_of(rest);
    if (bound->longest > bound->least_room) {
        descriptor->rest = 0;
        wait_for_device(registers);
        descriptor->address = address;
        wait_for_device(registers);
        *bound = (struct shadow_bound){room, length_of(rest)};
    }
    descriptor->address = address;
    descriptor->rest = rest;
}

/* Copies the next descriptor of the open chain. False: it makes no sense. */
static bool copy_descriptor(struct shadow_queue *queue, const struct tenant *tenant,
                            uint64_t registers)
{
    const struct shadow_places *places = &queue->places;
    uint64_t from = places->descriptors + DESCRIPTOR_SIZE * (uint64_t)queue->following;
    uint64_t address = load64(from);
    uint64_t rest = load64(from + sizeof(uint64_t));
    uint64_t flags = rest >> FLAGS_SHIFT;
    uint16_t next = (uint16_t)(rest >> NEXT_SHIFT);
    uint32_t room = room_at(tenant, address);
    bool more = (flags & FLAG_NEXT) != 0;

    if ((flags & FLAG_INDIRECT) != 0 || room == 0 || length_of(rest) > room ||
        (more && (next >= places->size || queue->copied + 1 >= places->size))) {
        return false;
    }
    rest = length_of(rest) | (flags & (FLAG_NEXT | FLAG_WRITE)) << FLAGS_SHIFT |
           (more ? (uint64_t)next << NEXT_SHIFT : 0);
    open_descriptor(queue, queue->following, address, room);
    if (more) {
        open_descriptor(queue, next, address, room);
    }
    set_descriptor(queue, queue->following, address, rest, room, registers);
    queue->following = next;
    queue->copied++;
    if (!more) {
        queue->rings.entries[queue->next & (places->size - 1)] = queue->head;
        queue->next++;
        queue->open = false;
    }
    return true;
}

bool shadow_copy(struct shadow_queue *queue, const struct tenant *tenant, unsigned *steps,
                 uint64_t registers)
{
    do {
        if ((!queue->open && !open_chain(queue)) || !copy_descriptor(queue, tenant, registers)) {
            return false;
        }
        *steps = step_is_over() ? 0 : *steps - 1;
    } while (*steps != 0 && (queue->open || is_available(queue)));
    return true;
}

bool shadow_publish(struct shadow_queue *queue)
{
    volatile uint16_t *index = &queue->rings.index;

    if (*index == queue->next) {
        return false;
    }
    FENCE_ALL(); /* the chains come before the index */
    *index = queue->next;
    FENCE_ALL(); /* and this before the notification */
    return true;
}

bool shadow_listen(struct shadow_queue *queue)
{
    if (load16(queue->places.used) != 0) {
        *(volatile uint16_t *)queue->places.used = 0;
    }
    FENCE_ALL(); /* a driver that saw the flag before has made its chain available before */
    return is_available(queue);
}
