/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/plic_words.h"

#include "arch/mmio.h"

uint32_t plic_read_enable_word(const struct plic *plic, uint32_t context, uint32_t word)
{
    return mmio_read32(plic_enable_address(plic, context, word));
}

void plic_write_enable_word(const struct plic *plic, uint32_t context, uint32_t word,
                            uint32_t value)
{
    mmio_write32(plic_enable_address(plic, context, word), value);
}

uint32_t plic_read_pending_word(const struct plic *plic, uint32_t word)
{
    return mmio_read32(plic->base + PLIC_PENDING_BASE + (uint64_t)word * 4);
}

volatile uint32_t *plic_threshold_register(const struct plic *plic, uint32_t context)
{
    return (volatile uint32_t *)plic_threshold_address(plic, context);
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
    uint64_t enables = plic_enable_address(plic, context, word);
    uint64_t complete = plic_claim_address(plic, context);

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
