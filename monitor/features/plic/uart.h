/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tenant's virtual 16550 as it uses it: its registers, and with them the interrupt line. Called
 * as core/vuart.h says.
 */
#ifndef COTENANT_FEATURES_PLIC_UART_H
#define COTENANT_FEATURES_PLIC_UART_H

#include "core/tenant.h"
#include "core/work.h"
#include "features/plic/vuart_registers.h"

/* Bytes of address space. */
#define UART_SIZE 0x100

/* The offset of a physical address in the UART; UART_SIZE or more: it is not there. */
static inline uint64_t uart_offset(const struct tenant *tenant, uint64_t address)
{
    return (tenant->description->flags & COTENANT_TENANT_UART) != 0
               ? address - tenant->description->uart_base
               : UART_SIZE;
}

/*
 * The tenant may have enabled or disabled a source: its virtual UART interrupts by the source of
 * the board's UART while the tenant has that one enabled, as kernels do that have its number built
 * in, and by the one of the tenant's description otherwise. Followed by routing_refresh().
 */
void uart_choose_line(struct tenant *tenant);

static inline uint8_t uart_load(struct tenant *tenant, unsigned offset)
{
    bool plain = vuart_read_is_plain(&tenant->uart, offset);
    uint8_t value = vuart_read(&tenant->uart, offset);

    if (!plain) {
        vuart_refresh(tenant);
    }
    return value;
}

static inline void uart_store(struct tenant *tenant, unsigned offset, uint8_t value)
{
    if (!vuart_write(&tenant->uart, offset, value)) {
        return;
    }
    if (vuart_transmit_used(&tenant->uart) != 0) {
        work_post();
    }
    vuart_refresh(tenant);
}

#endif
