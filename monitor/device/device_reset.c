/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/device_reset.h"

#include "device/goldfish_rtc.h"
#include "device/ns16550.h"
#include "device/pci_reset.h"
#include "device/virtio_reset.h"

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
