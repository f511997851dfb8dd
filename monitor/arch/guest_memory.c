/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/guest_memory.h"

#include "arch/csr.h"
#include "arch/owned_memory.h"

#define PAGE_SHIFT GUEST_PAGE_SHIFT
#define PAGE_SIZE 4096
#define LEVEL_BITS 9
#define ENTRY_VALID 0x1
#define ENTRY_READ 0x2
#define ENTRY_WRITE 0x4
#define ENTRY_EXECUTE 0x8
#define ENTRY_LEAF 0xe /* R, W or X */
#define ENTRY_USER 0x10
#define ENTRY_ACCESSED 0x40
#define ENTRY_DIRTY 0x80
#define ENTRY_PPN_SHIFT 10
#define SATP_MODE_SV39 8
#define SATP_MODE_SV57 10

bool guest_walk(const struct tenant *tenant, uint64_t satp, uint64_t address,
                struct guest_leaf *found)
{
    uint64_t mode = satp >> SATP_MODE_SHIFT;
    uint64_t table = (satp & SATP_PPN_MASK) << PAGE_SHIFT;
    int level;

    if (mode < SATP_MODE_SV39 || mode > SATP_MODE_SV57) {
        return false;
    }
    for (level = (int)(mode - SATP_MODE_SV39) + 2; level >= 0; level--) {
        unsigned shift = PAGE_SHIFT + LEVEL_BITS * (unsigned)level;
        uint64_t index = (address >> shift) & ((1u << LEVEL_BITS) - 1);
        uint64_t entry;
        uint64_t base;

        if (!tenant_owns_page(tenant, table)) {
            return false;
        }
        entry = *(const volatile uint64_t *)(table + index * sizeof(uint64_t));
        base = ((entry >> ENTRY_PPN_SHIFT) & SATP_PPN_MASK) << PAGE_SHIFT;
        if ((entry & ENTRY_VALID) == 0) {
            return false;
        }
        if ((entry & ENTRY_LEAF) != 0) {
            uint64_t offset_mask = (1ul << shift) - 1;

            found->address = table + index * sizeof(uint64_t);
            found->entry = entry;
            found->physical = (base & ~offset_mask) | (address & offset_mask);
            return true;
        }
        table = base;
    }
    return false;
}

bool guest_translate(const struct tenant *tenant, uint64_t satp, uint64_t address,
                     uint64_t *physical)
{
    struct guest_leaf found;

    if (satp >> SATP_MODE_SHIFT == 0) {
        *physical = address;
        return true;
    }
    if (!guest_walk(tenant, satp, address, &found)) {
        return false;
    }
    *physical = found.physical;
    return true;
}

/* The bits above those that the page tables translate repeat the highest of them. */
static bool is_canonical(uint64_t satp, uint64_t address)
{
    unsigned levels = (unsigned)(satp >> SATP_MODE_SHIFT) - SATP_MODE_SV39 + 3;
    unsigned unused = 64 - (PAGE_SHIFT + LEVEL_BITS * levels);

    return (uint64_t)((int64_t)(address << unused) >> unused) == address;
}

static bool permits(uint64_t leaf, uint64_t status, bool store)
{
    bool from_s = (status & MSTATUS_MPP) == MSTATUS_MPP_S;
    bool user_page = (leaf & ENTRY_USER) != 0;
    bool readable =
        (leaf & ENTRY_READ) != 0 || ((leaf & ENTRY_EXECUTE) != 0 && (status & MSTATUS_MXR) != 0);

    if (from_s ? user_page && (status & MSTATUS_SUM) == 0 : !user_page) {
        return false;
    }
    if ((leaf & ENTRY_ACCESSED) == 0 || (store && (leaf & ENTRY_DIRTY) == 0)) {
        return false;
    }
    if ((leaf & (ENTRY_READ | ENTRY_WRITE)) == ENTRY_WRITE) {
        return false; /* reserved */
    }
    return store ? (leaf & ENTRY_WRITE) != 0 : readable;
}

bool guest_translate_checked(const struct tenant *tenant, uint64_t satp, uint64_t status,
                             bool store, uint64_t address, uint64_t *physical)
{
    struct guest_leaf found;

    if (satp >> SATP_MODE_SHIFT == 0) {
        *physical = address;
        return true;
    }
    if (!guest_walk(tenant, satp, address, &found)) {
        return false;
    }
    *physical = found.physical;
    return is_canonical(satp, address) && permits(found.entry, status, store);
}

/* 16 bits of an instruction, or NULL. */
static const volatile uint16_t *parcel_at(const struct tenant *tenant, uint64_t satp, uint64_t pc)
{
    uint64_t physical;

    if ((pc & 1) != 0 || !guest_translate(tenant, satp, pc, &physical) ||
        !tenant_owns_page(tenant, physical)) {
        return NULL;
    }
    return (const volatile uint16_t *)physical;
}

uint32_t guest_fetch(const struct tenant *tenant, uint64_t satp, uint64_t pc)
{
    const volatile uint16_t *parcel = parcel_at(tenant, satp, pc);
    uint32_t low;

    if (parcel == NULL) {
        return 0;
    }
    low = *parcel++;
    if ((low & 3) != 3) {
        return low;
    }
    if ((pc + 2) % PAGE_SIZE == 0) {
        parcel = parcel_at(tenant, satp, pc + 2);
    }
    return parcel == NULL ? 0 : (uint32_t)*parcel << 16 | low;
}
