/* SPDX-License-Identifier: BSD-2-Clause */
/* The place of the vector registers, and who may have any. */
#include "core/bundle_check.h"

/* A vector register has 2^16 bits at most (unprivileged ISA, chapter "V", section 2). */
#define MOST_BYTES (32ul * 8192 + COTENANT_VECTORS_HEAD)

static uint64_t count_vharts(const struct bundle *bundle)
{
    uint64_t count = bundle->vhart_count;

    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        count += (uint64_t)bundle->tenants[i].guest_count * bundle->tenants[i].guest_vharts;
    }
    return count;
}

static struct check_result check_vectors(const struct bundle *bundle, uint64_t monitor_size)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_vectors *vectors = &bundle->vectors;
    uint64_t taken = monitor_size + bundle->total_size;
    uint64_t size;

    if (vectors->size == 0) {
        return check_good();
    }
    REQUIRE((board->flags & COTENANT_BOARD_VECTOR) != 0, "vectors: the board has none", -1);
    REQUIRE(check_aligned(vectors->size, COTENANT_VECTORS_HEAD) && vectors->size <= MOST_BYTES &&
                check_aligned(vectors->base, CHECK_PAGE_SIZE),
            "vectors: out of range or misaligned", -1);
    size = vectors->size * count_vharts(bundle);
    REQUIRE(check_contains(board->monitor_base + taken, board->monitor_size - taken, vectors->base,
                           size),
            "vectors: not in the monitor's place behind the images", -1);
    REQUIRE(bundle->trace.ring_size == 0 ||
                !check_overlaps(vectors->base, size, bundle->trace.base,
                                bundle->trace.ring_size * board->hart_count),
            "vectors: where the trace is", -1);
    return check_good();
}

static struct check_result check_owner(const struct bundle *bundle, uint32_t index)
{
    uint32_t flags = bundle->tenants[index].flags;

    REQUIRE((flags & COTENANT_TENANT_VECTOR) == 0 ||
                ((flags & COTENANT_TENANT_FP) != 0 && bundle->vectors.size != 0),
            "tenant.flags: vector registers without floating point, or without a place", index);
    return check_good();
}

BUNDLE_CHECK(CHECK_CONNECTIONS, check_vectors); /* the guests are counted: they are few */
BUNDLE_CHECK_EACH(CHECK_ADDED, check_owner);
