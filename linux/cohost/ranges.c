/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The greedy way: the longest piece first, until there is enough. A piece whose size is a power of
 * two and that is aligned to it takes one PMP entry, another one two (docs/abi/hosted.md); where
 * only one is left, the best piece of the first kind is taken.
 */
#include "ranges.h"

#include <stdbool.h>

#define GRAIN COTENANT_HOSTED_GRAIN

static bool one_entry(const struct range *range)
{
    return (range->size & (range->size - 1)) == 0 && (range->address & (range->size - 1)) == 0;
}

/* The piece of [first, end) that is best for so much memory and so many entries. */
static struct range best_piece(uint64_t first, uint64_t end, uint64_t wanted, unsigned entries)
{
    struct range piece = {first, end - first < wanted ? end - first : wanted};
    uint64_t size = GRAIN;

    if (entries > 1 || one_entry(&piece)) {
        return piece;
    }
    while (size < wanted) {
        size *= 2;
    }
    for (; size > GRAIN; size /= 2) {
        uint64_t aligned = (first + size - 1) & -size;

        if (aligned < end && end - aligned >= size) {
            return (struct range){aligned, size};
        }
    }
    return (struct range){first, GRAIN};
}

static bool is_taken(uint64_t page, const struct range *ranges, unsigned taken)
{
    for (unsigned i = 0; i < taken; i++) {
        if (page - ranges[i].address < ranges[i].size) {
            return true;
        }
    }
    return false;
}

/* The longest piece among the pages that are not yet taken; size 0: there is none. */
static struct range longest(const uint64_t *pages, size_t count, const struct range *ranges,
                            unsigned taken, uint64_t wanted, unsigned entries)
{
    struct range best = {0, 0};

    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        if (is_taken(pages[first], ranges, taken)) {
            continue;
        }
        while (end < count && pages[end] == pages[end - 1] + GRAIN &&
               !is_taken(pages[end], ranges, taken)) {
            end++;
        }
        struct range piece = best_piece(pages[first], pages[end - 1] + GRAIN, wanted, entries);

        if (piece.size > best.size) {
            best = piece;
        }
    }
    return best;
}

static void insert(struct range *ranges, unsigned taken, struct range piece)
{
    unsigned place = taken;

    for (; place > 0 && ranges[place - 1].address > piece.address; place--) {
        ranges[place] = ranges[place - 1];
    }
    ranges[place] = piece;
}

unsigned ranges_choose(const uint64_t *pages, size_t count, uint64_t wanted, unsigned entries,
                       struct range *ranges)
{
    unsigned taken = 0;

    while (taken < COTENANT_HOSTED_MAX_RANGES && entries > 0) {
        struct range piece = longest(pages, count, ranges, taken, wanted, entries);

        if (piece.size == 0) {
            return 0;
        }
        insert(ranges, taken++, piece);
        if (piece.size >= wanted) {
            return taken;
        }
        wanted -= piece.size;
        entries -= one_entry(&piece) ? 1 : 2;
    }
    return 0;
}
