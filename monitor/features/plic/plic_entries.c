/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/plic_entries.h"

#include "arch/csr.h"
#include "arch/interrupts.h"
#include "core/tenant.h"
#include "device/plic_map.h"

void plic_entry_set(struct vhart *vhart, uint32_t entry, bool allowed)
{
    uint8_t *current;
    uint8_t configuration;

    if (entry == COTENANT_NONE) {
        return;
    }
    current = (uint8_t *)vhart->world.pmp_config + entry;
    configuration = vhart->description->pmp_config[entry];
    if (!allowed) {
        configuration &= (uint8_t)~PMP_RIGHTS; /* it still matches: no later entry decides */
    }
    if (*current == configuration) {
        return;
    }
    *current = configuration;
    if (vhart_is_loaded(vhart)) {
        CSR_WRITE(pmpcfg0, vhart->world.pmp_config[0]);
        CSR_WRITE(pmpcfg2, vhart->world.pmp_config[1]);
        FENCE_TRANSLATION();
    }
}

uint32_t plic_entry_of_enables(const struct bundle_vhart *vhart)
{
    uint64_t enables = bundle->board.plic_base + PLIC_ENABLE_BASE +
                       (uint64_t)PLIC_ENABLE_STRIDE * vhart->plic_s_context;

    for (uint32_t entry = 0; entry < COTENANT_PMP_ENTRIES; entry++) {
        if (vhart->pmp_config[entry] == (PMP_MODE_NAPOT | PMP_READ) &&
            vhart->pmp_address[entry] == (enables | (PLIC_ENABLE_STRIDE / 2 - 1)) >> 2) {
            return entry;
        }
    }
    return COTENANT_NONE;
}
