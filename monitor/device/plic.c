/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/plic.h"

#include "abi/limits.h"
#include "arch/mmio.h"

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
        mmio_write32(plic_enable_address(plic, context, word), 0);
    }
    plic_set_threshold(plic, context, 0);
}

void plic_set_priority(const struct plic *plic, uint32_t source, uint32_t priority)
{
    mmio_write32(plic->base + (uint64_t)source * 4, priority);
}

void plic_set_enable(const struct plic *plic, uint32_t context, uint32_t source, bool on)
{
    uint64_t address = plic_enable_address(plic, context, source / 32);
    uint32_t bit = 1u << (source % 32);
    uint32_t before = mmio_read32(address);

    mmio_write32(address, on ? before | bit : before & ~bit);
}

void plic_set_threshold(const struct plic *plic, uint32_t context, uint32_t threshold)
{
    mmio_write32(plic_threshold_address(plic, context), threshold);
}

uint32_t plic_claim(const struct plic *plic, uint32_t context)
{
    return mmio_read32(plic_claim_address(plic, context));
}

void plic_complete(const struct plic *plic, uint32_t context, uint32_t source)
{
    mmio_write32(plic_claim_address(plic, context), source);
}
