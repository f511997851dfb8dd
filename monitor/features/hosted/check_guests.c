/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/hosted.h"
#include "core/bundle_check.h"

/* All slots together have their place behind the tenants and vharts of the bundle. */
static bool is_room(const struct bundle *bundle)
{
    uint64_t slots = 0;
    uint64_t vharts = bundle->vhart_count;

    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        slots += bundle->tenants[i].guest_count;
        vharts += (uint64_t)bundle->tenants[i].guest_count * bundle->tenants[i].guest_vharts;
    }
    return slots <= COTENANT_HOSTED_MAX_SLOTS &&
           slots + bundle->tenant_count <= COTENANT_MAX_TENANTS && vharts <= COTENANT_MAX_VHARTS;
}

/* A vhart that shares a hart with the host, or is the host's, leaves the entries for guests free.
 */
static bool keeps_entries_free(const struct bundle *bundle, const struct bundle_tenant *host,
                               const struct bundle_vhart *vhart)
{
    uint32_t entry = bundle->board.pmp_entries - host->guest_entries;

    for (uint32_t i = 0; i < host->vhart_count; i++) {
        while (bundle->vharts[host->vhart_first + i].hart == vhart->hart &&
               entry < bundle->board.pmp_entries) {
            if (vhart->pmp_config[entry] != 0 || vhart->pmp_address[entry++] != 0) {
                return false;
            }
        }
    }
    return true;
}

static struct check_result check_guests(const struct bundle *bundle, uint32_t index)
{
    const struct bundle_tenant *host = &bundle->tenants[index];
    const struct bundle_board *board = &bundle->board;
    uint64_t size = (1ul + host->guest_count * COTENANT_HOSTED_SLOT_PAGES) * COTENANT_HOSTED_PAGE;

    if (host->guest_count == 0) {
        return check_good();
    }
    REQUIRE(is_room(bundle), "tenant.guest_count: more than there is room for", index);
    REQUIRE(board->plic_base != 0, "tenant.guest_count: the board has no PLIC", index);
    REQUIRE(host->guest_vharts >= 1 && host->guest_vharts <= COTENANT_HOSTED_SLOT_PAGES,
            "tenant.guest_vharts: out of range", index);
    REQUIRE(host->guest_entries >= 1 && host->guest_entries < board->pmp_entries,
            "tenant.guest_entries: out of range", index);
    REQUIRE(host->guest_base != 0 && check_aligned(host->guest_base, CHECK_PAGE_SIZE) &&
                check_contains(0, CHECK_ADDRESS_LIMIT, host->guest_base, size) &&
                !check_overlaps(host->guest_base, size, board->ram_base, board->ram_size),
            "tenant.guest_base: in the RAM or beyond the address space", index);
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        const struct bundle_vhart *vhart = &bundle->vharts[i];

        REQUIRE(keeps_entries_free(bundle, host, vhart), "tenant.guest_entries: used by a vhart",
                i);
        /* Its guests would have their time beside it; its interrupts end their turns. */
        REQUIRE(vhart->tenant != index || (vhart->budget_us == 0 &&
                                           (vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) == 0),
                "tenant.guest_count: it has a budget, or its PLIC passed through", index);
    }
    return check_good();
}

BUNDLE_CHECK_EACH(CHECK_ADDED, check_guests);
