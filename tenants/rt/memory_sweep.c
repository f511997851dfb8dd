/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/memory_sweep.h"

#include "rt/check.h"
#include "rt/platform.h"

/* At the end of the memory, for the device tree. */
#define DEVICETREE_ROOM 0x4000

/* Behind .bss: all that is not the program's. */
extern volatile uint64_t image_end[];

static struct {
    volatile uint64_t *next;
    uint64_t pattern;
    uint64_t count;
} sweep;

static volatile uint64_t *memory_end(void)
{
    return (volatile uint64_t *)(platform.memory_base + platform.memory_size - DEVICETREE_ROOM);
}

static uint64_t value_of(const volatile uint64_t *word)
{
    return sweep.pattern ^ (uintptr_t)word;
}

void memory_sweep_begin(uint64_t pattern)
{
    sweep.pattern = pattern;
    sweep.next = image_end;
    for (volatile uint64_t *word = image_end; word < memory_end(); word++) {
        *word = value_of(word);
    }
}

void memory_sweep_look(unsigned words)
{
    volatile uint64_t *const end = memory_end();
    volatile uint64_t *word = sweep.next;

    for (; words != 0; words--) {
        uint64_t found = *word;

        check(found == value_of(word), "memory at 0x%lx holds 0x%lx", (uint64_t)word, found);
        if (++word == end) {
            word = image_end;
            sweep.count++;
        }
    }
    sweep.next = word;
}

uint64_t memory_sweep_count(void)
{
    return sweep.count;
}
