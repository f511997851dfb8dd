/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which virtual device an access of the loaded vhart reaches, through the tenant's page tables.
 *
 * Drivers touch the same few pages again and again, so the last leaf entries are remembered with
 * their place; a remembered one counts only if it still reads the same there. What a tenant could
 * reach by changing the tables above without changing the leaf is another of its own virtual
 * devices.
 */
#ifndef COTENANT_FEATURES_PLIC_DEVICE_PAGES_H
#define COTENANT_FEATURES_PLIC_DEVICE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "core/vhart.h"
#include "features/plic/plic_vhart.h"

/* The place where the page of `address` is remembered. */
static inline struct device_page *device_page_of(struct vhart *vhart, uint64_t address)
{
    struct device_page *known = &vhart->plic->pages[(address >> GUEST_PAGE_SHIFT) % DEVICE_PAGES];

    __asm__("" : "+r"(known)); /* found once, not for each field */
    return known;
}

/* device_translate() for the page that is remembered at its place; false: it is another one. */
static inline bool device_recall(const struct device_page *known, uint64_t satp, uint64_t address,
                                 uint64_t *physical)
{
    uint64_t other_space = known->satp ^ satp;

    if (known->page != address >> GUEST_PAGE_SHIFT || known->leaf_address == 0 ||
        *(const volatile uint64_t *)known->leaf_address != known->leaf ||
        (other_space != 0 &&
         ((known->leaf & GUEST_ENTRY_GLOBAL) == 0 || other_space >> SATP_MODE_SHIFT != 0))) {
        return false;
    }
    *physical = known->physical | (address & ((1ul << GUEST_PAGE_SHIFT) - 1));
    return true;
}

/*
 * A window that the page of a physical address is in, if that needs no search; NULL otherwise.
 * `address`: where the vhart finds it.
 */
static inline const struct mmio_window *device_window(struct vhart *vhart, uint64_t address,
                                                      uint64_t physical)
{
    const struct device_page *known = device_page_of(vhart, address);

    return (known->physical ^ physical) >> GUEST_PAGE_SHIFT == 0 ? known->window : NULL;
}

/*
 * Translates as guest_translate(), and remembers the page if it was not; false also where the
 * address is no virtual device's.
 */
bool device_translate(struct vhart *vhart, uint64_t satp, uint64_t address, uint64_t *physical);

#endif
