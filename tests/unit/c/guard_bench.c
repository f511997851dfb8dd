/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "guard_bench.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/csr.h"
#include "arch/mmio.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/shared_lock.h"

#define MAGIC 0x74726976
#define RANGES 2
#define HOLE 16
/* Descriptors of which it is remembered what they have been since the device was waited for. */
#define MEMORY 64

struct bench_device bench_device;
struct vhart bench_vhart;

static struct bundle_tenant description;
static uint8_t *memory; /* two ranges of BENCH_PAGES pages, a hole between them */

/* What a device may have read of each word of a descriptor, and not yet used. */
static struct past {
    uint64_t addresses[MEMORY];
    uint32_t lengths[MEMORY];
    unsigned count;
} pasts[GUARD_MOST_QUEUES][SHADOW_SIZE];

bool shared_lock_has_waiting(void)
{
    return false;
}

static void set_half(uint64_t *value, bool upper, uint32_t bits)
{
    *value = upper ? (uint32_t)*value | (uint64_t)bits << 32 : (*value & ~0xfffffffful) | bits;
}

static void reset_device(void)
{
    bench_device.status = 0;
    bench_device.interrupt = 0;
    bench_device.driver_features = 0;
    memset(bench_device.queues, 0, sizeof(bench_device.queues));
    memset(pasts, 0, sizeof(pasts));
    bench_device.resets++;
}

uint32_t mmio_read32(uint64_t address)
{
    uint32_t offset = (uint32_t)(address - BENCH_BASE);
    uint32_t value;

    assert(address >= BENCH_BASE && offset < GUARD_REGISTERS_SIZE && offset % 4 == 0);
    switch (offset) {
    case 0:
        bench_device.waits++;
        return MAGIC;
    case 4:
        return bench_device.version;
    case BENCH_DEVICE_ID:
        return bench_device.id;
    case BENCH_DEVICE_FEATURES:
        return (uint32_t)(bench_device.features >> 32 * bench_device.selects[0]);
    case BENCH_QUEUE_SIZE_MAX:
        return bench_device.size_max;
    case BENCH_INTERRUPT:
        return bench_device.interrupt;
    case BENCH_STATUS:
        return bench_device.status;
    case BENCH_VENDOR_ID:
    case BENCH_GENERATION:
        return 0;
    default:
        assert(offset >= BENCH_CONFIGURATION);
        memcpy(&value, &bench_device.configuration[offset - BENCH_CONFIGURATION], sizeof(value));
        return value;
    }
}

uint8_t mmio_read8(uint64_t address)
{
    assert(address - BENCH_BASE - BENCH_CONFIGURATION < 0x100);
    return bench_device.configuration[address - BENCH_BASE - BENCH_CONFIGURATION];
}

uint16_t mmio_read16(uint64_t address)
{
    assert(address % 2 == 0);
    return (uint16_t)(mmio_read8(address) | mmio_read8(address + 1) << 8);
}

void mmio_write8(uint64_t address, uint8_t value)
{
    assert(address - BENCH_BASE - BENCH_CONFIGURATION < 0x100);
    bench_device.configuration[address - BENCH_BASE - BENCH_CONFIGURATION] = value;
}

void mmio_write16(uint64_t address, uint16_t value)
{
    assert(address % 2 == 0);
    mmio_write8(address, (uint8_t)value);
    mmio_write8(address + 1, (uint8_t)(value >> 8));
}

static void begin_queue(struct bench_device_queue *queue)
{
    uint64_t size = queue->size;

    assert(!queue->ready && size != 0 && size <= SHADOW_SIZE);
    /* What the device reads is the monitor's, what it writes is the tenant's. */
    assert(!bench_owns(queue->places[0], 1) && !bench_owns(queue->places[1], 1));
    assert(bench_owns(queue->places[2], 6 + 8 * size));
    queue->ready = true;
}

static void write_queue(uint32_t offset, uint32_t value)
{
    struct bench_device_queue *queue = &bench_device.queues[bench_device.selects[2]];

    assert(bench_device.selects[2] < GUARD_MOST_QUEUES);
    switch (offset) {
    case BENCH_QUEUE_SIZE_REGISTER:
        queue->size = value;
        break;
    case BENCH_QUEUE_READY:
        assert(value == 1);
        begin_queue(queue);
        break;
    default:
        assert(offset >= BENCH_DESCRIPTORS && offset < 0xa8);
        set_half(&queue->places[offset / 16 - 8], offset % 16 != 0, value);
        break;
    }
}

void mmio_write32(uint64_t address, uint32_t value)
{
    uint32_t offset = (uint32_t)(address - BENCH_BASE);

    assert(address >= BENCH_BASE && offset < GUARD_REGISTERS_SIZE && offset % 4 == 0);
    switch (offset) {
    case BENCH_DEVICE_FEATURES_SELECT:
        bench_device.selects[0] = value;
        break;
    case BENCH_DRIVER_FEATURES_SELECT:
        bench_device.selects[1] = value;
        break;
    case BENCH_QUEUE_SELECT:
        bench_device.selects[2] = value;
        break;
    case BENCH_DRIVER_FEATURES:
        set_half(&bench_device.driver_features, bench_device.selects[1] != 0, value);
        break;
    case BENCH_NOTIFY:
        assert(value < GUARD_MOST_QUEUES && bench_device.queues[value].ready);
        bench_device.queues[value].notified++;
        break;
    case BENCH_ACKNOWLEDGE:
        bench_device.interrupt &= ~value;
        break;
    case BENCH_STATUS:
        bench_device.status = value;
        if (value == 0) {
            reset_device();
        }
        break;
    default:
        if (offset >= BENCH_CONFIGURATION) {
            memcpy(&bench_device.configuration[offset - BENCH_CONFIGURATION], &value,
                   sizeof(value));
        } else {
            write_queue(offset, value);
        }
        break;
    }
}

static void map(void)
{
    if (memory != NULL) {
        memset(memory, 0, BENCH_PAGES * BENCH_PAGE);
        memset(memory + (BENCH_PAGES + HOLE) * BENCH_PAGE, 0, BENCH_PAGES * BENCH_PAGE);
        return;
    }
    memory = mmap(NULL, (2 * BENCH_PAGES + HOLE) * BENCH_PAGE, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    for (unsigned i = 0; i < RANGES; i++) {
        assert(mprotect(memory + i * (BENCH_PAGES + HOLE) * BENCH_PAGE, BENCH_PAGES * BENCH_PAGE,
                        PROT_READ | PROT_WRITE) == 0);
    }
}

void bench_make(uint32_t id)
{
    static struct hart hart;

    map();
    memset(&bench_device, 0, sizeof(bench_device));
    memset(pasts, 0, sizeof(pasts));
    memset(guards, 0, sizeof(guards));
    guard_count = 0;
    csr_file_write("mip", 0);
    hart.features = HART_ALONE;
    csr_file_write("tp", (uintptr_t)&hart);
    bench_device.version = 2;
    bench_device.id = id;
    bench_device.features = UINT64_MAX;
    bench_device.size_max = 1024;
    description = (struct bundle_tenant){0};
    for (unsigned i = 0; i < RANGES; i++) {
        description.memory[2 * i] = (struct bundle_range){
            (uintptr_t)memory + i * (BENCH_PAGES + HOLE) * BENCH_PAGE, BENCH_PAGES * BENCH_PAGE};
    }
    description.resets[0] = (struct bundle_reset){
        .base = BENCH_BASE,
        .kind = COTENANT_DEVICE_RESET_VIRTIO_MMIO,
    };
    tenants[0].description = &description;
    tenant_count = 1;
    machine_begins();
    bench_vhart = (struct vhart){.tenant = &tenants[0]};
}

void bench_give_back(void)
{
    FOR_EACH_IN_TABLE(gives_back, part)
    {
        uint16_t next = 0;
        unsigned room = GIVE_BACK_ROOM;

        while (!(*part)(&tenants[0], &next, &room)) {
            room = GIVE_BACK_ROOM;
        }
    }
}

uint32_t bench_load(uint32_t offset)
{
    uint64_t value = ~0ul;

    assert(guard_access(&bench_vhart, BENCH_BASE + offset, 4, false, &value) == MMIO_DONE);
    assert(value <= UINT32_MAX);
    return (uint32_t)value;
}

/* What each shadow descriptor is now: a device may read one word of it now and one later. */
static void remember(bool waited)
{
    for (uint32_t i = 0; i < GUARD_MOST_QUEUES; i++) {
        const struct shadow_queue *queue = &guards[0].queues[i];

        for (uint32_t slot = 0; queue->ready && slot < SHADOW_SIZE; slot++) {
            const struct shadow_descriptor *now = &queue->rings.descriptors[slot];
            struct past *past = &pasts[i][slot];
            unsigned last = past->count - 1;

            if ((queue->written[slot / 64] >> slot % 64 & 1) == 0 ||
                (past->count != 0 && past->addresses[last] == now->address &&
                 past->lengths[last] == (uint32_t)now->rest)) {
                continue;
            }
            if (past->count == MEMORY || waited) {
                past->count = 0;
            }
            past->addresses[past->count] = now->address;
            past->lengths[past->count++] = (uint32_t)now->rest;
        }
    }
}

bool bench_store_once(uint32_t offset, uint32_t value)
{
    uint64_t wide = value;
    unsigned waits = bench_device.waits;
    enum mmio_result result;

    result = guard_access(&bench_vhart, BENCH_BASE + offset, 4, true, &wide);
    assert(result != MMIO_FAULT);
    remember(bench_device.waits >= waits + 2);
    bench_check();
    return result == MMIO_DONE;
}

void bench_store(uint32_t offset, uint32_t value)
{
    while (!bench_store_once(offset, value)) {
    }
}

uint64_t bench_page(uint32_t number)
{
    uint32_t page = number < 100 ? number : number - 100 + BENCH_PAGES + HOLE;

    return (uintptr_t)memory + page * BENCH_PAGE;
}

bool bench_owns(uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        unsigned __int128 end = (unsigned __int128)address + size;
        const struct bundle_range *range = &description.memory[i];

        if (address >= range->base && end <= range->base + range->size && range->size != 0) {
            return true;
        }
    }
    return false;
}

struct bench_rings *bench_rings(uint32_t queue)
{
    return (struct bench_rings *)(uintptr_t)bench_page(queue);
}

void bench_place(uint32_t queue, uint32_t size)
{
    const struct bench_rings *rings = bench_rings(queue);
    const uint64_t places[] = {(uintptr_t)rings->descriptors, (uintptr_t)&rings->available,
                               (uintptr_t)&rings->used};

    bench_store(BENCH_QUEUE_SELECT, queue);
    bench_store(BENCH_QUEUE_SIZE_REGISTER, size);
    for (uint32_t i = 0; i < 3; i++) {
        bench_store(BENCH_DESCRIPTORS + 16 * i, (uint32_t)places[i]);
        bench_store(BENCH_DESCRIPTORS + 16 * i + 4, (uint32_t)(places[i] >> 32));
    }
    bench_store(BENCH_QUEUE_READY, 1);
}

bool bench_start(uint64_t features)
{
    bench_store(BENCH_STATUS, 0);
    bench_store(BENCH_STATUS, 3);
    for (uint32_t i = 0; i < 2; i++) {
        bench_store(BENCH_DRIVER_FEATURES_SELECT, i);
        bench_store(BENCH_DRIVER_FEATURES, (uint32_t)(features >> 32 * i));
    }
    bench_store(BENCH_STATUS, 0xb);
    if ((bench_load(BENCH_STATUS) & 8) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < guards[0].type->queues; i++) {
        memset(bench_rings(i), 0, sizeof(struct bench_rings));
        bench_place(i, BENCH_QUEUE_SIZE);
    }
    bench_store(BENCH_STATUS, 0xf);
    return bench_load(BENCH_STATUS) == 0xf;
}

void bench_describe(uint32_t queue, uint32_t index, uint64_t address, uint32_t length,
                    uint16_t flags, uint16_t next)
{
    bench_rings(queue)->descriptors[index] =
        (struct bench_descriptor){address, length, flags, next};
}

void bench_offer(uint32_t queue, uint16_t head)
{
    struct bench_rings *rings = bench_rings(queue);

    rings->available.ring[rings->available.index++ % BENCH_QUEUE_SIZE] = head;
}

int bench_take(uint32_t number, struct bench_descriptor *found, int most)
{
    struct bench_device_queue *queue = &bench_device.queues[number];
    const uint16_t *available = (const uint16_t *)(uintptr_t)queue->places[1];
    const struct bench_descriptor *table =
        (const struct bench_descriptor *)(uintptr_t)queue->places[0];
    uint16_t next;

    if (!queue->ready || available[1] == queue->taken) {
        return 0;
    }
    assert(available[0] == 0);
    next = available[2 + queue->taken++ % queue->size];
    for (int i = 0; i < (int)queue->size; i++) {
        assert(next < queue->size);
        assert((table[next].flags & ~3) == 0);
        assert(bench_owns(table[next].address, table[next].length));
        if (i < most) {
            found[i] = table[next];
        }
        if ((table[next].flags & 1) == 0) {
            return i + 1;
        }
        next = table[next].next;
    }
    return -1;
}

void bench_check(void)
{
    for (uint32_t i = 0; i < GUARD_MOST_QUEUES; i++) {
        for (uint32_t slot = 0; bench_device.queues[i].ready && slot < SHADOW_SIZE; slot++) {
            const struct past *past = &pasts[i][slot];

            for (unsigned a = 0; a < past->count; a++) {
                for (unsigned b = 0; b < past->count; b++) {
                    assert(bench_owns(past->addresses[a], past->lengths[b]));
                }
            }
        }
    }
}
