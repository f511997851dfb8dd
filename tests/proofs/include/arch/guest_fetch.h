/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for monitor/arch/guest_fetch.h, which is assembly: any instruction, or 0 for none. */
#ifndef COTENANT_TESTS_PROOFS_GUEST_FETCH_H
#define COTENANT_TESTS_PROOFS_GUEST_FETCH_H

#include "proof.h"

static inline uint32_t guest_fetch_in_line(uint64_t pc)
{
    (void)pc;
    return any32();
}

#endif
