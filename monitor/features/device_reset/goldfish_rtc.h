/* SPDX-License-Identifier: BSD-2-Clause */
/* The goldfish real-time clock of QEMU's machines, which belongs to tenants. */
#ifndef COTENANT_FEATURES_DEVICE_RESET_GOLDFISH_RTC_H
#define COTENANT_FEATURES_DEVICE_RESET_GOLDFISH_RTC_H

#include <stdint.h>

#include "arch/mmio.h"

#define GOLDFISH_RTC_IRQ_ENABLED 0x10
#define GOLDFISH_RTC_CLEAR_ALARM 0x14
#define GOLDFISH_RTC_CLEAR_INTERRUPT 0x1c

/*
 * Takes back the alarm and the interrupt. The time goes on: that is what the clock is for, and no
 * other device has it. M-mode with interrupts off.
 */
static inline void goldfish_rtc_reset(uint64_t base)
{
    mmio_write32(base + GOLDFISH_RTC_IRQ_ENABLED, 0);
    mmio_write32(base + GOLDFISH_RTC_CLEAR_ALARM, 1);
    mmio_write32(base + GOLDFISH_RTC_CLEAR_INTERRUPT, 1);
}

#endif
