/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/plic.h"

void plic_enable(uint32_t source, uint32_t priority)
{
    volatile uint32_t *enable = plic_register(plic_enable_offset(platform.plic_context, source));

    *plic_register(plic_priority_offset(source)) = priority;
    *enable = *enable | 1u << source % 32;
}

void plic_disable(uint32_t source)
{
    volatile uint32_t *enable = plic_register(plic_enable_offset(platform.plic_context, source));

    *enable = *enable & ~(1u << source % 32);
}

void plic_set_threshold(uint32_t threshold)
{
    *plic_register(plic_threshold_offset(platform.plic_context)) = threshold;
}

uint32_t plic_claim(void)
{
    return *plic_register(plic_claim_offset(platform.plic_context));
}

void plic_complete(uint32_t source)
{
    *plic_register(plic_claim_offset(platform.plic_context)) = source;
}
