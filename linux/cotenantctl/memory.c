/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory.h"

#include "link.h"
#include "say.h"

static void check(const struct tenant *tenant, const char *what, uint16_t status)
{
    struct tenant now = *tenant;

    if (status != COTENANT_CONTROL_OK) {
        tenant_update(&now);
        refused(&now, what, status);
    }
}

void memory_read(const struct tenant *tenant, const char *what, uint64_t address, uint32_t length)
{
    check(tenant, what,
          link_ask(COTENANT_CONTROL_MEMORY_READ, tenant->index, length, address, NULL, 0, length));
    if (link_length != length) {
        fail(EXIT_NO_MONITOR, "the monitor's answer is too long");
    }
}

void memory_write(const struct tenant *tenant, const char *what, uint64_t address,
                  const void *bytes, uint32_t length)
{
    check(tenant, what,
          link_ask(COTENANT_CONTROL_MEMORY_WRITE, tenant->index, 0, address, bytes, length, 0));
}
