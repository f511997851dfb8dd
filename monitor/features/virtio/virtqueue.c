/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/virtio/virtqueue.h"

#include "arch/csr.h"
#include "arch/memory.h"
#include "arch/owned_memory.h"
#include "core/tenant.h"

/* Section 2.7.5. */
#define DESCRIPTOR_SIZE 16
#define DESCRIPTOR_NEXT 0x1
#define DESCRIPTOR_WRITE 0x2
#define DESCRIPTOR_INDIRECT 0x4
/* Sections 2.7.6 and 2.7.8: flags, index, ring, and room for an event index. */
#define RING_INDEX 2
#define RING_ENTRIES 4
#define RING_REST 6
#define USED_ELEMENT_SIZE 8
#define AVAILABLE_NO_INTERRUPT 0x1
#define USED_NO_NOTIFY 0x1

static uint16_t load16(uint64_t address)
{
    return *(const volatile uint16_t *)address;
}

static void store16(uint64_t address, uint16_t value)
{
    *(volatile uint16_t *)address = value;
}

static void store32(uint64_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

static uint32_t place(const struct virtqueue_ring *ring, uint16_t index)
{
    return index & (ring->size - 1);
}

/* What the driver says; of a queue without a ring, that there is nothing to do. */
uint16_t virtqueue_available(const struct virtqueue *queue)
{
    return virtqueue_is_ready(queue) ? load16(queue->ring.available + RING_INDEX) : queue->next;
}

static bool holds(const struct tenant *tenant, uint64_t address, uint64_t size, uint64_t alignment)
{
    return (address & (alignment - 1)) == 0 && tenant_owns_memory(tenant, address, size);
}

bool virtqueue_start(struct virtqueue *queue, const struct tenant *tenant)
{
    const struct virtqueue_registers *wanted = &queue->registers;
    uint64_t size = wanted->size;

    if (size == 0 || !holds(tenant, wanted->descriptors, size * DESCRIPTOR_SIZE, 16) ||
        !holds(tenant, wanted->available, size * sizeof(uint16_t) + RING_REST, 2) ||
        !holds(tenant, wanted->used, size * USED_ELEMENT_SIZE + RING_REST, 4)) {
        return false;
    }
    queue->ring = (struct virtqueue_ring){
        .descriptors = wanted->descriptors,
        .available = wanted->available,
        .used = wanted->used,
        .size = wanted->size,
    };
    return true;
}

void virtqueue_stop(struct virtqueue *queue)
{
    *queue = (struct virtqueue){0};
}

/* The descriptor `queue->following`, all of it read once. */
static bool load_descriptor(struct virtqueue *queue, const struct tenant *tenant, bool fill)
{
    uint64_t entry = queue->ring.descriptors + (uint64_t)queue->following * DESCRIPTOR_SIZE;
    uint64_t address = *(const volatile uint64_t *)entry;
    uint32_t length = *(const volatile uint32_t *)(entry + 8);
    uint16_t flags = load16(entry + 12);
    uint16_t following = load16(entry + 14);

    queue->steps++;
    queue->more = (flags & DESCRIPTOR_NEXT) != 0;
    queue->following = following;
    queue->address = address;
    queue->left = length;
    return queue->steps <= queue->ring.size && (flags & DESCRIPTOR_INDIRECT) == 0 &&
           ((flags & DESCRIPTOR_WRITE) != 0) == fill &&
           (!queue->more || following < queue->ring.size) &&
           (length == 0 ? !fill : tenant_owns_memory(tenant, address, length));
}

static enum virtqueue_state open_chain(struct virtqueue *queue)
{
    uint16_t waiting = (uint16_t)(virtqueue_available(queue) - queue->next);
    uint16_t head;

    if (waiting == 0) {
        return VIRTQUEUE_EMPTY;
    }
    FENCE_ALL(); /* the index is written after what it makes available */
    head = load16(queue->ring.available + RING_ENTRIES +
                  sizeof(uint16_t) * (uint64_t)place(&queue->ring, queue->next));
    if (waiting > queue->ring.size || head >= queue->ring.size) {
        return VIRTQUEUE_BROKEN;
    }
    queue->open = true;
    queue->more = true;
    queue->head = head;
    queue->following = head;
    queue->steps = 0;
    queue->left = 0;
    queue->written = 0;
    return VIRTQUEUE_BYTES;
}

enum virtqueue_state virtqueue_look(struct virtqueue *queue, const struct tenant *tenant, bool fill)
{
    if (!virtqueue_is_ready(queue)) {
        return VIRTQUEUE_EMPTY;
    }
    if (!queue->open) {
        enum virtqueue_state state = open_chain(queue);

        if (state != VIRTQUEUE_BYTES) {
            return state;
        }
    }
    if (queue->left != 0) {
        return VIRTQUEUE_BYTES;
    }
    if (!queue->more) {
        return VIRTQUEUE_END;
    }
    return load_descriptor(queue, tenant, fill) ? VIRTQUEUE_BYTES : VIRTQUEUE_BROKEN;
}

bool virtqueue_has_chain(const struct virtqueue *queue)
{
    return virtqueue_available(queue) != queue->next;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void advance(struct virtqueue *queue, uint32_t count)
{
    queue->address += count;
    queue->left -= count;
}

uint32_t virtqueue_read(struct virtqueue *from, void *bytes, uint32_t most)
{
    uint32_t count = least(from->left, most);

    physical_copy((uint64_t)bytes, (const void *)from->address, count);
    advance(from, count);
    return count;
}

uint32_t virtqueue_write(struct virtqueue *to, const void *bytes, uint32_t most)
{
    uint32_t count = least(to->left, most);

    physical_copy(to->address, bytes, count);
    advance(to, count);
    to->written += count;
    return count;
}

void virtqueue_copy(struct virtqueue *to, struct virtqueue *from, uint32_t most)
{
    uint32_t count = virtqueue_write(to, (const void *)from->address, least(from->left, most));

    advance(from, count);
}

/* What `address` and `left` say is of a chain that is over. */
static void close_chain(struct virtqueue *queue)
{
    queue->open = false;
    queue->more = false;
    queue->left = 0;
}

bool virtqueue_finish(struct virtqueue *queue)
{
    const struct virtqueue_ring *ring = &queue->ring;
    uint64_t element =
        ring->used + RING_ENTRIES + USED_ELEMENT_SIZE * (uint64_t)place(ring, queue->used_index);

    if (!queue->open) {
        return false;
    }
    store32(element, queue->head);
    store32(element + 4, queue->written);
    FENCE_ALL(); /* what was moved and the element come before the index */
    store16(ring->used + RING_INDEX, ++queue->used_index);
    queue->next++;
    close_chain(queue);
    FENCE_ALL(); /* the driver looks in the other order: section 2.7.7.1 */
    return (load16(ring->available) & AVAILABLE_NO_INTERRUPT) == 0;
}

void virtqueue_rewind(struct virtqueue *queue)
{
    close_chain(queue);
}

void virtqueue_ask(struct virtqueue *queue, bool notify)
{
    if (virtqueue_is_ready(queue) && queue->quiet == notify) {
        queue->quiet = !notify;
        store16(queue->ring.used, notify ? 0 : USED_NO_NOTIFY);
        FENCE_ALL(); /* before the driver that asked looks again */
    }
}
