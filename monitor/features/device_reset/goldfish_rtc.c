/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/device_reset/goldfish_rtc.h"

#include "arch/mmio.h"

#define REGISTER_IRQ_ENABLED 0x10
#define REGISTER_CLEAR_ALARM 0x14
#define REGISTER_CLEAR_INTERRUPT 0x1c

void goldfish_rtc_reset(uint64_t base)
{
    mmio_write32(base + REGISTER_IRQ_ENABLED, 0);
    mmio_write32(base + REGISTER_CLEAR_ALARM, 1);
    mmio_write32(base + REGISTER_CLEAR_INTERRUPT, 1);
}
