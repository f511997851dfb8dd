/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMP entries of guests: the last ones of the host's harts, which the tool keeps free. Where
 * all vharts of a hart have the same addresses, a world switch writes permissions only. That goes
 * on so: other vharts have these entries off, whatever is there.
 */
#include "arch/memory.h"
#include "arch/protection.h"
#include "core/hart.h"
#include "features/hosted/guests.h"

/* Of which guest.view each hart has the entries. */
static uint64_t installed[COTENANT_MAX_HARTS];

/* Returns the entry behind the one that is added; there may be none. */
static uint32_t add(struct guest *guest, uint32_t entry, uint64_t address, uint8_t mode)
{
    if (entry < bundle->board.pmp_entries) {
        guest->pmp_address[entry] = address;
        guest->pmp_config[entry] = mode;
    }
    return entry + 1;
}

static uint32_t first_entry(const struct guest *guest)
{
    return bundle->board.pmp_entries - guest->host->description->guest_entries;
}

bool guest_protect(struct guest *guest)
{
    static uint64_t latest_view;
    uint32_t next = first_entry(guest);
    uint64_t bound = UINT64_MAX;

    guest->size = 0;
    memset(guest->pmp_config, 0, sizeof(guest->pmp_config));
    for (uint32_t i = 0; i < COTENANT_HOSTED_MAX_RANGES; i++) {
        const struct bundle_range *range = &guest->description.memory[i];
        uint64_t base = range->base >> 2;

        guest->size += range->size;
        if (range->size == 0) {
            continue;
        }
        if (((range->base | range->size) & (range->size - 1)) == 0) {
            base |= (range->size >> 3) - 1;
            next = add(guest, next, base, PMP_MODE_NAPOT | PMP_RIGHTS);
            bound = UINT64_MAX;
            continue;
        }
        if (bound != base) { /* else it is the upper bound of the one before */
            next = add(guest, next, base, 0);
        }
        bound = (range->base + range->size) >> 2;
        next = add(guest, next, bound, PMP_MODE_TOR | PMP_RIGHTS);
    }
    guest->view = ++latest_view;
    for (uint32_t id = 0; id < guest->tenant->vhart_count; id++) {
        guest_vhart_of(&guest->tenant->vharts[id])->view = NO_VIEW;
    }
    return next <= bundle->board.pmp_entries;
}

bool guest_install(const struct guest *guest, struct vhart *vhart, const struct vhart *host)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    const struct hart *hart = host->world.hart;
    uint32_t first = first_entry(guest);

    if (installed[hart->index] != guest->view) {
        installed[hart->index] = guest->view;
        for (uint32_t i = bundle->vhart_count; i < COTENANT_MAX_VHARTS; i++) {
            if (vharts[i].world.hart == hart) {
                guest_vharts[i].view = NO_VIEW;
            }
        }
        for (uint32_t i = first; i < bundle->board.pmp_entries; i++) {
            protection_write_address(i, guest->pmp_address[i]);
        }
        return false;
    }
    if (own->view != guest->view) {
        memcpy(vhart->rest.pmp_address, host->rest.pmp_address, sizeof(host->rest.pmp_address));
        for (uint32_t i = first; i < COTENANT_PMP_ENTRIES; i++) {
            vhart->rest.pmp_address[i] = guest->pmp_address[i];
        }
        memcpy(vhart->world.pmp_config, guest->pmp_config, sizeof(guest->pmp_config));
        own->view = guest->view;
        return false;
    }
    return true;
}
