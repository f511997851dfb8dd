/* SPDX-License-Identifier: BSD-2-Clause */
/* The board's PLIC, for tenants' sources: 32 of them at a time. As device/plic.h. */
#ifndef COTENANT_FEATURES_PLIC_PLIC_WORDS_H
#define COTENANT_FEATURES_PLIC_PLIC_WORDS_H

#include "arch/mmio.h"
#include "device/plic.h"

static inline uint32_t plic_read_enable_word(const struct plic *plic, uint32_t context,
                                             uint32_t word)
{
    return mmio_read32(plic_enable_address(plic, context, word));
}

static inline void plic_write_enable_word(const struct plic *plic, uint32_t context, uint32_t word,
                                          uint32_t value)
{
    mmio_write32(plic_enable_address(plic, context, word), value);
}

/* Pending bits of the sources 32 * word .. 32 * word + 31. */
static inline uint32_t plic_read_pending_word(const struct plic *plic, uint32_t word)
{
    return mmio_read32(plic->base + PLIC_PENDING_BASE + (uint64_t)word * 4);
}

/* The threshold register of a context, for callers that write it often. */
static inline volatile uint32_t *plic_threshold_register(const struct plic *plic, uint32_t context)
{
    return (volatile uint32_t *)plic_threshold_address(plic, context);
}

/* Priority 0 for some of the sources 32 * word .. 32 * word + 31, a bit each. */
static inline void plic_silence_word(const struct plic *plic, uint32_t word, uint32_t sources)
{
    uint64_t address = plic->base + (uint64_t)word * 32 * 4;

    /* Two at a time, which takes less than each by itself. */
    for (; sources != 0; sources >>= 2, address += 8) {
        if ((sources & 1) != 0) {
            mmio_write32(address, 0);
        }
        if ((sources & 2) != 0) {
            mmio_write32(address + 4, 0);
        }
    }
}

/*
 * Completes some sources of a word in a context, whether they are claimed there or not, and turns
 * the whole word off there. (A completion counts only while the source is enabled, and is ignored
 * if there is nothing to complete: PLIC specification, "Interrupt Completion".)
 */
static inline void plic_release_word(const struct plic *plic, uint32_t context, uint32_t word,
                                     uint32_t sources)
{
    uint64_t enables = plic_enable_address(plic, context, word);
    uint64_t complete = plic_claim_address(plic, context);

    if (sources != 0) {
        mmio_write32(enables, sources);
    }
    for (uint32_t source = word * 32; sources != 0; sources >>= 2, source += 2) {
        if ((sources & 1) != 0) {
            mmio_write32(complete, source);
        }
        if ((sources & 2) != 0) {
            mmio_write32(complete, source + 1);
        }
    }
    mmio_write32(enables, 0);
}

#endif
