/* SPDX-License-Identifier: BSD-2-Clause */
/* The goldfish real-time clock of QEMU's machines, which belongs to tenants. */
#ifndef COTENANT_FEATURES_DEVICE_RESET_GOLDFISH_RTC_H
#define COTENANT_FEATURES_DEVICE_RESET_GOLDFISH_RTC_H

#include <stdint.h>

/*
 * Takes back the alarm and the interrupt. The time goes on: that is what the clock is for, and no
 * other device has it. M-mode with interrupts off.
 */
void goldfish_rtc_reset(uint64_t base);

#endif
