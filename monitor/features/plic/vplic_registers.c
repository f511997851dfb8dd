/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/vplic_registers.h"

#include "device/plic_map.h"

#define CONTEXT_CLAIM (PLIC_CLAIM_BASE - PLIC_THRESHOLD_BASE)

static bool find_vhart(const struct vplic *vplic, uint64_t context, uint32_t *vhart)
{
    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        if (vplic->vharts[index].context == context) {
            *vhart = index;
            return true;
        }
    }
    return false;
}

static void locate_priority(uint64_t offset, struct vplic_register *found)
{
    if (offset / 4 < COTENANT_MAX_SOURCES) {
        found->kind = VPLIC_REGISTER_PRIORITY;
        found->source = (uint32_t)(offset / 4);
    }
}

static void locate_pending(uint64_t offset, struct vplic_register *found)
{
    if (offset / 4 < COTENANT_SOURCE_WORDS) {
        found->kind = VPLIC_REGISTER_PENDING;
        found->word = (uint32_t)(offset / 4);
    }
}

static void locate_enable(const struct vplic *vplic, uint64_t offset, struct vplic_register *found)
{
    uint64_t word = offset % PLIC_ENABLE_STRIDE / 4;

    if (word < COTENANT_SOURCE_WORDS &&
        find_vhart(vplic, offset / PLIC_ENABLE_STRIDE, &found->vhart)) {
        found->kind = VPLIC_REGISTER_ENABLE;
        found->word = (uint32_t)word;
    }
}

static void locate_in_context(const struct vplic *vplic, uint64_t offset,
                              struct vplic_register *found)
{
    uint64_t within = offset % PLIC_CONTEXT_STRIDE;

    if (within > CONTEXT_CLAIM || !find_vhart(vplic, offset / PLIC_CONTEXT_STRIDE, &found->vhart)) {
        return;
    }
    found->kind = within == CONTEXT_CLAIM ? VPLIC_REGISTER_CLAIM : VPLIC_REGISTER_THRESHOLD;
}

bool vplic_locate(const struct vplic *vplic, uint64_t offset, uint32_t size,
                  struct vplic_register *found)
{
    found->kind = VPLIC_REGISTER_NONE;
    if (size != 4 || offset % 4 != 0 || offset >= PLIC_SIZE) {
        return false;
    }
    if (offset >= PLIC_THRESHOLD_BASE) {
        locate_in_context(vplic, offset - PLIC_THRESHOLD_BASE, found);
    } else if (offset >= PLIC_ENABLE_BASE) {
        locate_enable(vplic, offset - PLIC_ENABLE_BASE, found);
    } else if (offset >= PLIC_PENDING_BASE) {
        locate_pending(offset - PLIC_PENDING_BASE, found);
    } else {
        locate_priority(offset, found);
    }
    return true;
}
