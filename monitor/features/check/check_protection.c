/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first entry that matches an address decides about it (privileged ISA 3.7.1). So what an entry
 * opens is what it matches without what the entries before it match, whatever those allow. That is
 * a few parts, and each of them must be the tenant's. An access that more than one entry matches
 * can only be denied, and so can one by a claim entry that is closed, which keeps its mode: both
 * need no thought here.
 */
#include "arch/csr.h"
#include "core/bundle_check.h"
#include "core/guarded.h"
#include "device/plic_map.h"
#include "features/check/words.h"

/* The bytes that an entry matches; none for one that is off. */
static struct bundle_range matched(const struct bundle_vhart *vhart, unsigned entry)
{
    uint64_t address = vhart->pmp_address[entry];
    uint64_t previous = entry == 0 ? 0 : vhart->pmp_address[entry - 1];
    uint64_t ones;

    switch (vhart->pmp_config[entry] & PMP_MODE) {
    case PMP_MODE_TOR:
        return (struct bundle_range){previous << 2,
                                     address > previous ? (address - previous) << 2 : 0};
    case PMP_MODE_NA4:
        return (struct bundle_range){address << 2, 4};
    case PMP_MODE_NAPOT:
        ones = address & ~(address + 1); /* the trailing ones */
        return (struct bundle_range){(address - ones) << 2, (ones + 1) << 3};
    default:
        return (struct bundle_range){0, 0};
    }
}

static uint32_t rights_of(const struct bundle_vhart *vhart, unsigned entry)
{
    return vhart->pmp_config[entry] & PMP_RIGHTS;
}

/*
 * The first part, at `from` or later, of the addresses about which an entry decides; size 0 if
 * there is no more of them. `base` only grows, so each entry before this one is stepped over once.
 */
static struct bundle_range next_part(const struct bundle_vhart *vhart, unsigned entry,
                                     uint64_t from)
{
    struct bundle_range whole = matched(vhart, entry);
    uint64_t base = from > whole.base ? from : whole.base;
    uint64_t end = whole.base + whole.size;
    unsigned before = 0;

    while (before < entry) {
        struct bundle_range range = matched(vhart, before);

        before++;
        if (base - range.base < range.size) {
            base = range.base + range.size;
            before = 0;
        }
    }
    for (before = 0; before < entry; before++) {
        struct bundle_range range = matched(vhart, before);

        if (range.size != 0 && range.base >= base && range.base < end) {
            end = range.base;
        }
    }
    return (struct bundle_range){base, end > base ? end - base : 0};
}

/*
 * [base, end) lies in the tenant's memory and in what features open to it, which may be several
 * adjacent ranges.
 */
static bool is_own_memory(const struct bundle *bundle, uint32_t tenant, uint64_t base, uint64_t end)
{
    const unsigned most = COTENANT_MAX_MEMORY_RANGES + COTENANT_MAX_CHANNELS;

    for (unsigned round = 0; base < end && round < most; round++) {
        for (unsigned i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
            base = check_end_within(bundle->tenants[tenant].memory[i], base);
        }
        FOR_EACH_IN_TABLE(opened_memories, end_of)
        {
            base = (*end_of)(bundle, tenant, base);
        }
    }
    return base >= end;
}

static bool opens_foreign_memory(const struct bundle *bundle, const struct bundle_vhart *vhart,
                                 struct bundle_range opened)
{
    const struct bundle_board *board = &bundle->board;
    uint64_t ram_end = board->ram_base + board->ram_size;
    uint64_t end = opened.base + opened.size;
    uint64_t from = opened.base > board->ram_base ? opened.base : board->ram_base;
    uint64_t to = end < ram_end ? end : ram_end;

    return !is_own_memory(bundle, vhart->tenant, from, to);
}

static bool is_claim_register(const struct bundle *bundle, const struct bundle_vhart *vhart,
                              struct bundle_range opened)
{
    uint64_t claim = bundle->board.plic_base + PLIC_CLAIM_BASE +
                     (uint64_t)PLIC_CONTEXT_STRIDE * vhart->plic_s_context;

    return opened.base == claim && opened.size == 4;
}

/* To write only where the PLIC ignores completions of sources that are not the tenant's. */
static uint32_t most_claim_rights(const struct bundle_board *board)
{
    return (board->flags & COTENANT_BOARD_PLIC_CHECKED) != 0 ? PMP_READ | PMP_WRITE : PMP_READ;
}

/* Passed through: the context's enable bits to read, its claim register by the entry for it. */
static bool is_passed_through(const struct bundle *bundle, const struct bundle_vhart *vhart,
                              unsigned entry, struct bundle_range opened)
{
    uint64_t enables = bundle->board.plic_base + PLIC_ENABLE_BASE +
                       (uint64_t)PLIC_ENABLE_STRIDE * vhart->plic_s_context;

    if ((vhart->flags & COTENANT_VHART_PLIC_PASSTHROUGH) == 0) {
        return false;
    }
    if (entry == vhart->plic_claim_entry) {
        return is_claim_register(bundle, vhart, opened) &&
               (rights_of(vhart, entry) & ~most_claim_rights(&bundle->board)) == 0;
    }
    return rights_of(vhart, entry) == PMP_READ &&
           check_contains(enables, PLIC_ENABLE_STRIDE, opened.base, opened.size);
}

static bool opens_monitor_device(const struct bundle *bundle, const struct bundle_vhart *vhart,
                                 unsigned entry, struct bundle_range opened)
{
    for (unsigned device = 0; device < CHECK_DEVICES; device++) {
        struct bundle_range closed = check_device_range(&bundle->board, (enum check_device)device);

        if (check_overlaps(opened.base, opened.size, closed.base, closed.size) &&
            !(device == CHECK_PLIC && is_passed_through(bundle, vhart, entry, opened))) {
            return true;
        }
    }
    return false;
}

static bool opens_some_of(const struct bundle_vhart *vhart, unsigned entry,
                          struct bundle_range range)
{
    struct bundle_range part = next_part(vhart, entry, range.base);

    return check_overlaps(part.base, part.size, range.base, range.size);
}

/* A vhart of another tenant may touch some of it at the same time. */
static bool is_opened_to_another(const struct bundle *bundle, uint32_t index,
                                 struct bundle_range opened)
{
    const struct bundle_tenant *tenant = &bundle->tenants[bundle->vharts[index].tenant];

    for (uint32_t other = 0; other < index; other++) {
        const struct bundle_vhart *theirs = &bundle->vharts[other];

        for (unsigned entry = 0; entry < bundle->board.pmp_entries; entry++) {
            if (theirs->tenant != bundle->vharts[index].tenant && rights_of(theirs, entry) != 0 &&
                opens_some_of(theirs, entry, opened) &&
                !check_share_a_group(&bundle->tenants[theirs->tenant], tenant)) {
                return true;
            }
        }
    }
    return false;
}

/* A device has one owner. Of the RAM, windows have two: opens_foreign_memory() knows them. */
static bool opens_foreign_device(const struct bundle *bundle, uint32_t index,
                                 struct bundle_range opened)
{
    uint64_t end = opened.base + opened.size;
    uint64_t ram = bundle->board.ram_base;
    uint64_t ram_end = ram + bundle->board.ram_size;
    uint64_t low_end = end < ram ? end : ram;
    uint64_t high = opened.base > ram_end ? opened.base : ram_end;

    return (opened.base < low_end &&
            is_opened_to_another(bundle, index,
                                 (struct bundle_range){opened.base, low_end - opened.base})) ||
           (high < end &&
            is_opened_to_another(bundle, index, (struct bundle_range){high, end - high}));
}

/* Who could reach the registers could have the device reach all memory. */
static bool opens_guarded_device(const struct bundle *bundle, uint32_t own,
                                 struct bundle_range opened)
{
    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        const struct bundle_tenant *tenant = &bundle->tenants[i];
        bool counts = i == own || !check_share_a_group(&bundle->tenants[own], tenant);

        for (unsigned j = 0; counts && j < COTENANT_MAX_RESETS; j++) {
            if (is_guarded(tenant, &tenant->resets[j]) &&
                check_overlaps(tenant->resets[j].base, CHECK_PAGE_SIZE, opened.base, opened.size)) {
                return true;
            }
        }
    }
    return false;
}

static uint32_t check_part(const struct bundle *bundle, uint32_t index, unsigned entry,
                           struct bundle_range opened)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];

    REQUIRE_FIELD(!opens_foreign_memory(bundle, vhart, opened), VHART_PMP_ADDRESS,
                  OPENS_FOREIGN_MEMORY);
    REQUIRE_FIELD(!opens_monitor_device(bundle, vhart, entry, opened), VHART_PMP_ADDRESS,
                  OPENS_MONITOR_DEVICE);
    REQUIRE_FIELD(!opens_foreign_device(bundle, index, opened), VHART_PMP_ADDRESS,
                  OPENS_FOREIGN_DEVICE);
    REQUIRE_FIELD(!opens_guarded_device(bundle, vhart->tenant, opened), VHART_PMP_ADDRESS,
                  OPENS_GUARDED_DEVICE);
    return CHECK_IS_GOOD;
}

static uint32_t check_entry(const struct bundle *bundle, uint32_t index, unsigned entry)
{
    const struct bundle_vhart *vhart = &bundle->vharts[index];
    const struct bundle_board *board = &bundle->board;
    uint8_t config = vhart->pmp_config[entry];
    struct bundle_range whole = matched(vhart, entry);
    uint32_t refusal = CHECK_IS_GOOD;

    REQUIRE_FIELD((config & ~(PMP_MODE | PMP_RIGHTS)) == 0, VHART_PMP_CONFIG, LOCKED_OR_RESERVED);
    REQUIRE_FIELD(entry < board->pmp_entries || config == 0, VHART_PMP_CONFIG, MORE_THAN_THE_BOARD);
    REQUIRE_FIELD((config & (PMP_READ | PMP_WRITE)) != PMP_WRITE, VHART_PMP_CONFIG,
                  WRITABLE_BUT_NOT_READABLE);
    REQUIRE_FIELD(vhart->pmp_address[entry] >> PMP_ADDRESS_BITS == 0, VHART_PMP_ADDRESS, BEYOND);
    REQUIRE_FIELD(entry != vhart->plic_claim_entry || is_claim_register(bundle, vhart, whole),
                  VHART_PLIC_CLAIM_ENTRY, NOT_THE_CLAIM_REGISTER);
    /* Without rights as well: what it takes away must not depend on the hart. */
    REQUIRE_FIELD(check_aligned(whole.base, board->pmp_grain) &&
                      check_aligned(whole.size, board->pmp_grain),
                  VHART_PMP_ADDRESS, FINER_THAN_BOARD_PMP_GRAIN);
    if (rights_of(vhart, entry) == 0) {
        return CHECK_IS_GOOD;
    }
    for (struct bundle_range part = next_part(vhart, entry, whole.base);
         refusal == CHECK_IS_GOOD && part.size != 0;
         part = next_part(vhart, entry, part.base + part.size)) {
        refusal = check_part(bundle, index, entry, part);
    }
    return refusal;
}

static struct check_result check_protection(const struct bundle *bundle, uint32_t index)
{
    uint32_t refusal = CHECK_IS_GOOD;

    for (unsigned entry = 0; refusal == CHECK_IS_GOOD && entry < COTENANT_PMP_ENTRIES; entry++) {
        refusal = check_entry(bundle, index, entry);
    }
    return check_in_words(refusal, index);
}

BUNDLE_CHECK_EACH(CHECK_PROTECTION, check_protection);
