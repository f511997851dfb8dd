/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resets a virtio device behind the MMIO transport (virtio 1.2, sections 2.4 and 4.2.2): it forgets
 * its queues and leaves memory alone. Called with interrupts off, shared lock held, while the
 * tenant that owns it does not run.
 */
#ifndef COTENANT_FEATURES_DEVICE_RESET_VIRTIO_RESET_H
#define COTENANT_FEATURES_DEVICE_RESET_VIRTIO_RESET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * `base`: address of the device's registers. Returns false if nothing of this kind is there, or if
 * the device did not say after a few looks that it is done.
 */
bool virtio_reset(uint64_t base);

/* Something of this kind is there. */
bool virtio_is_there(uint64_t base);

/* Looks a few times more whether it is done. */
bool virtio_is_reset(uint64_t base);

#endif
