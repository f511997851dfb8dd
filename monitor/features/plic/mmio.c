/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/mmio.h"

#include "core/work.h"
#include "device/plic_map.h"
#include "features/plic/routing.h"
#include "features/plic/vuart_registers.h"

static bool is_uart(const struct tenant *tenant, uint64_t address)
{
    return mmio_uart_offset(tenant, address) < MMIO_UART_SIZE;
}

static bool is_plic(const struct tenant *tenant, uint64_t address)
{
    return tenant->description->plic_base != 0 &&
           address - tenant->description->plic_base < PLIC_SIZE;
}

/* The window that the address is in, or NULL. */
static const struct mmio_window *window_at(const struct tenant *tenant, uint64_t address)
{
    FOR_EACH_IN_TABLE(mmio_windows, window)
    {
        if (window->match(tenant, address)) {
            return window;
        }
    }
    return NULL;
}

bool mmio_is_emulated(const struct tenant *tenant, uint64_t address,
                      const struct mmio_window **window)
{
    *window = NULL;
    if (is_uart(tenant, address) || is_plic(tenant, address)) {
        return true;
    }
    *window = window_at(tenant, address);
    return *window != NULL;
}

void mmio_uart_store(struct tenant *tenant, unsigned offset, uint8_t value)
{
    vuart_write(&tenant->uart, offset, value);
    if (vuart_transmit_used(&tenant->uart) != 0) {
        work_post();
    }
    vuart_refresh(tenant);
}

/* Registers are bytes; a wider access reaches the one at its address, as on a byte-wide bus. */
static void uart_access(struct tenant *tenant, unsigned offset, bool store, uint64_t *value)
{
    if (store) {
        mmio_uart_store(tenant, offset, (uint8_t)*value);
    } else {
        *value = vuart_read(&tenant->uart, offset);
        vuart_refresh(tenant);
    }
}

static bool plic_access(struct tenant *tenant, uint64_t offset, uint32_t size, bool store,
                        uint64_t *value)
{
    uint32_t word = (uint32_t)*value;
    bool done = store ? vplic_write(tenant->plic, offset, size, word)
                      : vplic_read(tenant->plic, offset, size, &word);

    if (store) {
        routing_choose_uart_line(tenant);
    } else {
        *value = word;
    }
    routing_refresh(tenant);
    return done;
}

enum mmio_result mmio_access(struct vhart *vhart, uint64_t address, uint32_t size, bool store,
                             uint64_t *value)
{
    struct tenant *tenant = vhart->tenant;
    const struct mmio_window *window;

    if (is_uart(tenant, address)) {
        uart_access(tenant, (unsigned)mmio_uart_offset(tenant, address), store, value);
        return MMIO_DONE;
    }
    if (is_plic(tenant, address)) {
        bool done =
            plic_access(tenant, address - tenant->description->plic_base, size, store, value);

        return done ? MMIO_DONE : MMIO_FAULT;
    }
    window = window_at(tenant, address);
    return window == NULL ? MMIO_FAULT : window->access(vhart, address, size, store, value);
}
