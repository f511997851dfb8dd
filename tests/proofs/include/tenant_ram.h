/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an entry takes for tenants' RAM: the addresses from RAM_FIRST on, which proofs.toml makes
 * the only ones that may be accessed beside C objects (-absolute-valid-range).
 */
#ifndef COTENANT_TESTS_PROOFS_TENANT_RAM_H
#define COTENANT_TESTS_PROOFS_TENANT_RAM_H

#include "arch/owned_memory.h"
#include "proof.h"

#define RAM_FIRST 0x80000000ul
#define RAM_END 0x80400000ul

/*
 * Any part of that RAM may be the tenant's, and nothing else: what arch/owned_memory.c answers for
 * a tenant whose ranges lie there.
 */
bool tenant_owns_memory(const struct tenant *tenant, uint64_t address, uint64_t size)
{
    (void)tenant;
    if (any_bool()) {
        return false;
    }
    return address >= RAM_FIRST && address < RAM_END && size <= RAM_END - RAM_FIRST &&
           address <= RAM_END - size;
}

bool tenant_owns_page(const struct tenant *tenant, uint64_t address)
{
    (void)tenant;
    return any_bool() && address >= RAM_FIRST && address < RAM_END;
}

#endif
