/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COTENANT_ARCH_GUEST_FETCH_H
#define COTENANT_ARCH_GUEST_FETCH_H

#include "arch/guest_memory.h"

/* A plain call: the test says what is fetched. */
static inline uint32_t guest_fetch_in_line(uint64_t pc)
{
    return guest_fetch_native(pc);
}

#endif
