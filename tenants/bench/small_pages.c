/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/small_pages.h"

#include <stdint.h>

#include "rt/csr.h"
#include "rt/platform.h"

#define ENTRIES 512
#define PAGE_SHIFT 12
#define LARGE_SHIFT 21
#define GIGABYTE_SHIFT 30
#define PTE_VALID 0x01
#define PTE_LEAF 0xcf /* valid, readable, writable, executable, accessed, dirty */

typedef uint64_t page_table[ENTRIES] __attribute__((aligned(4096)));

static page_table root;
static page_table middle;
static page_table last;

static uint64_t entry(uint64_t address, uint64_t flags)
{
    return address >> PAGE_SHIFT << 10 | flags;
}

void small_pages_enable(void)
{
    uint64_t first = platform.memory_base >> LARGE_SHIFT;
    uint64_t base = first << LARGE_SHIFT;

    if ((platform.memory_base + platform.memory_size - 1) >> LARGE_SHIFT != first) {
        return;
    }
    for (uint64_t i = 0; i < ENTRIES; i++) {
        last[i] = entry(base + (i << PAGE_SHIFT), PTE_LEAF);
    }
    root[0] = entry(0, PTE_LEAF);
    root[base >> GIGABYTE_SHIFT & (ENTRIES - 1)] = entry((uintptr_t)middle, PTE_VALID);
    middle[base >> LARGE_SHIFT & (ENTRIES - 1)] = entry((uintptr_t)last, PTE_VALID);
    csr_write(satp, SATP_MODE_SV39 | (uintptr_t)root >> PAGE_SHIFT);
    __asm__ volatile("sfence.vma" : : : "memory");
}
