/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables of random entries, most of which point into the tenant's memory, to its edges or to
 * its virtual device, and accesses through them while entries change. What the walk answers is
 * compared with a model; a read outside of the tenant's memory ends the program by itself.
 */
#include <assert.h>
#include <string.h>

#include "arch/guest_memory.h"
#include "features/plic/device_pages.h"
#include "fuzz.h"
#include "guest_bench.h"

#define MOST_STEPS 200

static uint64_t load64(uint64_t physical)
{
    uint64_t value;

    memcpy(&value, (const void *)(uintptr_t)physical, sizeof(value));
    return value;
}

static bool is_own(uint64_t physical, uint64_t size)
{
    return (physical >= guest_page(0) && physical + size <= guest_page(10)) ||
           (physical >= guest_page(10) && physical + size <= guest_page(GUEST_PAGES));
}

/* Privileged ISA 4.3.2 without permissions. */
static bool model_walk(uint64_t table, int level, uint64_t address, uint64_t *physical)
{
    uint64_t span = 1ul << (12 + 9 * level);
    uint64_t entry;

    if (!is_own(table, GUEST_PAGE)) {
        return false;
    }
    entry = load64(table + address / span % 512 * 8);
    if (entry % 2 == 0) {
        return false;
    }
    table = entry << 10 >> 20 << 12;
    if (entry / 2 % 8 == 0) {
        return level > 0 && model_walk(table, level - 1, address, physical);
    }
    *physical = table / span * span + address % span;
    return true;
}

static bool model_translate(uint64_t satp, uint64_t address, uint64_t *physical)
{
    uint64_t mode = satp >> 60;

    *physical = address;
    return mode == 0 || (mode >= SV39 && mode <= SV57 &&
                         model_walk(satp << 20 >> 8, (int)mode - 6, address, physical));
}

static uint64_t some_frame(struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);

    switch (choice >> 5) {
    case 0:
        return guest_page(choice % 32 < 16 ? -1 : GUEST_PAGES);
    case 1:
        return GUEST_DEVICE + (choice & 1) * GUEST_PAGE;
    case 2:
        return (uint64_t)fuzz_word(input) << 24;
    default:
        return guest_page(choice % GUEST_PAGES);
    }
}

static uint64_t some_entry(struct fuzz_input *input)
{
    static const uint64_t flags[] = {0x01, 0x01, 0x01, 0xcf, 0xcb, 0xe7, 0x00, 0x05};
    uint8_t choice = fuzz_byte(input);

    return guest_entry(some_frame(input), choice < 224 ? flags[choice % 8] : fuzz_word(input));
}

/* Few different indices, so that what is stored is found. */
static uint64_t some_address(struct fuzz_input *input)
{
    uint32_t choice = fuzz_word(input);
    uint64_t address = 0;

    for (int level = 0; level < 5; level++) {
        address |= (uint64_t)(choice >> (2 * level) & 1) << (12 + 9 * level);
    }
    return address | ((choice & 0x10000) != 0 ? 0xff8 : 0) | (choice >> 17 & 7) |
           ((choice & 0x800000) != 0 ? UINT64_MAX << 57 : 0);
}

static void access_memory(uint64_t satp, uint64_t address)
{
    uint64_t expected;
    uint64_t physical = 0;
    uint32_t instruction = 0;
    bool found = model_translate(satp, address, &expected);

    assert(guest_translate(&guest, satp, address, &physical) == found);
    assert(!found || physical == expected);
    if (device_translate(&guest_vhart, satp, address, &physical)) {
        /* One that is remembered may be stale, but is always a page of the tenant's device. */
        assert(physical / GUEST_PAGE == GUEST_DEVICE / GUEST_PAGE);
        assert(physical % GUEST_PAGE == address % GUEST_PAGE);
    } else {
        assert(!found || expected - GUEST_DEVICE >= GUEST_DEVICE_SIZE);
    }
    instruction = guest_fetch(&guest, satp, address);
    if (instruction != 0) {
        assert(address % 2 == 0 && found && is_own(expected, 2));
        assert((instruction & 0xffff) == (load64(expected & ~7ul) >> expected % 8 * 8 & 0xffff));
        assert((instruction & 3) == 3 || instruction >> 16 == 0);
    }
}

int fuzz_guest_memory(const uint8_t *data, size_t size)
{
    static const uint64_t modes[] = {SV39, SV39, SV48, SV57, SV57, 0, 1, 15};
    struct fuzz_input input = {data, size};
    uint64_t satp = 0;

    guest_reset();
    for (int step = 0; input.size > 0 && step < MOST_STEPS; step++) {
        uint8_t choice = fuzz_byte(&input);

        if (choice < 16) {
            satp = guest_satp(modes[choice % 8], some_frame(&input));
        } else if (choice < 128) {
            guest_store64(guest_page(choice % GUEST_PAGES) + (fuzz_byte(&input) & 1) * 8,
                          some_entry(&input));
        } else {
            access_memory(satp, some_address(&input));
        }
    }
    return 0;
}
