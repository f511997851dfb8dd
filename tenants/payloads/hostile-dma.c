/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has its own devices reach for memory that is not its own: an entropy device writes there, a disk
 * reads from there. Each attempt has to leave the device stopped (DEVICE_NEEDS_RESET) with nothing
 * done, and the next reset has to make it work again. In the end it changes descriptors that the
 * device has been given, over and over; whoever owns the memory that they then name looks whether
 * that did anything.
 *
 * Arguments: touch=0x...,0x...  addresses of others, with a page behind each
 *            disk=yes           there is a disk; its first sector is lost
 *            rounds=N           changes of descriptors (default 2000)
 */
#include <stddef.h>
#include <string.h>

#include "rt/arguments.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/virtio_mmio.h"

#define ID_BLOCK 2
#define STATUS 0x70
#define QUEUE_NOTIFY 0x50
#define QUEUE_READY 0x44
#define QUEUE_SIZE 0x38
#define QUEUE_SELECT 0x30
#define QUEUE_PARTS 0x80
#define NEEDS_RESET 0x40

#define NEXT 1
#define WRITE 2
#define INDIRECT 4
#define LENGTH 64
#define SECTOR 512
#define WAIT_US 20000
#define ANSWER_US 2000000

/* Section 5.2.6. */
#define BLOCK_IN 0
#define BLOCK_OUT 1
#define BLOCK_OK 0

struct block_header {
    uint32_t type;
    uint32_t reserved;
    uint64_t sector;
};

const char payload_name[] = "hostile-dma";

static struct virtio_device entropy;
static struct virtio_device disk;
static struct virtio_queue queue;
static uint8_t own[SECTOR] __attribute__((aligned(SECTOR)));
static struct virtio_descriptor table[2] __attribute__((aligned(16)));
static struct block_header header;
static uint8_t result;
static uint64_t attempts;

static volatile uint32_t *at(const struct virtio_device *device, uint32_t offset)
{
    return (volatile uint32_t *)(device->base + offset);
}

static void order(void)
{
    __asm__ volatile("fence iorw, iorw" : : : "memory");
}

static void describe(unsigned index, uint64_t address, uint32_t length, uint16_t flags)
{
    queue.rings.descriptors[index] = (struct virtio_descriptor){
        .address = address,
        .length = length,
        .flags = flags,
        .next = (uint16_t)(index + 1),
    };
}

/* Makes the chain that begins with descriptor 0 available. */
static void offer(const struct virtio_device *device)
{
    struct virtio_available *available = &queue.rings.available;

    available->ring[queue.added % VIRTIO_QUEUE_SIZE] = 0;
    order();
    queue.added++;
    *(volatile uint16_t *)&available->index = queue.added;
    order();
    *at(device, QUEUE_NOTIFY) = 0;
}

static bool is_used(uint64_t microseconds)
{
    uint64_t end = clock_now() + clock_ticks(microseconds);

    while (clock_now() < end) {
        if (virtio_has_result(&queue)) {
            queue.taken++;
            order();
            return true;
        }
    }
    return false;
}

static void start(struct virtio_device *device)
{
    check(virtio_start(device, &queue, 1, 0), "after %lu attempts the device does not start",
          attempts);
}

static void try_chain(struct virtio_device *device, const char *how, uint64_t address)
{
    attempts++;
    offer(device);
    check(!is_used(WAIT_US), "the device has taken %s 0x%lx", how, address);
    check((*at(device, STATUS) & NEEDS_RESET) != 0, "%s 0x%lx: status 0x%x", how, address,
          *at(device, STATUS));
    start(device);
    describe(0, (uintptr_t)own, LENGTH, WRITE);
}

static void reach_for(uint64_t address, uint32_t length)
{
    describe(0, address, length, WRITE);
    try_chain(&entropy, "a buffer at", address);
    describe(0, (uintptr_t)own, LENGTH, WRITE | NEXT);
    describe(1, address, length, WRITE);
    try_chain(&entropy, "the second buffer at", address);
    table[0] = (struct virtio_descriptor){.address = address, .length = length, .flags = WRITE};
    describe(0, (uintptr_t)table, sizeof(table[0]), INDIRECT);
    try_chain(&entropy, "a table that names", address);
}

/* The device would write to a used ring there, and read the other parts. */
static void place_queue_at(uint64_t address)
{
    for (uint32_t part = 0; part < 3; part++) {
        *at(&entropy, STATUS) = 0;
        *at(&entropy, STATUS) = 3;
        *at(&entropy, QUEUE_SELECT) = 0;
        *at(&entropy, QUEUE_SIZE) = VIRTIO_QUEUE_SIZE;
        for (uint32_t each = 0; each < 3; each++) {
            uint64_t place = each == part ? address : (uintptr_t)&queue.rings + 1024ul * each;

            *at(&entropy, QUEUE_PARTS + 16 * each) = (uint32_t)place;
            *at(&entropy, QUEUE_PARTS + 16 * each + 4) = (uint32_t)(place >> 32);
        }
        *at(&entropy, QUEUE_READY) = 1;
        attempts++;
        check(*at(&entropy, QUEUE_READY) == 0, "part %u of a queue is at 0x%lx", part, address);
    }
    start(&entropy);
}

static bool transfer(uint32_t type, uint64_t address, uint64_t microseconds)
{
    header = (struct block_header){.type = type, .sector = 0};
    result = 0xff;
    describe(0, (uintptr_t)&header, sizeof(header), NEXT);
    describe(1, address, SECTOR, (uint16_t)(NEXT | (type == BLOCK_IN ? WRITE : 0)));
    describe(2, (uintptr_t)&result, 1, WRITE);
    offer(&disk);
    return is_used(microseconds) && *(volatile uint8_t *)&result == BLOCK_OK;
}

/* The disk takes its data from there, and gives it back. */
static void spy(uint64_t address)
{
    start(&disk);
    attempts++;
    check(!transfer(BLOCK_OUT, address, WAIT_US), "the disk has read from 0x%lx", address);
    start(&disk);
    check(transfer(BLOCK_OUT, (uintptr_t)own, ANSWER_US), "the disk does not write");
    memset(own, 0, sizeof(own));
    check(transfer(BLOCK_IN, (uintptr_t)own, ANSWER_US), "the disk does not read");
}

/* Between the check and the use. */
static void change_behind(uint64_t address, uint64_t rounds)
{
    uint64_t answered = 0;

    for (uint64_t round = 0; round < rounds; round++) {
        describe(0, (uintptr_t)own, LENGTH, WRITE);
        offer(&entropy);
        describe(0, address, 4096, WRITE);
        order();
        answered += is_used(WAIT_US);
    }
    check(answered == rounds, "of %lu requests %lu were answered", rounds, answered);
}

void main(void)
{
    const char *list = platform_argument("touch");
    uint64_t rounds = platform_number("rounds", 2000);
    bool has_disk = platform_argument("disk") != NULL;
    uint64_t end = platform.memory_base + platform.memory_size;
    uint64_t address;

    check(virtio_find(&entropy, VIRTIO_ID_ENTROPY), "there is no entropy device");
    check(!has_disk || virtio_find(&disk, ID_BLOCK), "there is no disk");
    start(&entropy);
    while (list != NULL && argument_number(&list, &address)) {
        print("hostile-dma: trying 0x%lx\n", address);
        reach_for(address, LENGTH);
        place_queue_at(address);
        if (has_disk) {
            spy(address);
            start(&entropy);
        }
        change_behind(address, rounds);
        list += *list == ',';
    }
    reach_for(end - 1, 2);
    reach_for(platform.memory_base - 1, 2);
    reach_for(UINT64_MAX - LENGTH / 2, LENGTH);
    reach_for((uintptr_t)own, UINT32_MAX);
    place_queue_at(end - 16);
    print("hostile-dma: attempts=%lu\n", attempts);
    check_pass();
}
