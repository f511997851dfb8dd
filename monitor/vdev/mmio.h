/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses at which a tenant finds virtual devices. */
#ifndef COTENANT_VDEV_MMIO_H
#define COTENANT_VDEV_MMIO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"

/* `address` belongs to a virtual device of the tenant. */
bool mmio_is_emulated(const struct tenant *tenant, uint64_t address);

/*
 * The loaded vhart loads or stores `size` (1, 2, 4, 8) bytes at physical address `address`; `value`
 * holds what is stored or receives what is loaded. False: no such register, an access fault.
 */
bool mmio_access(struct vhart *vhart, uint64_t address, uint32_t size, bool store, uint64_t *value);

#endif
