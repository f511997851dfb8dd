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

/* What ends a walk of page tables. */
struct guest_leaf {
    uint64_t address; /* of the entry, physical */
    uint64_t entry;
    uint64_t physical; /* what the address that was looked up is translated to */
};

/* Finds the leaf entry of a virtual address, for a `satp` with a mode. */
bool guest_walk(const struct tenant *tenant, uint64_t satp, uint64_t address,
                struct guest_leaf *found);

/* Reads an instruction with the hart's own translation; see arch/guest_fetch.S. */
uint32_t guest_fetch_native(uint64_t pc);

/*
 * Returns the instruction at virtual address `pc`; a compressed one in the low 16 bits with the
 * high ones zero. 0, which is no instruction, where it is not in the tenant's RAM.
 */
uint32_t guest_fetch(const struct tenant *tenant, uint64_t satp, uint64_t pc);

#endif
