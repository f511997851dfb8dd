/* SPDX-License-Identifier: BSD-2-Clause */
/* What mscratch leads to in the floor of a store: store.S. */
#ifndef COTENANT_FLOORS_STORE_H
#define COTENANT_FLOORS_STORE_H

#define RING_READERS 0
#define RING_REGISTERS 8
#define RING_HEAD 32
#define RING_BYTES 36
#define RING_SIZE 64

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct ring {
    const char *readers;
    uint64_t registers[3];
    uint32_t head;
    uint8_t bytes[RING_SIZE];
};

_Static_assert(offsetof(struct ring, registers) == RING_REGISTERS &&
                   offsetof(struct ring, head) == RING_HEAD &&
                   offsetof(struct ring, bytes) == RING_BYTES,
               "assembly finds them there");

extern const char store[];
extern const char store_readers[];
void store_bytes(uint64_t device, const uint64_t *values, uint64_t *afterwards);
#endif

#endif
