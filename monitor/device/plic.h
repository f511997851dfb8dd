/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The board's PLIC (RISC-V PLIC specification 1.0). M-mode with interrupts off, shared lock held.
 * Sources and contexts are not checked: they come from the checked configuration.
 */
#ifndef COTENANT_DEVICE_PLIC_H
#define COTENANT_DEVICE_PLIC_H

#include <stdbool.h>
#include <stdint.h>

#include "device/plic_map.h"

/* Highest threshold: no source of 3-bit priority interrupts. */
#define PLIC_THRESHOLD_CLOSED 7

struct plic {
    uint64_t base;
    uint32_t source_count; /* highest source + 1, at most COTENANT_MAX_SOURCES */
};

/* Where registers of a context are: the enable bits of the sources 32 * word .. 32 * word + 31. */

static inline uint64_t plic_enable_address(const struct plic *plic, uint32_t context, uint32_t word)
{
    return plic->base + PLIC_ENABLE_BASE + (uint64_t)context * PLIC_ENABLE_STRIDE + word * 4;
}

static inline uint64_t plic_threshold_address(const struct plic *plic, uint32_t context)
{
    return plic->base + PLIC_THRESHOLD_BASE + (uint64_t)context * PLIC_CONTEXT_STRIDE;
}

static inline uint64_t plic_claim_address(const struct plic *plic, uint32_t context)
{
    return plic->base + PLIC_CLAIM_BASE + (uint64_t)context * PLIC_CONTEXT_STRIDE;
}

/*
 * Sets the priority of every source to 0, so that nothing interrupts. A loop over `source_count`
 * registers (cut to COTENANT_MAX_SOURCES): for boot only. Follow it with
 * plic_disable_context() for each context of the board.
 */
void plic_init(struct plic *plic, uint64_t base, uint32_t source_count);

/* Turns every source of a context off and sets its threshold to 0. A loop over the words. */
void plic_disable_context(const struct plic *plic, uint32_t context);

void plic_set_priority(const struct plic *plic, uint32_t source, uint32_t priority);

/* Turns one source of a context on or off; the other bits of its word stay. */
void plic_set_enable(const struct plic *plic, uint32_t context, uint32_t source, bool on);

void plic_set_threshold(const struct plic *plic, uint32_t context, uint32_t threshold);

/* Takes the highest pending source of a context; 0: none. */
uint32_t plic_claim(const struct plic *plic, uint32_t context);

/* Ends the service of a claimed source. Ignored by the PLIC unless it is enabled there. */
void plic_complete(const struct plic *plic, uint32_t context, uint32_t source);

#endif
