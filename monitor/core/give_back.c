/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/give_back.h"

#include "core/hooks.h"
#include "irq/routing.h"
#include "vdev/virtio.h"

/* Devices of the board in a part. */
#define RESETS 4
#define RESET_PARTS (COTENANT_MAX_RESETS / RESETS)
_Static_assert(COTENANT_MAX_RESETS % RESETS == 0, "the parts are of one size");

/*
 * The devices forget the tenant's memory, and withdraw their interrupts before those are reset.
 * Nothing depends on what else becomes of a device that does not obey.
 */
static void reset_devices(const struct bundle_reset *resets)
{
    uint32_t count = 0;

    while (count < RESETS && resets[count].kind != COTENANT_DEVICE_RESET_NONE) {
        count++;
    }
    devices_are_given_back(resets, count);
}

/* The parts that hold a device. */
static uint32_t reset_parts(const struct bundle_reset *resets)
{
    uint32_t parts = RESET_PARTS;

    while (parts > 0 && resets[(parts - 1) * RESETS].kind == COTENANT_DEVICE_RESET_NONE) {
        parts--;
    }
    return parts;
}

bool give_back_step(struct tenant *tenant)
{
    uint32_t board_devices = reset_parts(tenant->description->resets);
    uint32_t virtual_devices = tenant->description->device_count;
    uint32_t part = tenant->given_back;

    if (part < virtual_devices) {
        virtio_reset_device(tenant, part);
    } else if (part < virtual_devices + board_devices) {
        reset_devices(&tenant->description->resets[(part - virtual_devices) * RESETS]);
    } else if (!routing_reset_step(tenant, part - virtual_devices - board_devices)) {
        return false;
    }
    tenant->given_back++;
    return true;
}
