/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "components/lib/network.h"
#include "generated.h"
#include "rt/format.h"

#define ENTRIES 24

static struct entry {
    uint64_t time_us;
    uint64_t status;
    char path[33];
} entries[ENTRIES];
static uint64_t count;
static BUFFER char text[PIECE_SIZE];

uint64_t export_note(uint64_t status, uint64_t word0, uint64_t word1, uint64_t word2,
                     uint64_t word3)
{
    const uint64_t words[] = {word0, word1, word2, word3};
    struct entry *entry = &entries[count++ % ENTRIES];

    entry->time_us = timer_now_us().value;
    entry->status = status;
    memcpy(entry->path, words, sizeof(words));
    return count;
}

/* The page goes to `address`, PIECE_SIZE bytes that the caller lends: its length; 0: it cannot. */
uint64_t export_page(uint64_t address)
{
    size_t length = format_text(text, sizeof(text), "  seconds status path\n");

    for (uint64_t number = count < ENTRIES ? 0 : count - ENTRIES; number < count; number++) {
        const struct entry *entry = &entries[number % ENTRIES];

        length += format_text(text + length, sizeof(text) - length, "%5lu.%03lu %6lu /%s\n",
                              entry->time_us / 1000000, entry->time_us / 1000 % 1000, entry->status,
                              entry->path);
    }
    return copy_to_lent(address, text, length) ? length : 0;
}
