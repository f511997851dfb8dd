/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices are guarded from boot on, and taken from their driver when a tenant ends. */
#include "core/give_back.h"
#include "core/guarded.h"
#include "core/hooks.h"
#include "device/virtio_registers.h"
#include "features/device_reset/virtio_reset.h"
#include "features/guard/guard.h"

/* Out of line: seldom is there anything to forget. */
__attribute__((cold)) static void forget(struct guard *guard)
{
    guard->touched = false;
    guard->status = 0;
    guard->broken = false;
    guard->feature_select = 0;
    guard->driver_feature_select = 0;
    guard->driver_features = 0;
    guard->queue_select = 0;
    for (uint32_t i = 0; i < GUARD_MOST_QUEUES; i++) {
        guard->queues[i].asked = (struct shadow_places){0};
        guard->queues[i].ready = false;
    }
}

void guard_forget_driver(struct guard *guard)
{
    if (guard->touched) {
        forget(guard);
    }
}

/*
 * A device to which its driver has stored nothing since the last reset is as that left it, once it
 * has said that it is reset.
 */
static inline bool is_to_be_reset(const struct guard *guard, uint32_t tenant)
{
    return (guard->tenants >> tenant & 1) != 0 && (guard->touched || guard->resetting);
}

/* From device `*next` on. Out of line: devices that were not used do not pay for its registers. */
static bool __attribute__((noinline))
give_back_from(const struct tenant *tenant, uint16_t *next, unsigned *room)
{
    uint32_t count = guard_count;
    unsigned left = *room;
    uint32_t i;

    for (i = *next; left > 0 && i < count; i++) {
        struct guard *guard = &guards[i];

        if (is_to_be_reset(guard, tenant->index)) {
            guard->resetting = !virtio_reset(guard->base);
            guard_forget_driver(guard);
            left--;
        }
    }
    *room = left;
    *next = (uint16_t)i;
    return i == count;
}

/* Takes devices from their driver. */
static bool give_back(struct tenant *tenant, uint16_t *next, unsigned *room)
{
    const struct guard *guard = &guards[*next];
    uint32_t count = guard_count;
    uint32_t number = tenant->index;

    for (uint32_t i = *next; i < count; i++, guard++) {
        if (is_to_be_reset(guard, number)) {
            *next = (uint16_t)i;
            return give_back_from(tenant, next, room);
        }
    }
    return true;
}

GIVE_BACK(give_back);

static struct guard *find(uint64_t base)
{
    for (uint32_t i = 0; i < guard_count; i++) {
        if (guards[i].base == base) {
            return &guards[i];
        }
    }
    return NULL;
}

static struct guard *guard_of(uint64_t base)
{
    struct guard *guard = find(base);

    if (guard != NULL) {
        return guard;
    }
    if (guard_count == COTENANT_MAX_GUARDED) {
        return NULL; /* more than the check of the bundle lets through */
    }
    guards[guard_count] = (struct guard){.base = base};
    return &guards[guard_count++];
}

static void guard_device(uint64_t base, const struct tenant *tenant)
{
    struct guard *guard = guard_of(base);

    if (guard == NULL) {
        return;
    }
    guard->tenants |= 1u << tenant->index;
    guard->resetting = !virtio_reset(base);
    guard->type = guard_read(guard, REG_VERSION) == GUARD_VERSION
                      ? guard_type_of(guard_read(guard, REG_DEVICE_ID))
                      : NULL;
}

/* Resets and guards the devices of the bundle's tenants. At boot: compiled for size. */
__attribute__((cold)) static void guard_devices(void)
{
    for (uint32_t i = 0; i < tenant_count; i++) {
        const struct bundle_tenant *description = tenants[i].description;

        for (uint32_t j = 0; j < COTENANT_MAX_RESETS; j++) {
            if (is_guarded(description, &description->resets[j])) {
                guard_device(description->resets[j].base, &tenants[i]);
            }
        }
    }
}

HOOK(machine_begins, guard_devices);
