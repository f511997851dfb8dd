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

static uint32_t zeros_at_once(uint64_t length)
{
    return length < COTENANT_CONTROL_MOST_ZEROS ? (uint32_t)length : COTENANT_CONTROL_MOST_ZEROS;
}

uint32_t memory_find(const struct tenant *tenant, const char *what, uint64_t address,
                     uint64_t length, uint64_t *zeros)
{
    uint32_t most = zeros_at_once(length);
    uint32_t count;

    check(tenant, what,
          link_ask(COTENANT_CONTROL_MEMORY_FIND, tenant->index, most, address, NULL, 0,
                   sizeof(struct control_found)));
    *zeros = link_data.found.header.position - address;
    count = link_length - (uint32_t)sizeof(struct control_found);
    if (*zeros > most || count > most - *zeros || (*zeros == 0 && count == 0) ||
        ((*zeros | count) & (sizeof(uint64_t) - 1)) != 0) {
        fail(EXIT_NO_MONITOR, "the monitor's answer makes no sense");
    }
    return count;
}

void memory_clear(const struct tenant *tenant, const char *what, uint64_t address, uint64_t length)
{
    while (length != 0) {
        uint32_t most = zeros_at_once(length);

        check(tenant, what,
              link_ask(COTENANT_CONTROL_MEMORY_CLEAR, tenant->index, most, address, NULL, 0,
                       sizeof(link_data.number)));
        if (link_data.number == 0 || link_data.number > most ||
            link_data.number % sizeof(uint64_t) != 0) {
            fail(EXIT_NO_MONITOR, "the monitor's answer makes no sense");
        }
        address += link_data.number;
        length -= link_data.number;
    }
}

void memory_write(const struct tenant *tenant, const char *what, uint64_t address,
                  const void *bytes, uint32_t length)
{
    check(tenant, what,
          link_ask(COTENANT_CONTROL_MEMORY_WRITE, tenant->index, 0, address, bytes, length, 0));
}
