/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/device_pages.h"

#include "features/plic/mmio.h"

static bool find(struct vhart *vhart, uint64_t satp, uint64_t address, uint64_t *physical)
{
    struct device_page *known = device_page_of(vhart, address);
    struct guest_leaf leaf = {.physical = address};

    known->leaf_address = 0;
    if (satp >> SATP_MODE_SHIFT != 0 && !guest_walk(vhart->tenant, satp, address, &leaf)) {
        return false;
    }
    known->window = mmio_window_at(vhart->tenant, leaf.physical);
    if (known->window == NULL) {
        return false;
    }
    *physical = leaf.physical;
    known->page = address >> GUEST_PAGE_SHIFT;
    known->satp = satp;
    known->leaf_address = leaf.address;
    known->leaf = leaf.entry;
    known->physical = leaf.physical >> GUEST_PAGE_SHIFT << GUEST_PAGE_SHIFT;
    return true;
}

bool device_translate(struct vhart *vhart, uint64_t satp, uint64_t address, uint64_t *physical)
{
    return device_recall(device_page_of(vhart, address), satp, address, physical) ||
           find(vhart, satp, address, physical);
}
