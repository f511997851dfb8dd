/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a tenant's memory through its own page tables, in software.
 *
 * Every address that the tenant's tables contain is checked against the tenant's RAM before the
 * monitor follows it, so that the walk can neither fault nor leave the tenant. The hart has already
 * checked permissions: these functions are for accesses that reached physical memory protection.
 */
#ifndef COTENANT_ARCH_GUEST_MEMORY_H
#define COTENANT_ARCH_GUEST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/csr.h"
#include "core/tenant.h"

/*
 * Translates a virtual address under `satp` (Bare, Sv39, Sv48, Sv57; privileged ISA 4.3-4.5).
 * Returns false where the tables are invalid or leave the tenant's RAM.
 */
bool guest_translate(const struct tenant *tenant, uint64_t satp, uint64_t address,
                     uint64_t *physical);

/*
 * The same for a load or store that the hart has not checked: applies the rules of privileged ISA
 * 4.3.2 to an access made under `status` (mstatus as the trap left it, with the privilege mode in
 * MPP). Returns false where the hart would raise a page fault; one that manages the A and D bits
 * itself would not raise it for those, but a kernel can deal with it.
 */
bool guest_translate_checked(const struct tenant *tenant, uint64_t satp, uint64_t status,
                             bool store, uint64_t address, uint64_t *physical);

#define GUEST_PAGE_SHIFT 12
#define GUEST_ENTRY_GLOBAL 0x20

/* The place where the page of `address` is remembered. */
static inline struct device_page *guest_device_page(struct vhart *vhart, uint64_t address)
{
    return &vhart->device_pages[(address >> GUEST_PAGE_SHIFT) % DEVICE_PAGES];
}

/* guest_translate_device() for a page that is not remembered. */
bool guest_find_device(struct vhart *vhart, uint64_t satp, uint64_t address, uint64_t *physical);

/* guest_translate_device() for a page that is; false: it is not. */
static inline bool guest_recall_device(struct vhart *vhart, uint64_t satp, uint64_t address,
                                       uint64_t *physical)
{
    const struct device_page *known = guest_device_page(vhart, address);
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
 * Translates as guest_translate() does and tells whether the address is one of the tenant's virtual
 * devices. Drivers touch the same few pages again and again, so the last leaf entries are
 * remembered with their place; a remembered one counts only if it still reads the same there. What
 * a tenant could reach by changing the tables above without changing the leaf is another of its
 * own virtual devices. For the loaded vhart.
 */
static inline bool guest_translate_device(struct vhart *vhart, uint64_t satp, uint64_t address,
                                          uint64_t *physical)
{
    return guest_recall_device(vhart, satp, address, physical) ||
           guest_find_device(vhart, satp, address, physical);
}

/* Reads an instruction with the hart's own translation; see arch/guest_fetch.S. */
uint32_t guest_fetch_native(uint64_t pc);
#define GUEST_FETCH_FAILED UINT32_MAX

/*
 * Reads the instruction at virtual address `pc`; a compressed one in the low 16 bits with the high
 * ones zero. Returns false where it is not in the tenant's RAM.
 */
bool guest_fetch(const struct tenant *tenant, uint64_t satp, uint64_t pc, uint32_t *instruction);

#endif
