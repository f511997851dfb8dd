/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guarded devices: real virtio devices behind the MMIO transport (virtio 1.2, section 4.2) of
 * tenants that are not trusted. PMP does not stop what a device reads and writes; so the tenant
 * does not reach its device's registers, and the monitor passes on what it has checked. The device
 * gets to see nothing but memory of the tenant: see shadow.h. Its interrupts go to the tenant as
 * those of any other device.
 *
 * A driver that breaks the protocol, or names memory that is not its tenant's, stops its device
 * until it resets it (DEVICE_NEEDS_RESET, section 2.1.2). A device that cannot be guarded (types.h,
 * or one of the legacy transport) looks like a slot without one.
 *
 * Interrupts off, shared lock held.
 */
#ifndef COTENANT_FEATURES_GUARD_GUARD_H
#define COTENANT_FEATURES_GUARD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"
#include "arch/mmio.h"
#include "core/tenant.h"
#include "features/guard/shadow.h"
#include "features/guard/types.h"
#include "features/plic/mmio.h"

/* Bytes of address space of a device, of which only the first are ever passed on. */
#define GUARD_PAGE_SIZE 0x1000
#define GUARD_REGISTERS_SIZE 0x200

struct guard {
    uint64_t base;                 /* of the device's registers */
    uint32_t tenants;              /* that share it, a bit each: several only of one group */
    const struct guard_type *type; /* NULL: looks like an empty slot */
    bool resetting;                /* the device has not said yet that it is reset */
    bool touched; /* the driver has stored to it since it was reset last; may be left: */
    uint8_t status;
    bool broken; /* the driver has broken the protocol */
    uint32_t feature_select;
    uint32_t driver_feature_select;
    uint64_t driver_features;
    uint32_t queue_select;
    struct shadow_queue queues[GUARD_MOST_QUEUES];
};

extern struct guard guards[COTENANT_MAX_GUARDED];
extern uint32_t guard_count;

/* The version that a device of the MMIO transport must have: section 4.2.2. */
#define GUARD_VERSION 2

static inline uint32_t guard_read(const struct guard *guard, uint32_t offset)
{
    return mmio_read32(guard->base + offset);
}

static inline void guard_write(const struct guard *guard, uint32_t offset, uint32_t value)
{
    mmio_write32(guard->base + offset, value);
}

/* The guarded device of the tenant that `address` belongs to, or NULL. */
static inline struct guard *guard_at(const struct tenant *tenant, uint64_t address)
{
    for (uint32_t i = 0; i < guard_count; i++) {
        if (address - guards[i].base < GUARD_PAGE_SIZE &&
            (guards[i].tenants >> tenant->index & 1) != 0) {
            return &guards[i];
        }
    }
    return NULL;
}

/* What a driver does to set its device up: an access to any register, as guard_access(). */
void guard_set_up(struct guard *guard, struct vhart *vhart, uint32_t offset, uint32_t size,
                  bool store, uint64_t *value);

/* Both ends of the device are stopped: what it has in hand is lost. */
void guard_stop_broken(struct guard *guard, struct vhart *vhart);

/* The device has no driver any more. */
void guard_forget_driver(struct guard *guard);

/*
 * As a window of features/plic/mmio.h. Registers that do not exist, and those that are not
 * accessed as they must be (section 4.2.2.2), read 0 and ignore writes.
 */
mmio_accessor guard_access;

#endif
