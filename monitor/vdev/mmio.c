/* SPDX-License-Identifier: BSD-2-Clause */
#include "vdev/mmio.h"

#include "core/hart.h"
#include "core/work.h"
#include "device/plic_map.h"
#include "features/guard/guard.h"
#include "irq/routing.h"
#include "vdev/virtio.h"
#include "vdev/virtio_console.h"

static bool is_uart(const struct tenant *tenant, uint64_t address)
{
    return mmio_uart_offset(tenant, address) < MMIO_UART_SIZE;
}

static bool is_plic(const struct tenant *tenant, uint64_t address)
{
    return tenant->description->plic_base != 0 &&
           address - tenant->description->plic_base < PLIC_SIZE;
}

static bool is_virtio(const struct tenant *tenant, uint64_t address)
{
    return mmio_virtio_offset(tenant, address) < mmio_virtio_size(tenant);
}

/* The offset in the page of doorbells, which is behind the virtual devices. */
static uint64_t doorbell_offset(const struct tenant *tenant, uint64_t address)
{
    return mmio_virtio_offset(tenant, address) - mmio_virtio_size(tenant);
}

static bool is_doorbell(const struct tenant *tenant, uint64_t address)
{
    return (tenant->description->flags & COTENANT_TENANT_DOORBELLS) != 0 &&
           doorbell_offset(tenant, address) < COTENANT_VIRTUAL_DEVICE_SIZE;
}

static bool is_watchdog(const struct tenant *tenant, uint64_t address)
{
    return tenant->description->watchdog_base != 0 &&
           address - tenant->description->watchdog_base < WATCHDOG_SIZE;
}

bool mmio_is_emulated(const struct tenant *tenant, uint64_t address)
{
    return is_uart(tenant, address) || is_plic(tenant, address) || is_virtio(tenant, address) ||
           is_watchdog(tenant, address) || is_doorbell(tenant, address) ||
           guard_at(tenant, address) != NULL;
}

void mmio_uart_store(struct tenant *tenant, unsigned offset, uint8_t value)
{
    vuart_write(&tenant->uart, offset, value);
    if (vuart_transmit_used(&tenant->uart) != 0) {
        work_post();
    }
    routing_refresh_uart(tenant);
}

/* Registers are bytes; a wider access reaches the one at its address, as on a byte-wide bus. */
static void uart_access(struct tenant *tenant, unsigned offset, bool store, uint64_t *value)
{
    if (store) {
        mmio_uart_store(tenant, offset, (uint8_t)*value);
    } else {
        *value = vuart_read(&tenant->uart, offset);
        routing_refresh_uart(tenant);
    }
}

static bool plic_access(struct tenant *tenant, uint64_t offset, uint32_t size, bool store,
                        uint64_t *value)
{
    uint32_t word = (uint32_t)*value;
    bool done = store ? vplic_write(&tenant->plic, offset, size, word)
                      : vplic_read(&tenant->plic, offset, size, &word);

    if (store) {
        routing_choose_uart_line(tenant);
    } else {
        *value = word;
    }
    routing_refresh(tenant);
    return done;
}

static enum mmio_result watchdog_access(struct tenant *tenant, uint64_t offset, uint32_t size,
                                        bool store, uint64_t *value)
{
    if (size != 4 || offset % 4 != 0) {
        return MMIO_FAULT;
    }
    if (store) {
        watchdog_write(tenant, offset, (uint32_t)*value, hart_now(hart_self()));
    } else {
        *value = watchdog_read(tenant, offset);
    }
    return MMIO_DONE;
}

static struct virtio_device *virtio_at(const struct tenant *tenant, uint64_t offset)
{
    return &virtio_devices[tenant->description->device_first +
                           offset / COTENANT_VIRTUAL_DEVICE_SIZE];
}

uint32_t mmio_virtio_load(const struct tenant *tenant, uint64_t offset, uint32_t size)
{
    return FEATURE_VIRTIO
               ? virtio_read(virtio_at(tenant, offset), offset % COTENANT_VIRTUAL_DEVICE_SIZE, size)
               : 0;
}

bool mmio_virtio_store(struct tenant *tenant, uint64_t offset, uint32_t size, uint32_t value)
{
    return !FEATURE_VIRTIO || virtio_write(virtio_at(tenant, offset),
                                           offset % COTENANT_VIRTUAL_DEVICE_SIZE, size, value);
}

static enum mmio_result virtio_access(struct tenant *tenant, uint64_t offset, uint32_t size,
                                      bool store, uint64_t *value)
{
    if (store) {
        return mmio_virtio_store(tenant, offset, size, (uint32_t)*value) ? MMIO_DONE : MMIO_AGAIN;
    }
    *value = mmio_virtio_load(tenant, offset, size);
    return MMIO_DONE;
}

/* What is stored does not matter; a doorbell reads as 0. */
static enum mmio_result doorbell_access(struct tenant *tenant, uint64_t offset, bool store,
                                        uint64_t *value)
{
    if (store) {
        virtio_console_ring(tenant, (uint32_t)offset / sizeof(uint32_t));
    } else {
        *value = 0;
    }
    return MMIO_DONE;
}

enum mmio_result mmio_access(struct vhart *vhart, uint64_t address, uint32_t size, bool store,
                             uint64_t *value)
{
    struct tenant *tenant = vhart->tenant;
    struct guard *guard;

    if (is_uart(tenant, address)) {
        uart_access(tenant, (unsigned)mmio_uart_offset(tenant, address), store, value);
        return MMIO_DONE;
    }
    if (is_plic(tenant, address)) {
        bool done =
            plic_access(tenant, address - tenant->description->plic_base, size, store, value);

        return done ? MMIO_DONE : MMIO_FAULT;
    }
    if (is_watchdog(tenant, address)) {
        return watchdog_access(tenant, address - tenant->description->watchdog_base, size, store,
                               value);
    }
    if (is_virtio(tenant, address)) {
        return virtio_access(tenant, mmio_virtio_offset(tenant, address), size, store, value);
    }
    if (is_doorbell(tenant, address)) {
        return doorbell_access(tenant, doorbell_offset(tenant, address), store, value);
    }
    guard = guard_at(tenant, address);
    if (guard != NULL) {
        return guard_access(guard, vhart, (uint32_t)(address - guard->base), size, store, value);
    }
    return MMIO_FAULT;
}
