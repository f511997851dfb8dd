/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guarded virtio device and its driver, for tests: the device is a model of the registers, which
 * reads the queues that it was told of and ends the program if one of them names anything that is
 * not the tenant's memory; the driver is a test's. Its memory has two ranges apart from each other.
 */
#ifndef COTENANT_TESTS_GUARD_BENCH_H
#define COTENANT_TESTS_GUARD_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "features/guard/guard.h"

#define BENCH_BASE 0x10001000
#define BENCH_PAGE 4096ul
#define BENCH_PAGES 16
#define BENCH_QUEUE_SIZE 16
/* Registers of virtio 1.2, section 4.2.2. */
enum {
    BENCH_DEVICE_ID = 0x008,
    BENCH_VENDOR_ID = 0x00c,
    BENCH_DEVICE_FEATURES = 0x010,
    BENCH_DEVICE_FEATURES_SELECT = 0x014,
    BENCH_DRIVER_FEATURES = 0x020,
    BENCH_DRIVER_FEATURES_SELECT = 0x024,
    BENCH_QUEUE_SELECT = 0x030,
    BENCH_QUEUE_SIZE_MAX = 0x034,
    BENCH_QUEUE_SIZE_REGISTER = 0x038,
    BENCH_QUEUE_READY = 0x044,
    BENCH_NOTIFY = 0x050,
    BENCH_INTERRUPT = 0x060,
    BENCH_ACKNOWLEDGE = 0x064,
    BENCH_STATUS = 0x070,
    BENCH_DESCRIPTORS = 0x080,
    BENCH_AVAILABLE = 0x090,
    BENCH_USED = 0x0a0,
    BENCH_GENERATION = 0x0fc,
    BENCH_CONFIGURATION = 0x100,
};
#define BENCH_NEEDS_RESET 0x40

struct bench_descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
};

/* The driver's rings of a queue, in the first pages of its memory. */
struct bench_rings {
    struct bench_descriptor descriptors[BENCH_QUEUE_SIZE];
    struct {
        uint16_t flags;
        uint16_t index;
        uint16_t ring[BENCH_QUEUE_SIZE];
        uint16_t used_event;
    } available;
    struct {
        uint16_t flags;
        uint16_t index;
        struct {
            uint32_t id;
            uint32_t length;
        } ring[BENCH_QUEUE_SIZE];
        uint16_t available_event;
    } used __attribute__((aligned(8)));
};

/* What the device has. */
struct bench_device {
    uint32_t version;
    uint32_t id;
    uint64_t features;
    uint32_t size_max;
    uint8_t configuration[0x100];
    /* What it was told. */
    uint32_t status;
    uint32_t interrupt;
    uint64_t driver_features;
    uint32_t selects[3]; /* of its features, the driver's, queues */
    struct bench_device_queue {
        uint32_t size;
        bool ready;
        uint64_t places[3];
        uint16_t taken;
        unsigned notified;
    } queues[GUARD_MOST_QUEUES];
    unsigned resets;
    unsigned waits; /* reads of its first register */
};

extern struct bench_device bench_device;
extern struct vhart bench_vhart;

/* A device of the type `id` with all features, and its tenant, which has not touched it. */
void bench_make(uint32_t id);

/* The tenant's loads and stores; stores that are to be made again are made so often. */
uint32_t bench_load(uint32_t offset);
void bench_store(uint32_t offset, uint32_t value);

/* The tenant stops or suspends. */
void bench_give_back(void);

/* One store; false: to be made again. */
bool bench_store_once(uint32_t offset, uint32_t value);

/* The tenant's memory: address of a page of the first range, or of the second from 100 on. */
uint64_t bench_page(uint32_t number);
bool bench_owns(uint64_t address, uint64_t size);

struct bench_rings *bench_rings(uint32_t queue);

/* Section 3.1.1, with the features given; all queues of the type. Returns whether it works. */
bool bench_start(uint64_t features);
void bench_place(uint32_t queue, uint32_t size);

/* Puts a descriptor into the driver's table, and a chain into its available ring. */
void bench_describe(uint32_t queue, uint32_t index, uint64_t address, uint32_t length,
                    uint16_t flags, uint16_t next);
void bench_offer(uint32_t queue, uint16_t head);

/*
 * The device takes the next chain: returns how many descriptors it has, the first `most` of them in
 * `found`; 0: there is none; -1: it is endless.
 */
int bench_take(uint32_t queue, struct bench_descriptor *found, int most);

/* Ends the program if the device could be brought to touch anything but the tenant's memory. */
void bench_check(void);

#endif
