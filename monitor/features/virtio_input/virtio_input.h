/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtual input device (virtio 1.2, section 5.8) with one key: the sleep key. Interrupts off,
 * shared lock held.
 */
#ifndef COTENANT_FEATURES_VIRTIO_INPUT_VIRTIO_INPUT_H
#define COTENANT_FEATURES_VIRTIO_INPUT_VIRTIO_INPUT_H

#include "features/virtio/virtio.h"

/*
 * Presses and releases the key for a tenant, if it has such a device with a driver. Its driver is
 * told of each of the events in a step of the monitor's work.
 */
void virtio_press_sleep_key(const struct tenant *tenant);

extern const struct virtio_type virtio_input_type;

#endif
