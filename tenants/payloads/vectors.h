/* SPDX-License-Identifier: BSD-2-Clause */
/* All vector registers at once, for the payloads about them; sstatus.VS is not off. */
#ifndef COTENANT_PAYLOADS_VECTORS_H
#define COTENANT_PAYLOADS_VECTORS_H

#include <stdint.h>

#include "rt/csr.h"

#define VECTORS 32
/* Bytes of a register in the largest harts that these payloads run on. */
#define VECTOR_MOST 128
#define VTYPE_ILLEGAL 0x8000000000000000

struct vectors {
    uint8_t bytes[VECTORS * VECTOR_MOST] __attribute__((aligned(64)));
    uint64_t vstart;
    uint64_t vcsr;
    uint64_t vl;
    uint64_t vtype;
};

#define EACH_EIGHT(operation)                                                                      \
    ".option push\n.option arch, +v\n"                                                             \
    ".irp n, 0, 8, 16, 24\n" operation " v\\n, (%0)\nadd %0, %0, %1\n.endr\n"                      \
    ".option pop\n"

/* The length of each in bytes. */
static inline uint64_t vectors_length(void)
{
    return csr_read(0xc22); /* vlenb */
}

/* vl and vtype are set for `vl` elements, of what `vtype` says. */
static inline void vectors_load(const struct vectors *from)
{
    const uint8_t *place = from->bytes;

    csr_write(0x008, 0); /* vstart */
    __asm__ volatile(EACH_EIGHT("vl8re8.v") : "+r"(place) : "r"(8 * vectors_length()) : "memory");
    __asm__ volatile(".option push\n.option arch, +v\nvsetvl zero, %0, %1\n.option pop"
                     :
                     : "r"(from->vl), "r"(from->vtype));
    csr_write(0x00f, from->vcsr);
    csr_write(0x008, from->vstart);
}

static inline void vectors_store(struct vectors *to)
{
    uint8_t *place = to->bytes;

    to->vstart = csr_read(0x008);
    to->vcsr = csr_read(0x00f);
    to->vl = csr_read(0xc20);
    to->vtype = csr_read(0xc21);
    csr_write(0x008, 0);
    __asm__ volatile(EACH_EIGHT("vs8r.v") : "+r"(place) : "r"(8 * vectors_length()) : "memory");
}

#endif
