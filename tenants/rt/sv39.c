/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/sv39.h"

#include "rt/csr.h"

#define ENTRIES 512
#define IDENTITY_GIGABYTES 16
/* Entry of the root table that is the window. */
#define WINDOW_INDEX (SV39_WINDOW >> 30)

/* Page table entry: valid, and for leaves readable, writable, executable, accessed, dirty. */
#define PTE_VALID 0x01
#define PTE_LEAF 0xcf
#define PTE_PPN_MASK 0xfffffffffff

typedef uint64_t page_table[ENTRIES] __attribute__((aligned(4096)));

static page_table root;
static page_table level1;
static page_table level0;

static uint64_t entry(uint64_t address, uint64_t flags)
{
    return (address >> 12 & PTE_PPN_MASK) << 10 | flags;
}

static void fence(void)
{
    __asm__ volatile("sfence.vma" : : : "memory");
}

void sv39_enable(void)
{
    for (uint64_t i = 0; i < IDENTITY_GIGABYTES; i++) {
        root[i] = entry(i << 30, PTE_LEAF);
    }
    fence();
    csr_write(satp, SATP_MODE_SV39 | (uintptr_t)root >> 12);
    fence();
}

void sv39_disable(void)
{
    csr_write(satp, 0);
    fence();
}

uint64_t sv39_open_window(enum sv39_window kind, uint64_t address)
{
    uint64_t offset_mask = 0;

    root[WINDOW_INDEX] = entry((uintptr_t)level1, PTE_VALID);
    level1[0] = entry((uintptr_t)level0, PTE_VALID);
    switch (kind) {
    case SV39_LEAF_4K:
        offset_mask = (1ull << 12) - 1;
        level0[0] = entry(address & ~offset_mask, PTE_LEAF);
        break;
    case SV39_LEAF_2M:
        offset_mask = (1ull << 21) - 1;
        level1[0] = entry(address & ~offset_mask, PTE_LEAF);
        break;
    case SV39_LEAF_1G:
        offset_mask = (1ull << 30) - 1;
        root[WINDOW_INDEX] = entry(address & ~offset_mask, PTE_LEAF);
        break;
    case SV39_TABLE_LEVEL1:
        root[WINDOW_INDEX] = entry(address, PTE_VALID);
        break;
    case SV39_TABLE_LEVEL0:
        level1[0] = entry(address, PTE_VALID);
        break;
    }
    fence();
    return SV39_WINDOW + (address & offset_mask);
}

void sv39_close_window(void)
{
    level0[0] = 0;
    fence();
}
