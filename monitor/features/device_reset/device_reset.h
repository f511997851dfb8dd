/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices of tenants, brought back to the state that their next user expects. */
#ifndef COTENANT_FEATURES_DEVICE_RESET_DEVICE_RESET_H
#define COTENANT_FEATURES_DEVICE_RESET_DEVICE_RESET_H

#include "abi/bundle.h"

/* Does nothing for COTENANT_DEVICE_RESET_NONE. Bounded; M-mode with interrupts off. */
void device_reset(const struct bundle_reset *reset);

#endif
