/* SPDX-License-Identifier: BSD-2-Clause */
/* Page faults and mappings. */
#include "bench.h"

#include <stddef.h>
#include <sys/mman.h>

#define PAGE_SIZE 4096UL

static char *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        give_up("mmap");
    return memory;
}

/* A round is a fault; huge pages would save most of them. */
static void fault(unsigned rounds)
{
    size_t size = rounds * PAGE_SIZE;
    char *memory = map(size);

    if (madvise(memory, size, MADV_NOHUGEPAGE) != 0)
        give_up("madvise");
    for (size_t offset = 0; offset < size; offset += PAGE_SIZE)
        memory[offset] = 1;
    munmap(memory, size);
}

static void map_and_unmap(unsigned rounds)
{
    while (rounds-- > 0)
        munmap(map(PAGE_SIZE), PAGE_SIZE);
}

void measure_memory(unsigned scale)
{
    measure("page_fault", fault, 1000 * scale);
    measure("mmap", map_and_unmap, 2000 * scale);
}
