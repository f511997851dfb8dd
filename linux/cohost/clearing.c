/* SPDX-License-Identifier: BSD-2-Clause */
#include "clearing.h"

#include <string.h>

#include "machine.h"
#include "memory.h"
#include "say.h"

#define PAGE 4096
#define MOST_PARTS 64
/* The code that powers off, bytes; what begins there is aligned as code. */
#define MOST_POWER_OFF 128

/* Whole pages. */
static struct range parts[MOST_PARTS];
static unsigned part_count;

void clearing_need(void)
{
    part_count = memory.count;
    memcpy(parts, memory.ranges, memory.count * sizeof(parts[0]));
}

/* What does not fit into the list is cleared at once. */
static void add(uint64_t address, uint64_t end)
{
    if (address < end && part_count == MOST_PARTS) {
        memset(memory_at(address, end - address), 0, end - address);
    } else if (address < end) {
        parts[part_count++] = (struct range){address, end - address};
    }
}

/* Takes whole pages out of the list. */
static void take_out(uint64_t address, uint64_t end)
{
    unsigned i = 0;

    while (i < part_count) {
        struct range part = parts[i];
        uint64_t part_end = part.address + part.size;

        if (end <= part.address || address >= part_end) {
            i++;
            continue;
        }
        /* The last one comes into its place, and is looked at next. */
        parts[i] = parts[--part_count];
        add(part.address, address);
        add(end, part_end);
    }
}

void clearing_written(uint64_t address, uint64_t size)
{
    uint64_t end = address + size, page_end = (end + PAGE - 1) & -(uint64_t)PAGE;

    if (part_count == 0) {
        return;
    }
    if (end != page_end) {
        memset(memory_at(end, page_end - end), 0, page_end - end);
    }
    take_out(address, page_end);
}

uint64_t clearing_begin(uint64_t place, uint64_t entry)
{
    struct machine_cleared *list;
    size_t code_size;
    const void *code = machine_clearing_code(&code_size);
    uint8_t *bytes;

    if (part_count == 0) {
        return entry;
    }
    bytes = memory_at(place, CLEARING_SIZE);
    if (bytes == NULL || place % PAGE != 0 ||
        code_size + (MOST_PARTS + 2) * sizeof(*list) > CLEARING_SIZE - MOST_POWER_OFF) {
        fail_start("what another guest left in this memory cannot be cleared");
    }
    memset(bytes, 0, CLEARING_SIZE);
    take_out(place, place + CLEARING_SIZE);
    memcpy(bytes, code, code_size);
    list = (struct machine_cleared *)(bytes + code_size);
    for (unsigned i = 0; i < part_count; i++) {
        list[i].begin = parts[i].address;
        list[i].end = parts[i].address + parts[i].size;
    }
    list[part_count].begin = entry;
    list[part_count].end = 0;
    part_count = 0;
    return place;
}

uint64_t clearing_prepare(void)
{
    uint64_t place = memory.ranges[0].address, entry;
    size_t size;
    const void *code = machine_power_off_code(&size);

    clearing_need();
    entry = clearing_begin(place, place + CLEARING_SIZE - MOST_POWER_OFF);
    memcpy(memory_at(place + CLEARING_SIZE - MOST_POWER_OFF, size), code, size);
    return entry;
}

void clearing_end(void)
{
    memset(memory_at(memory.ranges[0].address, CLEARING_SIZE), 0, CLEARING_SIZE);
}
