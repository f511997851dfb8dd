/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices of tenants, brought back to the state that their next user expects. */
#ifndef COTENANT_FEATURES_DEVICE_RESET_DEVICE_RESET_H
#define COTENANT_FEATURES_DEVICE_RESET_DEVICE_RESET_H

#include "abi/bundle.h"

/*
 * Does step `step` (from 0) and returns the next one, or 0: that was all. A step is one function of
 * a PCI bus, a few looks at a virtio device that has not said yet that it is done, or all of
 * another device; nothing for COTENANT_DEVICE_RESET_NONE. M-mode with interrupts off.
 */
uint32_t device_reset(const struct bundle_reset *reset, uint32_t step);

#endif
