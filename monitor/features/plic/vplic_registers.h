/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map of a PLIC (specification 1.0, chapter 3): which register an offset means. */
#ifndef COTENANT_FEATURES_PLIC_VPLIC_REGISTERS_H
#define COTENANT_FEATURES_PLIC_VPLIC_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "features/plic/vplic.h"

enum vplic_register_kind {
    VPLIC_REGISTER_NONE,      /* reserved, or of a source or context that is not there */
    VPLIC_REGISTER_PRIORITY,  /* source */
    VPLIC_REGISTER_PENDING,   /* word */
    VPLIC_REGISTER_ENABLE,    /* vhart, word */
    VPLIC_REGISTER_THRESHOLD, /* vhart */
    VPLIC_REGISTER_CLAIM,     /* vhart; written: complete */
};

struct vplic_register {
    enum vplic_register_kind kind;
    uint32_t source; /* 0..COTENANT_MAX_SOURCES-1 */
    uint32_t word;   /* 0..COTENANT_SOURCE_WORDS-1 */
    uint32_t vhart;  /* index into vplic->vharts */
};

/*
 * Finds the register for an access of `size` bytes at `offset` from the PLIC's base. False: not an
 * aligned access to 4 bytes inside the PLIC. Time: the number of vharts.
 */
bool vplic_locate(const struct vplic *vplic, uint64_t offset, uint32_t size,
                  struct vplic_register *found);

#endif
