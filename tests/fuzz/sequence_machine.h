/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine of fuzz_sequences.c: three tenants with a virtual device of every type, joined by
 * channels of every kind, and a fourth one that has nothing but memory.
 *
 *   tenants 0 and 1   console, net of two ends, net of three ends, input, socket
 *   tenant 2          console, net of three ends
 *
 * Memory lies at addresses that are the same in every run, with nothing around it. Besides its main
 * memory each tenant has a private page that no driver ever names to a device of its own, and the
 * monitor has a page: what changes there was written by mistake.
 */
#ifndef COTENANT_TESTS_SEQUENCE_MACHINE_H
#define COTENANT_TESTS_SEQUENCE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "features/virtio/virtio.h"

#define TENANTS 3
#define STRANGER 3
#define DRIVERS 12
#define PORTS 5
#define QUEUES (2 * (PORTS + 1))

#define MAIN_SIZE 0xc000
#define PRIVATE_OFFSET 0x80000
#define PAGE_SIZE 0x1000

/* Each queue of a driver has a part of its tenant's memory: rings, and slots for buffers. */
#define PART_SIZE 2048
#define PART_AVAILABLE 128
#define PART_USED 160
#define PART_SLOTS 256
#define SLOT_SIZE 448
#define BUFFER_SIZE 384 /* the rest of a slot is never named to a device */
#define SLOTS 4
#define DESCRIPTORS 8

/* Registers (virtio 1.2, section 4.2.2). */
#define REGISTER_NOTIFY 0x50
#define REGISTER_INTERRUPTS 0x60
#define REGISTER_ACKNOWLEDGE 0x64
#define REGISTER_STATUS 0x70

/* What a driver can be made of. A net of two ends is a cable, one of three a switch. */
enum kind { KIND_CONSOLE, KIND_CABLE, KIND_SWITCH, KIND_INPUT, KIND_SOCKET, KINDS };

struct driver {
    struct virtio_device *device;
    uint32_t index;
    uint32_t tenant;
    enum kind kind;
    uint32_t queue_count;
    uint64_t base;        /* of its part of the memory */
    bool line;            /* level of its interrupt */
    uint32_t sent[PORTS]; /* messages ever sent by an honest one, from each port */
};

extern struct driver drivers[DRIVERS];

/* One bit a tenant: it keeps to the rules in this episode. */
extern uint32_t honest_tenants;

/* Makes the machine at the first call; all devices as after power-on, all memory as in the shadow.
 */
void machine_reset(void);

/* What a tenant's vhart does, with all its checks. False: the store is to be made again. */
uint32_t machine_load(struct driver *driver, uint32_t offset, uint32_t size);
bool machine_store(struct driver *driver, uint32_t offset, uint32_t size, uint32_t value);
void machine_ring(uint32_t tenant, uint32_t port);

/* What the monitor does by itself. */
void machine_stop(uint32_t tenant);
void machine_press(uint32_t tenant);

/* A machine interrupt is pending on the hart that works, and another hart waits for the lock. */
void machine_wanted(bool interrupt, bool lock);

/* Time passes, and the monitor does what it has put off until now. Ticks of a microsecond. */
void machine_pass(uint32_t ticks);

/* An interrupt of the device is put off. */
bool machine_owes(const struct driver *driver);

/* Nothing but what a driver named has changed where no driver writes, and no honest driver has been
 * told of changes more often than its limit says. */
void machine_check(void);

bool is_honest(const struct driver *driver);
uint8_t *memory_at(uint64_t address);
uint64_t tenant_memory(uint32_t tenant);
uint64_t tenant_private(uint32_t tenant);
uint64_t monitor_memory(void);

/* The driver of a kind that a tenant has; NULL: it has none. */
struct driver *find_driver(uint32_t tenant, enum kind kind);

static inline uint64_t part_of(const struct driver *driver, uint32_t queue)
{
    return driver->base + (uint64_t)queue * PART_SIZE;
}

static inline uint64_t slot_of(const struct driver *driver, uint32_t queue, uint32_t slot)
{
    return part_of(driver, queue) + PART_SLOTS + slot * SLOT_SIZE;
}

/* The device writes to this queue's buffers. */
bool is_receive_queue(const struct driver *driver, uint32_t queue);

/* Ends the program, and says why. */
#define REQUIRE_THAT(condition, driver)                                                            \
    ((condition) ? (void)0 : machine_fail(#condition, __FILE__, __LINE__, driver))
_Noreturn void machine_fail(const char *what, const char *file, int line,
                            const struct driver *driver);

#endif
