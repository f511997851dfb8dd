/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/mmio.h"

#include "device/plic_map.h"
#include "features/plic/routing.h"
#include "features/plic/uart.h"

const struct mmio_window *mmio_window_at(const struct tenant *tenant, uint64_t address)
{
    FOR_EACH_IN_TABLE(mmio_windows, window)
    {
        if (window->match(tenant, address)) {
            return window;
        }
    }
    return NULL;
}

static bool is_plic(const struct tenant *tenant, uint64_t address)
{
    return tenant->description->plic_base != 0 &&
           address - tenant->description->plic_base < PLIC_SIZE;
}

static enum mmio_result access_plic(struct vhart *vhart, uint64_t address, uint32_t size,
                                    bool store, uint64_t *value)
{
    struct tenant *tenant = vhart->tenant;
    uint64_t offset = address - tenant->description->plic_base;
    uint32_t word = (uint32_t)*value;

    if (!vplic_access(tenant->plic, offset, size, store, &word)) {
        return MMIO_FAULT;
    }
    if (store) {
        uart_choose_line(tenant);
    }
    *value = word;
    routing_refresh(tenant);
    return MMIO_DONE;
}

MMIO_WINDOW(is_plic, access_plic);
