/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/device_reset/device_reset.h"

#include "core/feature.h"
#include "core/hooks.h"
#include "device/ns16550.h"
#include "features/device_reset/goldfish_rtc.h"
#include "features/device_reset/pci_reset.h"
#include "features/device_reset/virtio_reset.h"

static void reset_virtio(uint64_t base)
{
    FOR_EACH_IN_TABLE(device_guards, give_back)
    {
        if ((*give_back)(base)) {
            return;
        }
    }
    (void)virtio_reset(base);
}

void device_reset(const struct bundle_reset *reset)
{
    switch (reset->kind) {
    case COTENANT_DEVICE_RESET_VIRTIO_MMIO:
        reset_virtio(reset->base);
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

static void reset_devices(const struct bundle_reset *resets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        device_reset(&resets[i]);
    }
}

HOOK(devices_are_given_back, reset_devices);
FEATURE(device_reset);
