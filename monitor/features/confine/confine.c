/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/confine/confine.h"

#include "arch/guest_memory.h"
#include "arch/interrupts.h"
#include "arch/owned_memory.h"
#include "arch/protection.h"
#include "core/feature.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "features/decode/decode.h"

/* Those of an instruction and its data, if each of both is in two blocks. */
#define ENTRIES_NEEDED 4
#define TABLE_BITS 9
#define PAGE_SIZE (1ul << GUEST_PAGE_SHIFT)
/* Levels of the page tables, less than the number of their mode in satp. */
#define MODE_LESS_LEVELS 5
#define PTE_VALID 0x1
#define PTE_IS_LEAF 0xe
#define PTE_PPN_SHIFT 10

FEATURE(confine);

/* Whose blocks the spare entries of a hart hold. */
static struct holder {
    struct vhart *vhart;
    struct confinement *confinement;
} holders[COTENANT_MAX_HARTS];

/* The entries of a hart from `first` up to `end`, which is 0 if they are too few. */
static struct spare {
    uint8_t first;
    uint8_t end;
} spares[COTENANT_MAX_HARTS];

static void find_spare_entries(void)
{
    /* What a hart with a coarser grain does not distinguish is not offered at all. */
    uint8_t end = bundle->board.pmp_grain == 4 ? (uint8_t)bundle->board.pmp_entries : 0;

    for (uint32_t i = 0; i < COTENANT_MAX_HARTS; i++) {
        spares[i] = (struct spare){.end = end};
    }
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        const struct bundle_vhart *vhart = vharts[i].description;
        struct spare *spare = &spares[vhart->hart];

        for (uint8_t entry = spare->first; entry < end; entry++) {
            if (vhart->pmp_config[entry] != 0 || vhart->pmp_address[entry] != 0) {
                spare->first = entry + 1;
            }
        }
        if (bundle->tenants[vhart->tenant].guest_entries != 0) {
            spare->end = 0; /* those of its guests change, and take all that is spare */
        }
    }
    for (uint32_t i = 0; i < COTENANT_MAX_HARTS; i++) {
        if (spares[i].first + ENTRIES_NEEDED > spares[i].end) {
            spares[i] = (struct spare){0};
        }
    }
}

HOOK(machine_begins, find_spare_entries);

void confine_put(struct vhart *vhart, const void *config)
{
    memcpy(vhart->world.pmp_config, config, sizeof(vhart->world.pmp_config));
    if (vhart_is_loaded(vhart)) {
        CSR_WRITE(pmpcfg0, vhart->world.pmp_config[0]);
        CSR_WRITE(pmpcfg2, vhart->world.pmp_config[1]);
        FENCE_TRANSLATION();
    }
}

/*
 * An entry is no block for any purpose. The last one is on then, without rights: QEMU takes an mret
 * to another mode for illegal while no entry is on.
 */
static void empty(struct confinement *confinement, unsigned entry)
{
    for (unsigned purpose = 0; purpose < CONFINE_PURPOSES; purpose++) {
        ((uint8_t *)confinement->blocks[purpose])[entry] =
            entry + 1u == confinement->end ? PMP_MODE_NA4 : 0;
    }
}

void confine_forget(struct vhart *vhart, struct confinement *confinement)
{
    memset(confinement->blocks, 0, sizeof(confinement->blocks));
    if (confinement->end != 0) {
        empty(confinement, confinement->end - 1u);
    }
    if (*confinement->purpose < CONFINE_PURPOSES) {
        confine_put(vhart, confinement->blocks[*confinement->purpose]);
    }
}

void confine_begin(struct vhart *vhart, struct confinement *confinement)
{
    struct spare spare = spares[vhart->description->hart];

    confinement->first = spare.first;
    confinement->end = spare.end;
    confinement->next = spare.first;
    confine_forget(vhart, confinement);
    confine_put(vhart, vhart->description->pmp_config);
}

/* The addresses are those of all vharts of the hart: a world switch may write the rights only. */
static void fill(struct vhart *vhart, struct confinement *confinement, uint64_t address,
                 uint8_t config)
{
    struct hart *hart = vhart->world.hart;
    struct holder *holder = &holders[hart->index];
    uint8_t entry = confinement->next;

    if (holder->confinement != NULL && holder->confinement != confinement) {
        confine_forget(holder->vhart, holder->confinement);
    }
    *holder = (struct holder){vhart, confinement};
    confinement->next = entry + 1 < confinement->end ? entry + 1 : confinement->first;
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        if (vharts[i].world.hart == hart) {
            vharts[i].rest.pmp_address[entry] = address;
        }
    }
    empty(confinement, entry);
    ((uint8_t *)confinement->blocks[*confinement->purpose])[entry] = config;
    protection_write_address(entry, address);
    confine_put(vhart, confinement->blocks[*confinement->purpose]);
}

/* Opens what both sets allow, unless the right is only asked for. */
static enum confine_verdict look_up(struct vhart *vhart, struct confinement *confinement,
                                    uint8_t right, uint64_t physical, bool opens)
{
    const struct bundle_vhart *own = vhart->description;
    const uint8_t *blocks;
    uint64_t at = physical >> 2;
    uint64_t size = opens ? PMP_ALL : 1; /* nothing is narrowed that nobody asks for */
    uint8_t config = confinement->rights(vhart, at, &size) & PMP_RIGHTS;
    uint64_t address;

    if ((config & right) == 0) {
        return CONFINE_DENIED;
    }
    if (!opens) {
        return CONFINE_ALLOWED;
    }
    config &= pmp_decide(own->pmp_address, own->pmp_config, at, &size, 0);
    if ((config & right) == 0) {
        return CONFINE_ELSEWHERE;
    }
    blocks = (const uint8_t *)confinement->blocks[*confinement->purpose];
    address = size == 1 ? at : (at & -size) | (size / 2 - 1);
    config |= size == 1 ? PMP_MODE_NA4 : PMP_MODE_NAPOT;
    for (unsigned entry = confinement->first; entry < confinement->end; entry++) {
        if (blocks[entry] == config && vhart->rest.pmp_address[entry] == address) {
            return CONFINE_ALLOWED;
        }
    }
    fill(vhart, confinement, address, config);
    return CONFINE_OPENED;
}

/* The entries of page tables on the way to an address are read as by S-mode. */
static enum confine_verdict look_up_tables(struct vhart *vhart, struct confinement *confinement,
                                           uint64_t satp, uint64_t address, bool opens)
{
    unsigned level = (unsigned)(satp >> SATP_MODE_SHIFT) - MODE_LESS_LEVELS;
    uint64_t table = (satp & SATP_PPN_MASK) << GUEST_PAGE_SHIFT;

    while (level-- > 0) {
        uint64_t index = address >> (GUEST_PAGE_SHIFT + TABLE_BITS * level) & 511;
        uint64_t place = table + index * sizeof(uint64_t);
        enum confine_verdict verdict = look_up(vhart, confinement, PMP_READ, place, opens);
        uint64_t entry;

        if (verdict != CONFINE_ALLOWED) {
            return verdict;
        }
        if (hart_is_wanted()) {
            return CONFINE_OPENED; /* not yet: all of it takes long */
        }
        if (!tenant_owns_page(vhart->tenant, place)) {
            return CONFINE_ELSEWHERE;
        }
        entry = *(const volatile uint64_t *)place;
        if ((entry & PTE_VALID) == 0 || (entry & PTE_IS_LEAF) != 0) {
            break;
        }
        table = (entry >> PTE_PPN_SHIFT & SATP_PPN_MASK) << GUEST_PAGE_SHIFT;
    }
    return CONFINE_ALLOWED;
}

enum confine_verdict confine_look_up(struct vhart *vhart, struct confinement *confinement,
                                     uint64_t cause, uint64_t address)
{
    uint8_t right = cause == CAUSE_FETCH_ACCESS  ? PMP_EXECUTE
                    : cause == CAUSE_LOAD_ACCESS ? PMP_READ
                                                 : PMP_WRITE;
    uint64_t satp = CSR_READ(satp);
    uint64_t physical;

    if (satp >> SATP_MODE_SHIFT != 0) {
        enum confine_verdict verdict = look_up_tables(vhart, confinement, satp, address, true);

        if (verdict != CONFINE_ALLOWED) {
            return verdict;
        }
    }
    return guest_translate(vhart->tenant, satp, address, &physical)
               ? look_up(vhart, confinement, right, physical, true)
               : CONFINE_ELSEWHERE;
}

enum confine_verdict confine_allows(struct vhart *vhart, struct confinement *confinement,
                                    uint64_t satp, bool store, uint64_t address)
{
    uint64_t pc = vhart->world.registers[REGISTER_PC];
    uint8_t right = store ? PMP_WRITE : PMP_READ;
    struct memory_access access = {.size = 1};
    bool is_new_page = satp >> SATP_MODE_SHIFT != 0;
    uint32_t instruction = guest_fetch(vhart->tenant, CSR_READ(satp), pc);
    uint64_t physical;
    uint64_t end;

    if (hart_is_wanted()) {
        return CONFINE_OPENED;
    }
    if (instruction == 0) {
        return CONFINE_ALLOWED;
    }
    (void)(instruction_decode(instruction, store, &access) ||
           instruction_decode_floating(instruction, store, &access));
    end = address + access.size;
    while (address < end) { /* in each unit of 4 bytes */
        enum confine_verdict verdict =
            is_new_page ? look_up_tables(vhart, confinement, satp, address, false)
                        : CONFINE_ALLOWED;

        if (verdict == CONFINE_OPENED || hart_is_wanted()) {
            return CONFINE_OPENED;
        }
        if (verdict == CONFINE_DENIED ||
            (guest_translate_checked(vhart->tenant, satp, vhart->world.mstatus, store, address,
                                     &physical) &&
             look_up(vhart, confinement, right, physical, false) == CONFINE_DENIED)) {
            return CONFINE_DENIED;
        }
        address = (address | 3) + 1;
        is_new_page = satp >> SATP_MODE_SHIFT != 0 && address % PAGE_SIZE == 0;
    }
    return CONFINE_ALLOWED;
}
