/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COTENANT_ARCH_GUEST_FETCH_H
#define COTENANT_ARCH_GUEST_FETCH_H

#include <stdint.h>

/*
 * guest_fetch_native() of arch/guest_memory.h for a caller on a hot path that has no other call: it
 * then needs no stack and keeps no registers of its own for one, the return address in t5 included.
 * arch/guest_fetch.S says which ones change.
 */
static inline uint32_t guest_fetch_in_line(uint64_t pc)
{
    register uint64_t instruction __asm__("a0") = pc;

    __asm__ volatile("mv t5, ra\n"
                     "call guest_fetch_native\n"
                     "mv ra, t5"
                     : "+r"(instruction)::"t0", "t1", "t2", "t3", "t4", "t5", "memory");
    return (uint32_t)instruction;
}

#endif
