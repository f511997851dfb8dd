/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/device_reset/device_reset.h"

#include "core/feature.h"
#include "core/give_back.h"
#include "core/guarded.h"
#include "device/ns16550.h"
#include "features/device_reset/goldfish_rtc.h"
#include "features/device_reset/pci_reset.h"
#include "features/device_reset/virtio_reset.h"

void device_reset(const struct bundle_reset *reset)
{
    switch (reset->kind) {
    case COTENANT_DEVICE_RESET_VIRTIO_MMIO:
        (void)virtio_reset(reset->base);
        break;
    case COTENANT_DEVICE_RESET_GOLDFISH_RTC:
        goldfish_rtc_reset(reset->base);
        break;
    case COTENANT_DEVICE_RESET_PCI:
        pci_reset(reset->base);
        break;
    case COTENANT_DEVICE_RESET_NS16550:
        ns16550_reset(reset->base, reset->register_shift, reset->divisor);
        break;
    default:
        break;
    }
}

static bool has(const struct bundle_tenant *description, unsigned index)
{
    return index < COTENANT_MAX_RESETS &&
           description->resets[index].kind != COTENANT_DEVICE_RESET_NONE;
}

/*
 * Those that the tenant reaches itself. Nothing depends on what else becomes of a device that does
 * not obey.
 */
static bool give_back(struct tenant *tenant, uint16_t *next, unsigned *room)
{
    const struct bundle_tenant *description = tenant->description;
    unsigned left = *room;
    unsigned i;

    for (i = *next; left > 0 && has(description, i); i++) {
        const struct bundle_reset *reset = &description->resets[i];

        if (!is_guarded(description, reset)) {
            device_reset(reset);
            left--;
        }
    }
    *room = left;
    *next = (uint16_t)i;
    return !has(description, i);
}

GIVE_BACK(give_back);
FEATURE(device_reset);
