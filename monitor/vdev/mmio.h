/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses at which a tenant finds virtual devices. */
#ifndef COTENANT_VDEV_MMIO_H
#define COTENANT_VDEV_MMIO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/features.h"
#include "core/tenant.h"

/* Bytes of address space of the virtual 16550. */
#define MMIO_UART_SIZE 0x100

/* The offset of `address` in the tenant's virtual 16550; MMIO_UART_SIZE or more: it is not there.
 */
static inline uint64_t mmio_uart_offset(const struct tenant *tenant, uint64_t address)
{
    return (tenant->description->flags & COTENANT_TENANT_UART) != 0
               ? address - tenant->description->uart_base
               : MMIO_UART_SIZE;
}

/* The bytes of address space of the tenant's virtio devices, and where `address` is in them. */
static inline uint64_t mmio_virtio_size(const struct tenant *tenant)
{
    return FEATURE_VIRTIO
               ? (uint64_t)tenant->description->device_count * COTENANT_VIRTUAL_DEVICE_SIZE
               : 0;
}

static inline uint64_t mmio_virtio_offset(const struct tenant *tenant, uint64_t address)
{
    return address - tenant->description->virtual_base;
}

/*
 * The tenant loads or stores `size` bytes at an offset below mmio_virtio_size(). False: a store
 * that is to be made again.
 */
uint32_t mmio_virtio_load(const struct tenant *tenant, uint64_t offset, uint32_t size);
bool mmio_virtio_store(struct tenant *tenant, uint64_t offset, uint32_t size, uint32_t value);

/* The tenant stores a byte to a register of its virtual 16550. */
void mmio_uart_store(struct tenant *tenant, unsigned offset, uint8_t value);

/* `address` belongs to a virtual device of the tenant. */
bool mmio_is_emulated(const struct tenant *tenant, uint64_t address);

enum mmio_result {
    MMIO_DONE,
    MMIO_FAULT, /* no such register: an access fault */
    MMIO_AGAIN, /* some of it is done: the tenant makes the access again */
};

/*
 * The loaded vhart loads or stores `size` (1, 2, 4, 8) bytes at physical address `address`; `value`
 * holds what is stored or receives what is loaded.
 */
enum mmio_result mmio_access(struct vhart *vhart, uint64_t address, uint32_t size, bool store,
                             uint64_t *value);

#endif
