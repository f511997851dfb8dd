/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver of the platform-level interrupt controller (RISC-V PLIC specification 1.0.0), for this
 * hart's S-mode context. Addresses come from the device tree: see platform.h.
 */
#ifndef COTENANT_RT_PLIC_H
#define COTENANT_RT_PLIC_H

#include <stdint.h>

#include "rt/platform.h"

/* Memory map, section 3: byte offsets from the base. */
static inline uint64_t plic_priority_offset(uint32_t source)
{
    return 4 * (uint64_t)source;
}

static inline uint64_t plic_pending_offset(uint32_t source)
{
    return 0x1000 + 4 * (uint64_t)(source / 32);
}

static inline uint64_t plic_enable_offset(uint32_t context, uint32_t source)
{
    return 0x2000 + 0x80 * (uint64_t)context + 4 * (uint64_t)(source / 32);
}

static inline uint64_t plic_threshold_offset(uint32_t context)
{
    return 0x200000 + 0x1000 * (uint64_t)context;
}

static inline uint64_t plic_claim_offset(uint32_t context)
{
    return plic_threshold_offset(context) + 4;
}

static inline volatile uint32_t *plic_register(uint64_t offset)
{
    return (volatile uint32_t *)(platform.plic_base + offset);
}

/* Lets `source` interrupt this hart with `priority` (1..7). */
void plic_enable(uint32_t source, uint32_t priority);

/* Stops `source` from interrupting this hart. */
void plic_disable(uint32_t source);

/* Only priorities above `threshold` interrupt this hart. */
void plic_set_threshold(uint32_t threshold);

/* Takes the pending interrupt of the highest priority: its source, 0 if there is none. */
uint32_t plic_claim(void);

/* Says that the interrupt of `source` has been served. */
void plic_complete(uint32_t source);

#endif
