/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Huge pages come in any order, so more are taken than are needed, those that lie best are kept,
 * and the rest is given back.
 */
#include "huge_pages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine.h"
#include "memory.h"
#include "say.h"

#define GRAIN COTENANT_HOSTED_GRAIN
/* Pages that are added before it is looked whether they suffice. */
#define STEP 8
/* How often pages are looked for once more, after the host has moved what it can. */
#define MOST_SEARCHES 3

struct page {
    uint64_t physical;
    uint64_t offset; /* in the file */
    int file;
};

static struct page *pages;
static size_t page_count;
static uint64_t next_offset; /* in the file to which pages are added */

static int by_physical(const void *left, const void *right)
{
    const struct page *a = left, *b = right;

    return (a->physical > b->physical) - (a->physical < b->physical);
}

/* Finds out where pages lie whose offsets in a file follow each other. False: it cannot be told. */
static bool locate(struct page *first, size_t count)
{
    uint8_t *place = mmap(NULL, count * GRAIN, PROT_READ, MAP_SHARED | MAP_POPULATE, first->file,
                          (off_t)first->offset);

    if (place == MAP_FAILED) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        first[i].physical = machine_physical(place + i * GRAIN, first->file, first[i].offset);
    }
    munmap(place, count * GRAIN);
    return true;
}

/* Adds pages to the file, up to so many altogether. Returns whether all of them came. */
static bool add_pages(int file, size_t count)
{
    size_t first = page_count, added = page_count;

    while (added < count && machine_add_page(file, next_offset)) {
        pages[added++] = (struct page){.offset = next_offset, .file = file};
        next_offset += GRAIN;
    }
    if (added > first && !locate(&pages[first], added - first)) {
        return false;
    }
    page_count = added;
    return added == count;
}

/* Chooses among the pages that are there. `addresses`: room for that many. */
static unsigned choose(uint64_t *addresses, uint64_t size, unsigned entries)
{
    qsort(pages, page_count, sizeof(*pages), by_physical);
    for (size_t i = 0; i < page_count; i++) {
        addresses[i] = pages[i].physical;
    }
    return ranges_choose(addresses, page_count, size, entries, memory.ranges);
}

static bool in_range(const struct range *range, uint64_t address)
{
    return address - range->address < range->size;
}

/* Maps pages whose offsets in their file follow each other. */
static uint8_t *map_pages(void *place, const struct page *first, size_t count)
{
    int fixed = place == NULL ? 0 : MAP_FIXED;
    void *bytes = mmap(place, count * GRAIN, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_POPULATE | fixed, first->file, (off_t)first->offset);

    if (bytes == MAP_FAILED) {
        fail_errno("map", "the guest's memory");
    }
    return bytes;
}

static const struct range *range_of(const struct page *page)
{
    for (unsigned i = 0; i < memory.count; i++) {
        if (in_range(&memory.ranges[i], page->physical)) {
            return &memory.ranges[i];
        }
    }
    return NULL;
}

/* Gives those back that were not chosen, but for one. */
static void give_back_rest(void)
{
    bool kept = false;

    for (size_t i = 0; i < page_count; i++) {
        if (range_of(&pages[i]) == NULL && kept) {
            machine_remove_page(pages[i].file, pages[i].offset);
        }
        kept |= range_of(&pages[i]) == NULL;
    }
}

/*
 * Brings the chosen pages into a file of their own, in the order in which they lie in memory:
 * others can then map a range as a whole. A page that is taken out of a file is the next one that
 * the host gives out, so they are taken out from the last one on and added from the first one on.
 */
static void put_in_order(void)
{
    uint64_t offset = 0;
    struct page now;

    memory.file = machine_memory_file();
    machine_hold_pool();
    for (size_t i = page_count; i-- > 0;) {
        if (range_of(&pages[i]) != NULL) {
            machine_remove_page(pages[i].file, pages[i].offset);
        }
    }
    for (size_t i = 0; i < page_count; i++) {
        if (range_of(&pages[i]) == NULL) {
            continue;
        }
        pages[i].file = memory.file;
        pages[i].offset = offset;
        now = pages[i];
        if (!machine_add_page(memory.file, offset) || !locate(&now, 1) ||
            now.physical != pages[i].physical) {
            machine_release_pool();
            fail_start("another program took huge pages of the host just now; try again");
        }
        offset += GRAIN;
    }
    machine_release_pool();
}

/* How many pages from this one on follow each other, in memory and in the file. */
static size_t count_in_line(size_t first)
{
    size_t count = 1;

    while (first + count < page_count &&
           range_of(&pages[first]) == range_of(&pages[first + count]) &&
           pages[first + count].physical - pages[first].physical == count * GRAIN &&
           pages[first + count].offset - pages[first].offset == count * GRAIN) {
        count++;
    }
    return count;
}

/* Maps the pages that were chosen and one that is this program's and the monitor's. */
static void map_chosen(void)
{
    for (unsigned i = 0; i < memory.count; i++) {
        memory.bytes[i] = memory_reserve(memory.ranges[i].size);
    }
    for (size_t i = 0, count; i < page_count; i += count) {
        const struct range *range = range_of(&pages[i]);

        count = range == NULL ? 1 : count_in_line(i);
        if (range != NULL) {
            map_pages(memory.bytes[range - memory.ranges] + (pages[i].physical - range->address),
                      &pages[i], count);
        } else if (memory.shared == NULL) {
            memory.shared = map_pages(NULL, &pages[i], 1);
            memory.shared_address = pages[i].physical;
        }
    }
}

/* What follows when the memory's pages are known; they are sorted. */
static void keep_chosen(bool share)
{
    give_back_rest();
    if (share) {
        put_in_order();
    }
    map_chosen();
    free(pages);
}

/* Those of the memory that have been found among the pages that are there. */
static size_t count_found(void)
{
    size_t found = 0;

    for (size_t i = 0; i < page_count; i++) {
        found += range_of(&pages[i]) != NULL;
    }
    return found;
}

/*
 * Adds pages until all that are wanted are among them, and one more. All that come meanwhile are
 * kept, or the host would give out the same ones again.
 */
static void look_for_pages(int file, size_t wanted, size_t most)
{
    size_t goal = page_count;
    bool more = true;

    while (more && (count_found() < wanted || page_count == wanted)) {
        more = goal < most;
        goal = goal + STEP < most ? goal + STEP : most;
        more = add_pages(file, goal) && more;
    }
}

/* Gives all back that are not wanted, as far as there are any. */
static void give_back_unwanted(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < page_count; i++) {
        if (range_of(&pages[i]) != NULL) {
            pages[kept++] = pages[i];
        } else {
            machine_remove_page(pages[i].file, pages[i].offset);
        }
    }
    page_count = kept;
}

/*
 * Makes room for all pages that the host can spare. Returns how many; more than are wanted, for one
 * is shared.
 */
static size_t make_room(size_t wanted)
{
    size_t spare = machine_spare_pages();

    if (spare <= wanted) {
        fail_start("%zu MiB for the guest are not there: the host has %zu MiB that it can spare",
                   wanted * 2, spare == 0 ? 0 : (spare - 1) * 2);
    }
    pages = calloc(spare, sizeof(*pages));
    if (pages == NULL) {
        fail_errno("find memory for", "a list of pages");
    }
    machine_allow_pages(spare);
    return spare;
}

void huge_pages_take_at(const struct range *ranges, unsigned count, bool share)
{
    size_t spare, wanted;
    int file = machine_memory_file();

    memory.count = count;
    memcpy(memory.ranges, ranges, count * sizeof(*ranges));
    wanted = memory_size() / GRAIN;
    spare = make_room(wanted);
    look_for_pages(file, wanted, spare);
    for (unsigned i = 0; i < MOST_SEARCHES && count_found() < wanted; i++) {
        give_back_unwanted();
        machine_compact();
        look_for_pages(file, wanted, spare);
    }
    if (count_found() < wanted || page_count == wanted) {
        fail_start("%zu of the %zu MiB at the addresses that the guest needs cannot be had: the "
                   "host has something else there; the chances are best right after it has booted",
                   (wanted - count_found()) * 2, wanted * 2);
    }
    qsort(pages, page_count, sizeof(*pages), by_physical);
    keep_chosen(share);
}

/* Whether pages could suffice at all: if they lay in one piece. */
static bool could_suffice(uint64_t size, bool (*suffices)(void))
{
    bool could;

    memory.ranges[0] = (struct range){GRAIN, size};
    memory.count = 1;
    could = suffices();
    memory.count = 0;
    return could;
}

/*
 * Adds pages, up to `most`, until some of them can be chosen that suffice. If none do, those that
 * were chosen last stay chosen.
 */
static bool choose_among(int file, uint64_t size, unsigned entries, size_t most,
                         bool (*suffices)(void))
{
    size_t goal = size / GRAIN + 1;
    uint64_t *addresses = calloc(most, sizeof(*addresses));
    bool more = true, good = false, hope = could_suffice(size, suffices);

    if (addresses == NULL) {
        fail_errno("find memory for", "a list of pages");
    }
    while (more && !good) {
        more = add_pages(file, goal) && goal < most;
        memory.count = page_count * GRAIN > size ? choose(addresses, size, entries) : 0;
        /* The shared one is taken from those that were not chosen. */
        if (memory_size() >= page_count * GRAIN) {
            memory.count = 0;
        }
        good = memory.count != 0 && (suffices() || !hope);
        goal = goal + STEP < most ? goal + STEP : most;
    }
    free(addresses);
    return good;
}

void huge_pages_take(uint64_t size, unsigned entries, bool share, bool (*suffices)(void))
{
    size_t wanted = (size + GRAIN - 1) / GRAIN, spare = make_room(wanted);
    int file = machine_memory_file();
    bool good;

    good = choose_among(file, wanted * GRAIN, entries, spare, suffices);
    for (unsigned i = 0; i < MOST_SEARCHES && !good; i++) {
        memory.count = 0;
        give_back_unwanted();
        machine_compact();
        good = choose_among(file, wanted * GRAIN, entries, spare, suffices);
    }
    if (memory.count == 0 && page_count <= wanted) {
        fail_start("%zu MiB for the guest are not there: the host has %zu MiB free in pieces of "
                   "2 MiB",
                   wanted * 2, page_count == 0 ? 0 : (page_count - 1) * 2);
    }
    if (memory.count == 0) {
        fail_start("%zu MiB for the guest are not there in few enough pieces: the monitor grants "
                   "%u PMP entries, and the host's free memory is scattered",
                   wanted * 2, entries);
    }
    keep_chosen(share);
}

void huge_pages_take_shared(void)
{
    struct page shared;

    pages = &shared;
    machine_allow_pages(1);
    if (!add_pages(machine_memory_file(), 1)) {
        fail_start("the host has no piece of 2 MiB free");
    }
    memory.shared = map_pages(NULL, &shared, 1);
    memory.shared_address = shared.physical;
}
