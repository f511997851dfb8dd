/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/owned_memory.h"

/* Bytes from there to the end of the range that the address is in; 0: it is in none. */
static inline uint64_t __attribute__((always_inline))
owned_bytes(const struct tenant *tenant, uint64_t address)
{
    for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct bundle_range *range = &tenant->description->memory[i];
        uint64_t offset = address - range->base;

        if (offset < range->size) {
            return range->size - offset;
        }
    }
    return 0;
}

bool tenant_owns_memory(const struct tenant *tenant, uint64_t address, uint64_t size)
{
    uint64_t owned = owned_bytes(tenant, address);

    return owned != 0 && size <= owned;
}

/* In one line of a cache: a walk of page tables goes through it for each level. */
bool __attribute__((aligned(64))) tenant_owns_page(const struct tenant *tenant, uint64_t address)
{
    return owned_bytes(tenant, address) != 0;
}
