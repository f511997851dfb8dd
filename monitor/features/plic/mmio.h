/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses at which a tenant finds what the monitor emulates: its virtual 16550, its PLIC, and
 * the windows that virtual devices register at link time.
 */
#ifndef COTENANT_FEATURES_PLIC_MMIO_H
#define COTENANT_FEATURES_PLIC_MMIO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"
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

/* The tenant stores a byte to a register of its virtual 16550. */
void mmio_uart_store(struct tenant *tenant, unsigned offset, uint8_t value);

enum mmio_result {
    MMIO_DONE,
    MMIO_FAULT, /* no such register: an access fault */
    MMIO_AGAIN, /* some of it is done: the tenant makes the access again */
};

/*
 * The loaded vhart loads or stores `size` (1, 2, 4, 8) bytes at physical address `address`; `value`
 * holds what is stored or receives what is loaded.
 */
typedef enum mmio_result mmio_accessor(struct vhart *vhart, uint64_t address, uint32_t size,
                                       bool store, uint64_t *value);
mmio_accessor mmio_access;

/* Called with interrupts off, `access` with the shared lock as well. */
struct mmio_window {
    /* `address` is the tenant's, and in it. */
    bool (*match)(const struct tenant *tenant, uint64_t address);
    /*
     * mmio_access() for what matches. It may get another address of a page in which something
     * matched, and answers MMIO_FAULT there, with nothing done.
     */
    mmio_accessor *access;
};

TABLE(const struct mmio_window, mmio_windows);

/* Registers a window at link time: see core/table.h. */
#define MMIO_WINDOW(match, access)                                                                 \
    static const struct mmio_window match##_window TABLE_ENTRY(mmio_windows) = {match, access}

/*
 * `address` belongs to a virtual device of the tenant. `*window` is set to the window that it is
 * in, or to NULL.
 */
bool mmio_is_emulated(const struct tenant *tenant, uint64_t address,
                      const struct mmio_window **window);

#endif
