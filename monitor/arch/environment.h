/* SPDX-License-Identifier: BSD-2-Clause */
/* What menvcfg lets tenants do (privileged ISA 3.1.18), by the flags of the board. */
#ifndef COTENANT_ARCH_ENVIRONMENT_H
#define COTENANT_ARCH_ENVIRONMENT_H

#include <stdint.h>

#include "abi/bundle.h"
#include "arch/csr.h"

/*
 * cbo.inval flushes: to invalidate would uncover what lay in memory before the monitor cleared a
 * page that it gave to the tenant (CMO specification 2.5.2).
 */
#define ENVIRONMENT_CACHE_BLOCKS (MENVCFG_CBIE_FLUSH | MENVCFG_CBCFE | MENVCFG_CBZE)

static inline uint64_t environment_of(uint64_t board_flags)
{
    return ((board_flags & COTENANT_BOARD_SSTC) != 0 ? MENVCFG_STCE : 0) |
           ((board_flags & COTENANT_BOARD_SVPBMT) != 0 ? MENVCFG_PBMTE : 0) |
           ((board_flags & COTENANT_BOARD_ZICBO) != 0 ? ENVIRONMENT_CACHE_BLOCKS : 0);
}

#endif
