/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/sv57.h"

#include "rt/csr.h"

#define ENTRIES 512
#define PAGE_SHIFT 12
#define LARGE_SHIFT 21
#define GIGABYTE_SHIFT 30
#define SATP_MODE_SV57 0xa000000000000000
#define PTE_VALID 0x01
#define PTE_LEAF 0xcf /* valid, readable, writable, executable, accessed, dirty */

typedef uint64_t page_table[ENTRIES] __attribute__((aligned(4096)));

/* Both halves of the address space begin at entry 0 of the upper levels. */
static page_table level4;
static page_table level3;
static page_table level2;
static page_table ram;
static page_table devices_large;
static page_table devices_small;

static uint64_t entry(uint64_t address, uint64_t flags)
{
    return address >> PAGE_SHIFT << 10 | flags;
}

static uint64_t table(const page_table next)
{
    return entry((uintptr_t)next, PTE_VALID);
}

static uint64_t index_at(uint64_t address, unsigned shift)
{
    return address >> shift & (ENTRIES - 1);
}

void sv57_enable(const uint64_t *devices, unsigned count)
{
    uint64_t gigabyte = (uintptr_t)level4 >> GIGABYTE_SHIFT;

    level4[0] = table(level3);
    level3[0] = table(level2);
    level2[gigabyte] = table(ram);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        ram[i] = entry((gigabyte << GIGABYTE_SHIFT) + (i << LARGE_SHIFT), PTE_LEAF);
    }
    for (unsigned i = 0; i < count; i++) {
        level2[index_at(devices[i], GIGABYTE_SHIFT)] = table(devices_large);
        devices_large[index_at(devices[i], LARGE_SHIFT)] = table(devices_small);
        devices_small[index_at(devices[i], PAGE_SHIFT)] = entry(devices[i], PTE_LEAF);
    }
    __asm__ volatile("sfence.vma" : : : "memory");
    csr_write(satp, SATP_MODE_SV57 | (uintptr_t)level4 >> PAGE_SHIFT);
    __asm__ volatile("sfence.vma" : : : "memory");
}
