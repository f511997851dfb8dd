/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "features/handed_tree/fdt.h"

static bool is_in_store(const struct bundle *bundle, uint64_t offset, uint64_t size)
{
    return offset >= sizeof(*bundle) && check_aligned(offset, CHECK_PAGE_SIZE) &&
           check_contains(0, bundle->total_size, offset, size);
}

/* The plan for the tree that is handed over, and the place of the tree that comes of it. */
static struct check_result check_plan(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_handed_tree *place = &bundle->handed_tree;

    (void)monitor_size;
    REQUIRE(place->size == 0 ||
                (is_in_store(bundle, place->store_offset, place->size) &&
                 is_in_store(bundle, place->plan_offset, place->plan_size) &&
                 check_aligned(place->size, CHECK_PAGE_SIZE) && place->size <= FDT_MOST_SIZE),
            "handed_tree: misaligned, too large or outside of the bundle", -1);
    REQUIRE(!check_overlaps(place->store_offset, place->size, place->plan_offset, place->plan_size),
            "handed_tree: its plan and its place overlap", -1);
    return check_good();
}

BUNDLE_CHECK(CHECK_SYSTEM, check_plan);
