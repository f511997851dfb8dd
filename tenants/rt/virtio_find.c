/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/platform.h"
#include "rt/virtio_mmio.h"

/* Slots of the device tree that are looked at. */
#define SLOT_LIMIT 64

bool virtio_find(struct virtio_device *device, uint32_t id)
{
    const struct fdt *fdt = &platform.fdt;
    struct fdt_node node;
    uint64_t size;

    device->distance = 0;
    for (uint32_t slot = 0;
         slot < SLOT_LIMIT && fdt_find_nth_compatible(fdt, "virtio,mmio", slot, &node); slot++) {
        if (fdt_reg(fdt, &node, &device->base, &size) &&
            fdt_cell(fdt, &node, "interrupts", 0, &device->source) && virtio_probe(device, id)) {
            return true;
        }
    }
    return false;
}
