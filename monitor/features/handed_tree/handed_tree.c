/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tenant's device tree out of the one that the previous boot stage hands over in a1. It is made
 * in the store before the monitor moves itself, because it may lie where the monitor is to be. What
 * is cut of it the tool has decided: see merge.h.
 */
#include "core/feature.h"
#include "core/handover.h"
#include "features/handed_tree/merge.h"
#include "features/handed_tree/ram.h"

/* Not in bss: see core/handover.h. */
static char text[MERGE_TEXT_SIZE] __attribute__((section(".data.handed_tree")));

static struct check_result take(const struct handover *handover, const struct bundle *bundle)
{
    const struct bundle_handed_tree *place = &bundle->handed_tree;
    const struct bundle_board *board = &bundle->board;
    const uint8_t *store = (const uint8_t *)bundle;
    struct fdt handed;
    struct fdt plan;

    if (place->size == 0) {
        return check_good();
    }
    REQUIRE(fdt_open(&plan, store + place->plan_offset, place->plan_size),
            "handed_tree: its plan is no device tree", -1);
    REQUIRE(check_contains(board->ram_base, board->ram_size, handover->tree, FDT_HEADER_SIZE) &&
                check_aligned(handover->tree, sizeof(uint32_t)) &&
                fdt_open(&handed, (const uint8_t *)handover->tree,
                         board->ram_base + board->ram_size - handover->tree),
            "devicetree: the previous boot stage hands over none in the board's RAM", -1);
    REQUIRE(
        !check_overlaps(handover->tree, handed.size, handover->loaded_at, handover->loaded_size),
        "devicetree: handed over in the place where the bundle was loaded", -1);
    REQUIRE(ram_has(&handed, board->ram_base, board->ram_size),
            "devicetree: handed over tells of less RAM than was planned with (key memory)", -1);
    return (struct check_result){fdt_merge(&handed, &plan,
                                           (uint8_t *)(uintptr_t)store + place->store_offset,
                                           (uint32_t)place->size, text),
                                 -1, 0};
}

static void fetch(const struct handover *handover, struct bundle *copy)
{
    (void)handover; /* it is in the store */
    (void)copy;
}

/* It tells of the machine, which is no secret from tenants. */
static void clear(const struct handover *handover, const struct bundle *copy)
{
    (void)handover;
    (void)copy;
}

static const struct handover_user handed_tree TABLE_ENTRY(handover_users) = {take, fetch, clear};

FEATURE(handed_tree);
