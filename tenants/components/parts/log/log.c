/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

#define ENTRIES 64

static struct {
    uint64_t caller;
    uint64_t code;
    uint64_t value;
} entries[ENTRIES];
static uint64_t count;

uint64_t export_note(uint64_t code, uint64_t value, uint64_t caller)
{
    uint64_t number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);

    entries[number % ENTRIES].caller = caller;
    entries[number % ENTRIES].code = code;
    entries[number % ENTRIES].value = value;
    return number;
}

uint64_t export_count(void)
{
    return count;
}

/* The value, with the code in the upper half; entries that were overwritten are others'. */
uint64_t export_entry(uint64_t number)
{
    return entries[number % ENTRIES].code << 32 | (entries[number % ENTRIES].value & 0xffffffff);
}

uint64_t export_entry_caller(uint64_t number)
{
    return entries[number % ENTRIES].caller;
}
