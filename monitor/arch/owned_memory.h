/* SPDX-License-Identifier: BSD-2-Clause */
/* What memory is a tenant's: asked of each address that a tenant names, before it is used. */
#ifndef COTENANT_ARCH_OWNED_MEMORY_H
#define COTENANT_ARCH_OWNED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"

/* The whole range [address, address + size) lies in one of the tenant's RAM ranges. */
bool tenant_owns_memory(const struct tenant *tenant, uint64_t address, uint64_t size);

/* The whole page around the address does: they begin and end with pages. */
bool tenant_owns_page(const struct tenant *tenant, uint64_t address);

#endif
