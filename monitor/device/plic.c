/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/plic.h"

#include "abi/limits.h"
#include "arch/mmio.h"
#include "device/plic_map.h"

static uint64_t enable_address(const struct plic *plic, uint32_t context, uint32_t word)
{
    return plic->base + PLIC_ENABLE_BASE + (uint64_t)context * PLIC_ENABLE_STRIDE + word * 4;
}

static uint64_t threshold_address(const struct plic *plic, uint32_t context)
{
    return plic->base + PLIC_THRESHOLD_BASE + (uint64_t)context * PLIC_CONTEXT_STRIDE;
}

static uint64_t claim_address(const struct plic *plic, uint32_t context)
{
    return plic->base + PLIC_CLAIM_BASE + (uint64_t)context * PLIC_CONTEXT_STRIDE;
}

void plic_init(struct plic *plic, uint64_t base, uint32_t source_count)
{
    plic->base = base;
    plic->source_count = source_count < COTENANT_MAX_SOURCES ? source_count : COTENANT_MAX_SOURCES;
    for (uint32_t source = 1; source < plic->source_count; source++) {
        plic_set_priority(plic, source, 0);
    }
}

void plic_disable_context(const struct plic *plic, uint32_t context)
{
    for (uint32_t word = 0; word * 32 < plic->source_count; word++) {
        plic_write_enable_word(plic, context, word, 0);
    }
    plic_set_threshold(plic, context, 0);
}

void plic_set_priority(const struct plic *plic, uint32_t source, uint32_t priority)
{
    mmio_write32(plic->base + (uint64_t)source * 4, priority);
}

void plic_set_enable(const struct plic *plic, uint32_t context, uint32_t source, bool on)
{
    uint64_t address = enable_address(plic, context, source / 32);
    uint32_t bit = 1u << (source % 32);
    uint32_t before = mmio_read32(address);

    mmio_write32(address, on ? before | bit : before & ~bit);
}

uint32_t plic_read_enable_word(const struct plic *plic, uint32_t context, uint32_t word)
{
    return mmio_read32(enable_address(plic, context, word));
}

void plic_write_enable_word(const struct plic *plic, uint32_t context, uint32_t word,
                            uint32_t value)
{
    mmio_write32(enable_address(plic, context, word), value);
}

uint32_t plic_read_pending_word(const struct plic *plic, uint32_t word)
{
    return mmio_read32(plic->base + PLIC_PENDING_BASE + (uint64_t)word * 4);
}

volatile uint32_t *plic_threshold_register(const struct plic *plic, uint32_t context)
{
    return (volatile uint32_t *)threshold_address(plic, context);
}

void plic_set_threshold(const struct plic *plic, uint32_t context, uint32_t threshold)
{
    mmio_write32(threshold_address(plic, context), threshold);
}

uint32_t plic_claim(const struct plic *plic, uint32_t context)
{
    return mmio_read32(claim_address(plic, context));
}

void plic_complete(const struct plic *plic, uint32_t context, uint32_t source)
{
    mmio_write32(claim_address(plic, context), source);
}

void plic_silence_word(const struct plic *plic, uint32_t word, uint32_t sources)
{
    uint64_t address = plic->base + (uint64_t)word * 32 * 4;

    for (; sources != 0; sources >>= 1, address += 4) {
        if ((sources & 1) != 0) {
            mmio_write32(address, 0);
        }
    }
}

void plic_release_word(const struct plic *plic, uint32_t context, uint32_t word, uint32_t sources)
{
    uint64_t enables = enable_address(plic, context, word);
    uint64_t complete = claim_address(plic, context);

    if (sources != 0) {
        mmio_write32(enables, sources);
    }
    for (uint32_t source = word * 32; sources != 0; sources >>= 1, source++) {
        if ((sources & 1) != 0) {
            mmio_write32(complete, source);
        }
    }
    mmio_write32(enables, 0);
}
