/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COTENANT_FEATURES_DEVICE_RESET_NS16550_RESET_H
#define COTENANT_FEATURES_DEVICE_RESET_NS16550_RESET_H

#include <stdint.h>

/*
 * Makes a 16550 with registers of bytes, register n at base + (n << shift), what it is after
 * power-on: nothing interrupts, no FIFO, nothing received, every register 0 but the divisor:
 * 1..65535, or 0 to leave it as found. What was not sent yet is lost. M-mode with interrupts off.
 */
void ns16550_reset(uint64_t base, uint32_t shift, uint32_t divisor);

#endif
