/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices of tenants, brought back to the state that their next user expects. */
#ifndef COTENANT_FEATURES_DEVICE_RESET_DEVICE_RESET_H
#define COTENANT_FEATURES_DEVICE_RESET_DEVICE_RESET_H

#include <stdbool.h>

#include "abi/bundle.h"
#include "core/table.h"

/* Takes the virtio device at `base` from its driver and resets it. False: it guards another one. */
typedef bool device_guard(uint64_t base);

TABLE(device_guard *const, device_guards);

/* For what stands between a driver and its virtio device. */
#define DEVICE_GUARD(function)                                                                     \
    static device_guard *const device_guard_##function TABLE_ENTRY(device_guards) = (function)

/* Does nothing for COTENANT_DEVICE_RESET_NONE. Bounded; M-mode with interrupts off. */
void device_reset(const struct bundle_reset *reset);

#endif
