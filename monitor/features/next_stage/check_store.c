/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"

/* The place of the next stage in the store. */
static struct check_result check_store(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_next_stage *place = &bundle->next_stage;

    (void)monitor_size;
    REQUIRE(place->size == 0 ||
                (place->store_offset >= sizeof(*bundle) &&
                 check_aligned(place->store_offset, CHECK_PAGE_SIZE) &&
                 check_aligned(place->size, CHECK_PAGE_SIZE) &&
                 check_contains(0, bundle->total_size, place->store_offset, place->size)),
            "next_stage: misaligned or outside of the bundle", -1);
    return check_good();
}

BUNDLE_CHECK(CHECK_SYSTEM, check_store);
