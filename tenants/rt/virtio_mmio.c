/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/virtio_mmio.h"

#include <stddef.h>

#include "rt/platform.h"

/* Registers, section 4.2.2; those of the legacy transport, section 4.2.4. */
#define MAGIC 0x00
#define VERSION 0x04
#define DEVICE_ID 0x08
#define DRIVER_FEATURES 0x20
#define DEVICE_FEATURES 0x10
#define DEVICE_FEATURES_SELECT 0x14
#define DRIVER_FEATURES_SELECT 0x24
#define LEGACY_PAGE_SIZE 0x28
#define QUEUE_SELECT 0x30
#define QUEUE_SIZE_MAX 0x34
#define QUEUE_SIZE 0x38
#define LEGACY_QUEUE_ALIGN 0x3c
#define LEGACY_QUEUE_PAGE 0x40
#define QUEUE_READY 0x44
#define QUEUE_NOTIFY 0x50
#define INTERRUPT_STATUS 0x60
#define INTERRUPT_ACKNOWLEDGE 0x64
#define STATUS 0x70
#define QUEUE_DESCRIPTORS 0x80
#define QUEUE_DRIVER 0x90
#define QUEUE_DEVICE 0xa0
#define CONFIGURATION 0x100

#define MAGIC_VALUE 0x74726976
#define VERSION_LEGACY 1
#define VERSION_MODERN 2

/* Device status, section 2.1. */
#define STATUS_ACKNOWLEDGE 1
#define STATUS_DRIVER 2
#define STATUS_DRIVER_OK 4
#define STATUS_FEATURES_OK 8
#define STATUS_FAILED 128

/* VIRTIO_F_VERSION_1, section 6: bit 32, so bit 0 of the second word. */
#define FEATURES_HIGH 1
#define FEATURE_HIGH_VERSION_1 1

/* Sections 2.7.5, 2.7.6 and 2.7.8. */
#define DESCRIPTOR_WRITE 2
#define AVAILABLE_NO_INTERRUPT 1
#define USED_NO_NOTIFY 1

/* A reset takes no time in any device known; a device that needs longer is broken. Whoever emulates
 * it, and this hart, may take a while. */
#define RESET_MICROSECONDS 2000000

static uint32_t read_register(const struct virtio_device *device, uint32_t offset)
{
    return *(volatile uint32_t *)(device->base + offset);
}

static void write_register(const struct virtio_device *device, uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(device->base + offset) = value;
}

/* Memory and registers are seen by the device in the order of the program (section 2.7.13.3). */
static void order(void)
{
    __asm__ volatile("fence iorw, iorw" : : : "memory");
}

static void write_address(const struct virtio_device *device, uint32_t offset, const void *address)
{
    uint64_t found = (uintptr_t)address + device->distance;

    write_register(device, offset, (uint32_t)found);
    write_register(device, offset + 4, (uint32_t)(found >> 32));
}

bool virtio_probe(struct virtio_device *device, uint32_t id)
{
    uint32_t version;

    if (read_register(device, MAGIC) != MAGIC_VALUE || read_register(device, DEVICE_ID) != id) {
        return false;
    }
    version = read_register(device, VERSION);
    device->legacy = version == VERSION_LEGACY;
    return version == VERSION_LEGACY || version == VERSION_MODERN;
}

/* Section 2.4: the driver waits until the status reads 0. */
static bool reset(const struct virtio_device *device)
{
    uint64_t end = clock_now() + clock_ticks(RESET_MICROSECONDS);

    write_register(device, STATUS, 0);
    while (read_register(device, STATUS) != 0) {
        if (clock_now() > end) {
            return false;
        }
    }
    return true;
}

static void add_status(const struct virtio_device *device, uint32_t bits)
{
    write_register(device, STATUS, read_register(device, STATUS) | bits);
}

/* Steps 4 to 6 of section 3.1.1; the legacy transport knows neither high features nor the check. */
static bool negotiate(const struct virtio_device *device, uint32_t features)
{
    write_register(device, DEVICE_FEATURES_SELECT, 0);
    if ((read_register(device, DEVICE_FEATURES) & features) != features) {
        return false;
    }
    write_register(device, DRIVER_FEATURES_SELECT, 0);
    write_register(device, DRIVER_FEATURES, features);
    if (device->legacy) {
        return true;
    }
    write_register(device, DEVICE_FEATURES_SELECT, FEATURES_HIGH);
    if ((read_register(device, DEVICE_FEATURES) & FEATURE_HIGH_VERSION_1) == 0) {
        return false;
    }
    write_register(device, DRIVER_FEATURES_SELECT, FEATURES_HIGH);
    write_register(device, DRIVER_FEATURES, FEATURE_HIGH_VERSION_1);
    add_status(device, STATUS_FEATURES_OK);
    return (read_register(device, STATUS) & STATUS_FEATURES_OK) != 0;
}

/* Section 4.2.4: one page number stands for the whole queue, whose layout is section 2.7.2's. */
static bool place_legacy_queue(const struct virtio_device *device, const struct virtio_rings *rings)
{
    uint64_t page = ((uintptr_t)rings + device->distance) / VIRTIO_QUEUE_ALIGNMENT;

    write_register(device, LEGACY_PAGE_SIZE, VIRTIO_QUEUE_ALIGNMENT);
    write_register(device, QUEUE_SIZE, VIRTIO_QUEUE_SIZE);
    write_register(device, LEGACY_QUEUE_ALIGN, VIRTIO_QUEUE_ALIGNMENT);
    write_register(device, LEGACY_QUEUE_PAGE, (uint32_t)page);
    return page <= UINT32_MAX && read_register(device, LEGACY_QUEUE_PAGE) == (uint32_t)page;
}

static bool place_queue(const struct virtio_device *device, const struct virtio_rings *rings)
{
    write_register(device, QUEUE_SIZE, VIRTIO_QUEUE_SIZE);
    write_address(device, QUEUE_DESCRIPTORS, rings->descriptors);
    write_address(device, QUEUE_DRIVER, &rings->available);
    write_address(device, QUEUE_DEVICE, &rings->used);
    write_register(device, QUEUE_READY, 1);
    return read_register(device, QUEUE_READY) == 1;
}

/* Section 4.2.3.2. */
static bool set_up_queue(const struct virtio_device *device, struct virtio_queue *queue,
                         uint32_t number)
{
    if ((uintptr_t)&queue->rings % VIRTIO_QUEUE_ALIGNMENT != 0) {
        return false;
    }
    *queue = (struct virtio_queue){.number = number};
    write_register(device, QUEUE_SELECT, number);
    if (read_register(device, QUEUE_SIZE_MAX) < VIRTIO_QUEUE_SIZE) {
        return false;
    }
    return device->legacy ? place_legacy_queue(device, &queue->rings)
                          : place_queue(device, &queue->rings);
}

static bool set_up_queues(const struct virtio_device *device, struct virtio_queue *queues,
                          uint32_t count)
{
    for (uint32_t number = 0; number < count; number++) {
        if (!set_up_queue(device, &queues[number], number)) {
            return false;
        }
    }
    return true;
}

static void give_up(struct virtio_device *device)
{
    device->failed = true;
    add_status(device, STATUS_FAILED);
}

uint32_t virtio_configuration(const struct virtio_device *device, uint32_t offset)
{
    return read_register(device, CONFIGURATION + offset);
}

bool virtio_start(struct virtio_device *device, struct virtio_queue *queues, uint32_t count,
                  uint32_t features)
{
    device->failed = false;
    if (!reset(device)) {
        give_up(device);
        return false;
    }
    add_status(device, STATUS_ACKNOWLEDGE);
    add_status(device, STATUS_DRIVER);
    if (!negotiate(device, features) || !set_up_queues(device, queues, count)) {
        give_up(device);
        return false;
    }
    order();
    add_status(device, STATUS_DRIVER_OK);
    return true;
}

int virtio_free_request(const struct virtio_queue *queue)
{
    if ((queue->in_flight >> queue->last & 1) == 0) {
        return (int)queue->last;
    }
    for (int number = 0; number < VIRTIO_QUEUE_SIZE; number++) {
        if ((queue->in_flight >> number & 1) == 0) {
            return number;
        }
    }
    return -1;
}

/* Section 2.7.13. */
int virtio_request(struct virtio_device *device, struct virtio_queue *queue, void *buffer,
                   uint32_t length, bool read)
{
    struct virtio_available *available = &queue->rings.available;
    int number = device->failed ? -1 : virtio_free_request(queue);

    if (number < 0) {
        return -1;
    }
    queue->rings.descriptors[number] = (struct virtio_descriptor){
        .address = (uintptr_t)buffer,
        .length = length,
        .flags = read ? 0 : DESCRIPTOR_WRITE,
    };
    queue->in_flight |= 1u << number;
    available->ring[queue->added % VIRTIO_QUEUE_SIZE] = (uint16_t)number;
    order();
    queue->added++;
    *(volatile uint16_t *)&available->index = queue->added;
    return number;
}

void virtio_notify(const struct virtio_device *device, const struct virtio_queue *queue)
{
    order();
    if (!device->failed &&
        (*(const volatile uint16_t *)&queue->rings.used.flags & USED_NO_NOTIFY) == 0) {
        write_register(device, QUEUE_NOTIFY, queue->number);
    }
}

void virtio_want_interrupt(struct virtio_queue *queue, bool wanted)
{
    *(volatile uint16_t *)&queue->rings.available.flags = wanted ? 0 : AVAILABLE_NO_INTERRUPT;
    order();
}

/* Section 2.7.14. */
int virtio_take(struct virtio_device *device, struct virtio_queue *queue, uint32_t *length)
{
    struct virtio_used_element element;

    if (device->failed || !virtio_has_result(queue)) {
        return -1;
    }
    order();
    element = *(volatile struct virtio_used_element *)&queue->rings.used
                   .ring[queue->taken % VIRTIO_QUEUE_SIZE];
    if (element.id >= VIRTIO_QUEUE_SIZE || (queue->in_flight >> element.id & 1) == 0 ||
        element.length > queue->rings.descriptors[element.id].length) {
        give_up(device);
        return -1;
    }
    queue->taken++;
    queue->last = element.id;
    queue->in_flight &= ~(1u << element.id);
    *length = element.length;
    return (int)element.id;
}

void virtio_quiet(const struct virtio_device *device)
{
    write_register(device, INTERRUPT_ACKNOWLEDGE,
                   VIRTIO_INTERRUPT_USED_BUFFER | VIRTIO_INTERRUPT_CONFIGURATION);
    order();
}

uint32_t virtio_acknowledge(const struct virtio_device *device)
{
    uint32_t reasons = read_register(device, INTERRUPT_STATUS);

    write_register(device, INTERRUPT_ACKNOWLEDGE, reasons);
    order();
    return reasons;
}
