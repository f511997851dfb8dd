/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Powers the machine off. M-mode. Returns when the board has no such device, and perhaps a few
 * instructions before the device acts: the caller then idles.
 */
#ifndef COTENANT_DEVICE_RESET_H
#define COTENANT_DEVICE_RESET_H

#include <stdint.h>

struct reset {
    uint32_t kind; /* COTENANT_RESET_* of abi/bundle.h */
    uint64_t base;
};

void reset_power_off(const struct reset *reset);

#endif
