/* SPDX-License-Identifier: BSD-2-Clause */
#include "virtio_ring.h"

#include <stddef.h>

#include "memory.h"

#define DESCRIPTOR_NEXT 1
#define DESCRIPTOR_WRITE 2
#define DESCRIPTORS_ALIGNMENT 16

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
};

struct used_element {
    uint32_t head;
    uint32_t length;
};

/* Of both rings: flags, an index, and the elements. */
#define RING_FLAGS 0
#define RING_INDEX 2
#define RING_ELEMENTS 4
#define AVAILABLE_NO_INTERRUPT 1
#define USED_NO_NOTICE 1

uint64_t ring_descriptors_size(const struct virtio_queue *queue)
{
    return (uint64_t)queue->size * sizeof(struct descriptor);
}

uint64_t ring_available_size(const struct virtio_queue *queue)
{
    return RING_ELEMENTS + 2ull * queue->size;
}

uint64_t ring_used_size(const struct virtio_queue *queue)
{
    return RING_ELEMENTS + (uint64_t)queue->size * sizeof(struct used_element);
}

/* NULL: it is not in the guest's memory, or not aligned. */
static uint8_t *available_ring(const struct virtio_queue *queue)
{
    uint8_t *ring = queue->ready ? memory_at(queue->available, ring_available_size(queue)) : NULL;

    return ((uintptr_t)ring & 1) != 0 ? NULL : ring;
}

static uint8_t *used_ring(const struct virtio_queue *queue)
{
    uint8_t *ring = queue->ready ? memory_at(queue->used, ring_used_size(queue)) : NULL;

    return ((uintptr_t)ring & 3) != 0 ? NULL : ring;
}

static uint16_t *half(uint8_t *ring, size_t offset)
{
    return (uint16_t *)(ring + offset);
}

void ring_go_on(struct virtio_queue *queue)
{
    uint8_t *ring = used_ring(queue);

    queue->next = ring == NULL ? 0 : __atomic_load_n(half(ring, RING_INDEX), __ATOMIC_RELAXED);
}

static uint16_t *available_slot(uint8_t *ring, const struct virtio_queue *queue, uint16_t index)
{
    return half(ring, RING_ELEMENTS + 2ull * (index % queue->size));
}

static uint16_t used_head(uint8_t *ring, const struct virtio_queue *queue, uint16_t index)
{
    return __atomic_load_n(
        half(ring, RING_ELEMENTS + (uint64_t)(index % queue->size) * sizeof(struct used_element)),
        __ATOMIC_RELAXED);
}

/* Counts a request that was made or, with -1, given back. Nonsense is the guest's own. */
static void count_head(struct ring_watch *watch, uint16_t head, int change)
{
    if (head < VIRTIO_QUEUE_SIZE) {
        watch->open[head] = (int8_t)(watch->open[head] + change);
    }
}

void ring_watch(const struct virtio_queue *queue, struct ring_watch *watch)
{
    uint8_t *available = available_ring(queue), *used = used_ring(queue);
    uint16_t made, done;

    if (available == NULL || used == NULL) {
        watch->lost = true;
        return;
    }
    /* In this order: what was given back was made before. */
    done = __atomic_load_n(half(used, RING_INDEX), __ATOMIC_ACQUIRE);
    made = __atomic_load_n(half(available, RING_INDEX), __ATOMIC_ACQUIRE);
    watch->lost |= (uint16_t)(done - watch->used) > queue->size ||
                   (uint16_t)(made - watch->available) > queue->size;
    for (; !watch->lost && watch->available != made; watch->available++) {
        uint16_t *slot = available_slot(available, queue, watch->available);

        count_head(watch, __atomic_load_n(slot, __ATOMIC_RELAXED), 1);
    }
    for (; !watch->lost && watch->used != done; watch->used++) {
        count_head(watch, used_head(used, queue, watch->used), -1);
    }
}

/*
 * Of the open requests, the newest mention of each in the available ring is its own. A request that
 * is so old that the ring has forgotten it comes first.
 */
static unsigned order_open(struct ring_watch *watch, const struct virtio_queue *queue,
                           uint8_t *available, uint16_t *heads)
{
    unsigned left = queue->size;

    for (unsigned back = 1; back <= queue->size; back++) {
        uint16_t *slot = available_slot(available, queue, (uint16_t)(watch->available - back));
        uint16_t head = __atomic_load_n(slot, __ATOMIC_RELAXED);

        if (head < queue->size && watch->open[head] > 0) {
            watch->open[head] = 0;
            heads[--left] = head;
        }
    }
    for (unsigned head = 0; head < queue->size; head++) {
        if (watch->open[head] > 0) {
            heads[--left] = (uint16_t)head;
        }
    }
    return left;
}

void ring_hand_over(struct virtio_queue *queue, struct ring_watch *watch)
{
    uint8_t *available = available_ring(queue);
    uint16_t heads[VIRTIO_QUEUE_SIZE];
    unsigned first;

    ring_watch(queue, watch);
    ring_go_on(queue);
    if (available == NULL || watch->lost) {
        return; /* as for requests that were given back in their order */
    }
    first = order_open(watch, queue, available, heads);
    /* The driver never reads what it wrote there, and writes elsewhere as long as they are open. */
    for (unsigned i = first;
         i < queue->size && queue->size - first == (uint16_t)(watch->available - watch->used);
         i++) {
        __atomic_store_n(available_slot(available, queue, (uint16_t)(watch->used + i - first)),
                         heads[i], __ATOMIC_RELEASE);
    }
    *watch = (struct ring_watch){.available = watch->used, .used = watch->used};
}

static bool has_more(uint8_t *ring, const struct virtio_queue *queue)
{
    return ring != NULL && __atomic_load_n(half(ring, RING_INDEX), __ATOMIC_ACQUIRE) != queue->next;
}

bool ring_has_more(const struct virtio_queue *queue)
{
    return has_more(available_ring(queue), queue);
}

bool ring_take_head(struct virtio_queue *queue, uint16_t *head)
{
    uint8_t *ring = available_ring(queue);

    if (!has_more(ring, queue)) {
        return false;
    }
    *head = __atomic_load_n(available_slot(ring, queue, queue->next), __ATOMIC_RELAXED);
    queue->next++;
    return true;
}

/* Adds what a descriptor tells. False: it is not as it should be. */
static bool add_piece(struct virtio_request *request, const struct descriptor *descriptor)
{
    void *bytes = memory_at(descriptor->address, descriptor->length);
    struct iovec piece = {bytes, descriptor->length};

    if (bytes == NULL) {
        return false;
    }
    if ((descriptor->flags & DESCRIPTOR_WRITE) != 0) {
        request->write[request->write_count++] = piece;
        return true;
    }
    request->read[request->read_count++] = piece;
    return request->write_count == 0;
}

/* The table; NULL: it is not in the guest's memory, or not aligned. */
static const struct descriptor *descriptors(const struct virtio_queue *queue)
{
    const void *table = memory_at(queue->descriptors, ring_descriptors_size(queue));

    return ((uintptr_t)table & (DESCRIPTORS_ALIGNMENT - 1)) != 0 ? NULL : table;
}

/* Follows the chain of descriptors; it is no longer than the queue. */
bool ring_read_chain(const struct virtio_queue *queue, struct virtio_request *request)
{
    const struct descriptor *table = descriptors(queue);
    uint16_t number = request->head;

    request->read_count = request->write_count = 0;
    for (uint32_t i = 0; table != NULL && i < queue->size && number < queue->size; i++) {
        /* One copy is checked and used, whatever the guest writes meanwhile. */
        const struct descriptor descriptor = {
            .address = __atomic_load_n(&table[number].address, __ATOMIC_RELAXED),
            .length = __atomic_load_n(&table[number].length, __ATOMIC_RELAXED),
            .flags = __atomic_load_n(&table[number].flags, __ATOMIC_RELAXED),
            .next = __atomic_load_n(&table[number].next, __ATOMIC_RELAXED),
        };

        if (!add_piece(request, &descriptor)) {
            return false;
        }
        if ((descriptor.flags & DESCRIPTOR_NEXT) == 0) {
            return true;
        }
        number = descriptor.next;
    }
    return false;
}

bool ring_put_used(const struct virtio_queue *queue, uint16_t head, uint32_t written)
{
    struct used_element *element;
    uint8_t *ring = used_ring(queue), *available = available_ring(queue);
    uint16_t index;

    if (ring == NULL) {
        return false;
    }
    index = __atomic_load_n(half(ring, RING_INDEX), __ATOMIC_RELAXED);
    element = (struct used_element *)(ring + RING_ELEMENTS) + index % queue->size;
    __atomic_store_n(&element->head, head, __ATOMIC_RELAXED);
    __atomic_store_n(&element->length, written, __ATOMIC_RELAXED);
    __atomic_store_n(half(ring, RING_INDEX), (uint16_t)(index + 1), __ATOMIC_RELEASE);
    /* The driver writes the flag and looks at the index then; we do it the other way round. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return available == NULL || (__atomic_load_n(half(available, RING_FLAGS), __ATOMIC_RELAXED) &
                                 AVAILABLE_NO_INTERRUPT) == 0;
}

void ring_want_notices(const struct virtio_queue *queue, bool wanted)
{
    uint8_t *ring = used_ring(queue);

    if (ring != NULL) {
        __atomic_store_n(half(ring, RING_FLAGS), wanted ? 0 : USED_NO_NOTICE, __ATOMIC_RELAXED);
        /* Requests are looked for only then: one that comes now is seen, or told. */
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
}
