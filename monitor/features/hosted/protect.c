/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMP entries of guests: the last ones of the host's harts, which the tool keeps free. All
 * vharts of the hart get the same addresses, so that a world switch still writes permissions only;
 * to all but the guest's they are off.
 */
#include "arch/memory.h"
#include "arch/protection.h"
#include "core/hart.h"
#include "core/wanted.h"
#include "features/hosted/guests.h"

/* Of which guest.view each hart has the entries, 0 while they are written, and how far that is. */
static struct installed {
    uint64_t view;
    uint64_t begun;
    uint32_t next; /* vhart */
} installed[COTENANT_MAX_HARTS];

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
        guest_has_changed(guest_vhart_of(&guest->tenant->vharts[id]));
    }
    return next <= bundle->board.pmp_entries;
}

/*
 * The hart has them: all its vharts have the same, and its other guests have others next time. One
 * vhart at least has got them when this returns because the hart is wanted.
 */
static void __attribute__((noinline))
install(const struct guest *guest, const struct vhart *vhart, const struct hart *hart)
{
    struct installed *here = &installed[hart->index];
    uint32_t first = first_entry(guest);

    if (here->begun != guest->view) {
        *here = (struct installed){.begun = guest->view};
        for (uint32_t i = first; i < bundle->board.pmp_entries; i++) {
            protection_write_address(i, guest->pmp_address[i]);
        }
    }
    for (uint32_t i = here->next; i < COTENANT_MAX_VHARTS && vharts[i].world.hart != NULL; i++) {
        if (vharts[i].world.hart == hart && &vharts[i] != vhart) {
            memcpy(&vharts[i].rest.pmp_address[first], &guest->pmp_address[first],
                   (COTENANT_PMP_ENTRIES - first) * sizeof(uint64_t));
            guest_has_changed(&guest_vharts[i]);
        }
        here->next = i + 1;
        if (hart_is_wanted()) {
            return;
        }
    }
    here->view = guest->view;
}

bool guest_install(const struct guest *guest, struct vhart *vhart, const struct vhart *host)
{
    if (installed[host->world.hart->index].view != guest->view) {
        install(guest, vhart, host->world.hart);
        return false;
    }
    if (guest_vhart_of(vhart)->view != guest->view) {
        memcpy(vhart->rest.pmp_address, host->rest.pmp_address, sizeof(host->rest.pmp_address));
        memcpy(vhart->world.pmp_config, guest->pmp_config, sizeof(guest->pmp_config));
        guest_vhart_of(vhart)->view = guest->view;
        return false;
    }
    return true;
}
