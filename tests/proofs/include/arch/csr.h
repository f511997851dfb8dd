/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for monitor/arch/csr.h: its numbers; a CSR has any value at each read. */
#ifndef COTENANT_TESTS_PROOFS_CSR_H
#define COTENANT_TESTS_PROOFS_CSR_H

#include <stdint.h>

#include "../../../../monitor/arch/csr.h"

#undef READ_TP
#undef FENCE_I
#undef PUBLISH
#undef FENCE_ALL
#undef FENCE_TRANSLATION
#undef WAIT_FOR_INTERRUPT
#undef CSR_READ
#undef CSR_WRITE
#undef CSR_SET
#undef CSR_CLEAR

struct hart;

/* The hart that executes; an entry that reaches hart_self() defines it. */
extern struct hart *const proof_hart;
extern volatile uint64_t proof_csr;

#define READ_TP() ((unsigned long)proof_hart)
#define CSR_READ(name) proof_csr
#define CSR_WRITE(name, value) ((void)(value))
#define CSR_SET(name, bits) ((void)(bits))
#define CSR_CLEAR(name, bits) ((void)(bits))
#define FENCE_I() ((void)0)
#define FENCE_ALL() ((void)0)
#define FENCE_TRANSLATION() ((void)0)
#define WAIT_FOR_INTERRUPT() ((void)0)
#define PUBLISH(place, value) (*(place) = (value))

/* One hart at a time. */
#define __atomic_load_n(place, order) (*(place))
#define __atomic_store_n(place, value, order) (*(place) = (value))
#define __atomic_fetch_add(place, value, order) ((void)(*(place) += (value)))
#define __atomic_fetch_or(place, value, order) ((void)(*(place) |= (value)))
#define __atomic_exchange_n(place, value, order) proof_exchange((place), (value))
#define __atomic_thread_fence(order) ((void)0)

static inline uint32_t proof_exchange(uint32_t *place, uint32_t value)
{
    uint32_t before = *place;

    *place = value;
    return before;
}

/* Hints to the compiler. */
#define __asm__(...) ((void)0)

#endif
