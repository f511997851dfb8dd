/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/uart.h"

#include "core/feature.h"
#include "features/plic/mmio.h"
#include "features/plic/routing.h"
#include "irq/source_set.h"

static bool has_enabled(const struct tenant *tenant, uint32_t source)
{
    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        if (source_set_has(tenant->plic->vharts[i].enable, source)) {
            return true;
        }
    }
    return false;
}

void uart_choose_line(struct tenant *tenant)
{
    uint32_t of_board = bundle->board.uart_source;
    uint32_t line = has_enabled(tenant, of_board) ? of_board : tenant->description->uart_source;

    if ((tenant->description->flags & COTENANT_TENANT_UART) != 0 && line != tenant->uart_line) {
        vplic_set_level(tenant->plic, tenant->uart_line, false);
        tenant->uart_line = line;
        tenant->uart_level = vuart_interrupt(&tenant->uart);
        vplic_set_level(tenant->plic, line, tenant->uart_level);
    }
}

void vuart_refresh(struct tenant *tenant)
{
    bool level = vuart_interrupt(&tenant->uart);

    /* Without a UART it is always low. */
    if (level != tenant->uart_level) {
        tenant->uart_level = level;
        if (HAS(fast_uart)) {
            routing_set_level(tenant, tenant->uart_line, level);
        } else {
            routing_set_any_level(tenant, tenant->uart_line, level);
        }
    }
}

static bool is_uart(const struct tenant *tenant, uint64_t address)
{
    return uart_offset(tenant, address) < UART_SIZE;
}

/* Registers are bytes; a wider access reaches the one at its address, as on a byte-wide bus. */
static enum mmio_result access_uart(struct vhart *vhart, uint64_t address, uint32_t size,
                                    bool store, uint64_t *value)
{
    uint64_t offset = uart_offset(vhart->tenant, address);

    (void)size;
    if (offset >= UART_SIZE) {
        return MMIO_FAULT;
    }
    if (store) {
        uart_store(vhart->tenant, (unsigned)offset, (uint8_t)*value);
    } else {
        *value = uart_load(vhart->tenant, (unsigned)offset);
    }
    return MMIO_DONE;
}

MMIO_WINDOW(is_uart, access_uart);
