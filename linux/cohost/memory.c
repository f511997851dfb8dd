/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is mapped piece by piece: threads may ask for the same piece at once, so one at a
 * time maps, and a piece counts as mapped when it is.
 */
#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "machine.h"
#include "say.h"

#define PIECE COTENANT_HOSTED_GRAIN

struct memory memory;

/* Of each range, if it is mapped piece by piece: whether a piece is. */
static atomic_bool *mapped[COTENANT_HOSTED_MAX_RANGES];
static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;

uint8_t *memory_reserve(uint64_t size)
{
    uint8_t *place = mmap(NULL, size + PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (place == MAP_FAILED) {
        fail_errno("find addresses for", "the guest's memory");
    }
    return (uint8_t *)(((uintptr_t)place + PIECE - 1) & -(uintptr_t)PIECE);
}

void memory_add_in_pieces(const struct range *range)
{
    unsigned number = memory.count;

    mapped[number] = calloc(range->size / PIECE, sizeof(*mapped[number]));
    if (mapped[number] == NULL) {
        fail_errno("find memory for", "a list of pieces");
    }
    memory.ranges[number] = *range;
    memory.bytes[number] = memory_reserve(range->size);
    memory.count++;
    memory.apart = true;
}

/* Maps the pieces from `first` to `last` that are not yet, neighbours at once. */
static void map_pieces(unsigned range, uint64_t first, uint64_t last)
{
    pthread_mutex_lock(&mapping);
    for (uint64_t begin = first, end; begin <= last; begin = end + 1) {
        for (end = begin; end <= last && !atomic_load(&mapped[range][end]); end++) {
        }
        if (end != begin) {
            machine_map_memory(memory.bytes[range] + begin * PIECE,
                               memory.ranges[range].address + begin * PIECE, (end - begin) * PIECE);
        }
        for (uint64_t i = begin; i < end; i++) {
            atomic_store(&mapped[range][i], true);
        }
    }
    pthread_mutex_unlock(&mapping);
}

/* Has [offset, offset + size) of a range mapped. */
static void need(unsigned range, uint64_t offset, uint64_t size)
{
    uint64_t first = offset / PIECE, last = size == 0 ? first : (offset + size - 1) / PIECE;

    for (uint64_t i = first; mapped[range] != NULL && i <= last; i++) {
        if (!atomic_load(&mapped[range][i])) {
            map_pieces(range, i, last);
            return;
        }
    }
}

void *memory_at(uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < memory.count; i++) {
        uint64_t offset = address - memory.ranges[i].address;

        if (offset < memory.ranges[i].size && size <= memory.ranges[i].size - offset) {
            need(i, offset, size);
            return memory.bytes[i] + offset;
        }
    }
    return NULL;
}

uint8_t *memory_range(unsigned number)
{
    return memory_at(memory.ranges[number].address, memory.ranges[number].size);
}

uint64_t memory_size(void)
{
    uint64_t size = 0;

    for (unsigned i = 0; i < memory.count; i++) {
        size += memory.ranges[i].size;
    }
    return size;
}
