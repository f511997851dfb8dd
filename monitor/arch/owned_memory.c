/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/owned_memory.h"

/* In one line of a cache: a walk of page tables goes through it for each level. */
bool __attribute__((aligned(64)))
tenant_owns_memory(const struct tenant *tenant, uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct bundle_range *range = &tenant->description->memory[i];
        uint64_t offset = address - range->base;

        if (offset < range->size && size <= range->size - offset) {
            return true;
        }
    }
    return false;
}
