/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile/rings.h"

#include "hostile/acts.h"
#include "rt/arguments.h"
#include "rt/check.h"
#include "rt/platform.h"
#include "rt/trap.h"
#include "rt/virtio_mmio.h"

#define MOST_QUEUES 4
#define MOST_PLACES 16
#define SLOTS_LOOKED_AT 32
#define ID_SOCKET 19
#define FIRST_CID 3
#define BUFFERS 8
#define BUFFER_SIZE 1024
#define REGISTERS_SIZE 0x200

/* Registers (virtio 1.2, section 4.2.2). */
#define DEVICE_ID 0x08
#define QUEUE_SELECT 0x30
#define QUEUE_SIZE 0x38
#define QUEUE_READY 0x44
#define QUEUE_NOTIFY 0x50
#define INTERRUPT_ACKNOWLEDGE 0x64
#define STATUS 0x70
#define QUEUE_DESCRIPTORS 0x80
#define CONFIGURATION 0x100

#define DESCRIPTOR_NEXT 1
#define DESCRIPTOR_WRITE 2
#define FEATURE_MULTIPORT 2

/* What a device is given to read and write, and may do so beyond, as far as this goes. */
struct area {
    struct virtio_queue queues[MOST_QUEUES];
    uint8_t buffers[MOST_QUEUES][BUFFERS][BUFFER_SIZE];
};

struct target {
    struct virtio_device device;
    uint32_t id;
    uint32_t queue_count;
    struct virtio_queue *queues;
    uint8_t (*buffers)[BUFFERS][BUFFER_SIZE];
};

/* Behind all else in memory, for its alignment: too long a buffer of one hits but other areas. */
static struct area areas[MOST_DEVICES];
static struct target targets[MOST_DEVICES];
static uint32_t target_count;
static uint64_t places[MOST_PLACES];
static uint32_t place_count;
/* What step() chooses from. */
static struct random random;

static uint32_t below(uint32_t limit)
{
    return (uint32_t)random_below(&random, limit);
}

static void store(const struct target *target, uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(target->device.base + offset) = value;
}

static void read_places(void)
{
    const char *text = platform_argument("touch");

    while (text != NULL && place_count < MOST_PLACES &&
           argument_number(&text, &places[place_count])) {
        place_count++;
        text += *text == ',';
    }
}

uint32_t rings_find(uint64_t only)
{
    static const uint32_t ids[] = {VIRTIO_ID_CONSOLE, VIRTIO_ID_NET, VIRTIO_ID_INPUT, ID_SOCKET};
    static const uint32_t queue_counts[] = {4, 2, 2, 3};
    struct fdt_node node;
    uint64_t size;

    for (uint32_t slot = 0; slot < SLOTS_LOOKED_AT && target_count < MOST_DEVICES &&
                            fdt_find_nth_compatible(&platform.fdt, "virtio,mmio", slot, &node);
         slot++) {
        struct target *target = &targets[target_count];

        target->queues = areas[target_count].queues;
        target->buffers = areas[target_count].buffers;
        check(fdt_reg(&platform.fdt, &node, &target->device.base, &size),
              "a slot without registers");
        target->id = *(volatile uint32_t *)(target->device.base + DEVICE_ID);
        for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
            if (target->id == ids[i] && (only == 0 || only == ids[i])) {
                target->queue_count = queue_counts[i];
                target_count++;
                break;
            }
        }
    }

    read_places();
    return target_count;
}

static uint64_t own_address(const struct target *target)
{
    uint32_t queue = below(target->queue_count);

    return below(2) == 0 ? (uintptr_t)target->buffers[queue][below(BUFFERS)]
                         : (uintptr_t)&target->queues[queue].rings + 2 * below(64);
}

static uint64_t foreign_address(void)
{
    uint64_t offset = 4 * below(1024);

    switch (below(6)) {
    case 0:
        return UINT64_MAX - offset;
    case 1:
        return platform.memory_base - 4 - offset;
    case 2:
        return platform.memory_base + platform.memory_size - below(16);
    default:
        return place_count == 0 ? offset : places[below(place_count)] + offset;
    }
}

static uint64_t any_address(const struct target *target)
{
    return below(3) == 0 ? own_address(target) : foreign_address();
}

static bool start(struct target *target)
{
    return virtio_start(&target->device, target->queues, target->queue_count,
                        target->id == VIRTIO_ID_CONSOLE ? FEATURE_MULTIPORT : 0);
}

static bool is_read(const struct target *target, uint32_t queue)
{
    return (target->id == VIRTIO_ID_CONSOLE && queue == 3) || queue == 1;
}

/* What makes the device look at a buffer: an address, a header, a message. */
static void fill(const struct target *target, uint32_t queue, uint8_t *buffer)
{
    uint64_t *words = (uint64_t *)buffer;

    for (unsigned i = 0; i < 8; i++) {
        words[i] = random_next(&random);
    }
    if (target->id == VIRTIO_ID_NET) {
        for (unsigned i = 0; i < 6; i++) {
            buffer[12 + i] = below(4) == 0 ? (uint8_t)below(256) : 0xff;
        }
    } else if (target->id == ID_SOCKET) {
        words[0] = FIRST_CID + below(2);
        words[1] = FIRST_CID + below(2);
        words[3] = below(2048);
    } else if (queue == 3) {
        words[0] = below(4) | (uint64_t)below(8) << 32 | (uint64_t)below(2) << 48;
    }
}

static void publish(struct virtio_queue *queue, uint32_t head, uint32_t count)
{
    struct virtio_available *available = &queue->rings.available;

    available->ring[queue->added % VIRTIO_QUEUE_SIZE] = (uint16_t)head;
    __asm__ volatile("fence" : : : "memory");
    queue->added = (uint16_t)(queue->added + count);
    *(volatile uint16_t *)&available->index = queue->added;
}

/* A chain of a few buffers; some of it may be wrong. */
static void add_chain(struct target *target, uint32_t queue)
{
    struct virtio_rings *rings = &target->queues[queue].rings;
    uint16_t write = is_read(target, queue) ? 0 : DESCRIPTOR_WRITE;
    uint32_t head = below(VIRTIO_QUEUE_SIZE);
    uint32_t length = 1 + below(3);

    for (uint32_t i = 0; i < length; i++) {
        uint32_t number = (head + i) % VIRTIO_QUEUE_SIZE;
        uint8_t *buffer = target->buffers[queue][number % BUFFERS];
        struct virtio_descriptor descriptor = {(uintptr_t)buffer, below(BUFFER_SIZE), write,
                                               (uint16_t)((number + 1) % VIRTIO_QUEUE_SIZE)};

        fill(target, queue, buffer);
        descriptor.flags |= i + 1 < length ? DESCRIPTOR_NEXT : 0;
        if (below(24) == 0) {
            descriptor.address = any_address(target);
        } else if (below(24) == 0) {
            descriptor.length = (uint32_t)(random_next(&random) >> below(64));
        } else if (below(24) == 0) {
            descriptor.flags = (uint16_t)below(8);
        }
        rings->descriptors[number] = descriptor;
    }
    publish(&target->queues[queue], head, 1);
}

static void corrupt(struct target *target, uint32_t queue)
{
    struct virtio_rings *rings = &target->queues[queue].rings;
    struct virtio_descriptor *descriptor = &rings->descriptors[below(VIRTIO_QUEUE_SIZE)];

    switch (below(6)) {
    case 0:
        descriptor->address = any_address(target);
        break;
    case 1:
        descriptor->length = (uint32_t)random_next(&random);
        break;
    case 2:
        descriptor->next = (uint16_t)below(2 * VIRTIO_QUEUE_SIZE);
        descriptor->flags = (uint16_t)below(8);
        break;
    case 3:
        publish(&target->queues[queue], below(VIRTIO_QUEUE_SIZE), below(VIRTIO_QUEUE_SIZE));
        break;
    case 4:
        rings->available.flags ^= 1;
        break;
    default:
        rings->used.index = (uint16_t)random_next(&random);
        break;
    }
}

/* Takes a queue away, whatever it is doing, and says that it is somewhere else. */
static void move(const struct target *target, uint32_t queue)
{
    store(target, QUEUE_SELECT, queue);
    store(target, QUEUE_READY, 0);
    for (uint32_t part = 0; part < 3; part++) {
        uint64_t address = any_address(target);

        store(target, QUEUE_DESCRIPTORS + 16 * part, (uint32_t)address);
        store(target, QUEUE_DESCRIPTORS + 16 * part + 4, (uint32_t)(address >> 32));
    }
    if (below(4) == 0) {
        store(target, QUEUE_READY, 1);
    }
}

/* Misaligned accesses, and those of 64 bits, may be faults: that is an answer, too. */
static void access_any(const struct target *target)
{
    uint64_t address = target->device.base + below(REGISTERS_SIZE);
    struct trap_fault fault;
    uint64_t value;
    uint8_t byte;

    switch (below(6)) {
    case 0:
        (void)trap_try_read64(address, &value, &fault);
        break;
    case 1:
        (void)trap_try_write64(address, random_next(&random), &fault);
        break;
    case 2:
        (void)trap_try_read8(address, &byte, &fault);
        break;
    case 3:
        (void)trap_try_write8(address, (uint8_t)below(256), &fault);
        break;
    case 4:
        (void)*(volatile uint16_t *)(address & ~1ul);
        *(volatile uint16_t *)(address & ~1ul) = (uint16_t)below(65536);
        break;
    default:
        (void)*(volatile uint32_t *)(address & ~3ul);
        store(target, below(REGISTERS_SIZE) & ~3u, below(256));
        break;
    }
}

/* Comes and goes, with all that the other ends are told of it. */
static void flap(const struct target *target)
{
    for (unsigned i = 0; i < 32; i++) {
        store(target, STATUS, i % 2 == 0 ? 0 : 15);
        store(target, STATUS, below(16));
    }
}

/* Chains that are soon done with, as fast as they are taken. */
static void flood(struct target *target)
{
    uint32_t queue = target->queue_count > 1 ? 1 : 0;

    for (unsigned i = 0; i < 16; i++) {
        target->queues[queue].rings.descriptors[i % VIRTIO_QUEUE_SIZE] =
            (struct virtio_descriptor){(uintptr_t)target->buffers[queue][0], below(14), 0, 0};
        publish(&target->queues[queue], i % VIRTIO_QUEUE_SIZE, 1);
        store(target, QUEUE_NOTIFY, queue);
    }
}

/* One of the steps of the bits `steps`, at one device. */
static void step(struct target *target, uint64_t steps)
{
    uint32_t queue = below(target->queue_count);
    uint32_t choice = below(16);

    if ((steps >> choice & 1) == 0) {
        return;
    }
    switch (choice) {
    case 0:
        (void)start(target);
        break;
    case 1:
        move(target, queue);
        break;
    case 2:
        corrupt(target, queue);
        break;
    case 3:
        access_any(target);
        break;
    case 4:
        flap(target);
        break;
    case 5:
        flood(target);
        break;
    case 6:
        store(target, INTERRUPT_ACKNOWLEDGE, below(4));
        break;
    case 7:
        store(target, QUEUE_SELECT, queue);
        store(target, QUEUE_READY, below(2));
        break;
    case 8:
    case 9:
    case 10:
        store(target, QUEUE_NOTIFY, below(target->queue_count + 1));
        break;
    default:
        add_chain(target, queue);
        store(target, QUEUE_NOTIFY, queue);
        break;
    }
}

void rings_step(struct random *source, uint32_t number, uint64_t steps)
{
    random = *source;
    step(&targets[number % target_count], steps);
    *source = random;
}

bool rings_start(uint32_t number)
{
    return start(&targets[number]);
}

uint32_t rings_places(void)
{
    return place_count;
}

bool act_rings_begin(void)
{
    return rings_find(0) != 0;
}

enum outcome act_rings(struct random *source)
{
    uint32_t number = (uint32_t)random_below(source, target_count);

    if (random_below(source, 8) == 0) {
        (void)start(&targets[number]);
    }
    rings_step(source, number, UINT64_MAX);
    return OUTCOME_DONE;
}
