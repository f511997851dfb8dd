/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map of a PLIC: specification 1.0, chapter 3. */
#include "device/plic_map.h"
#include "features/plic/physical.h"
#include "features/plic/vplic.h"
#include "irq/source_set.h"

#define CONTEXT_CLAIM (PLIC_CLAIM_BASE - PLIC_THRESHOLD_BASE)

/* Index of the vhart whose context it is, vhart_count: of none. */
static uint32_t find_vhart(const struct vplic *vplic, uint64_t context)
{
    uint32_t index = 0;

    while (index < vplic_vhart_count(vplic) && vplic->vharts[index].context != context) {
        index++;
    }
    return index;
}

static uint32_t access_priority(struct vplic *vplic, uint64_t source, bool store, uint32_t value)
{
    uint32_t priority = 0;

    if (!vplic_is_known(vplic, source)) {
        return 0;
    }
    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        uint32_t *plane = vplic->priority_plane[bit];

        if (store) {
            source_set_assign(plane, (uint32_t)source, (value >> bit & 1) != 0);
        }
        priority |= (uint32_t)source_set_has(plane, (uint32_t)source) << bit;
    }
    if (store && source_set_has(vplic->physical_sources, (uint32_t)source)) {
        set_physical_priority(vplic, (uint32_t)source, priority);
    }
    return priority;
}

static uint32_t read_pending(struct vplic *vplic, uint32_t word)
{
    uint32_t physical = vplic->physical_sources[word];
    uint32_t pending = vplic->pending[word];

    if (physical != 0) {
        pending |= read_physical_pending(vplic, word) & physical;
    }
    return pending;
}

/* The physical sources of a word that some emulated vhart has enabled. */
static uint32_t emulated_enables(const struct vplic *vplic, uint32_t word)
{
    uint32_t enabled = 0;

    for (uint32_t index = 0; index < vplic_vhart_count(vplic); index++) {
        if (!vplic->vharts[index].passthrough) {
            enabled |= vplic->vharts[index].enable[word];
        }
    }
    return enabled & vplic->physical_sources[word];
}

static void write_enable(struct vplic *vplic, uint32_t index, uint32_t word, uint32_t value)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];
    uint32_t before = emulated_enables(vplic, word);
    uint32_t after;

    vhart->enable[word] = value;
    if (vhart->passthrough) {
        write_physical_enable_word(vplic, index, word, value);
        return;
    }
    after = emulated_enables(vplic, word);
    if (after != before) {
        enable_physical(vplic, word, after);
    }
}

/* `offset`: from the first context's. */
static uint32_t access_enable(struct vplic *vplic, uint64_t offset, bool store, uint32_t value)
{
    uint32_t index = find_vhart(vplic, offset / PLIC_ENABLE_STRIDE);
    uint32_t word = offset % PLIC_ENABLE_STRIDE / sizeof(uint32_t);

    if (index == vplic_vhart_count(vplic) || word >= COTENANT_SOURCE_WORDS) {
        return 0;
    }
    if (store) {
        write_enable(vplic, index, word, value & vplic_known_sources(vplic, word));
    }
    return vplic->vharts[index].enable[word];
}

static uint32_t access_claim(struct vplic *vplic, uint32_t index, bool store, uint32_t value)
{
    if (store) {
        vplic_complete(vplic, index, value);
        return 0;
    }
    return vplic_claim(vplic, index);
}

/* The same for the threshold and the claim register. */
static uint32_t access_context(struct vplic *vplic, uint64_t offset, bool store, uint32_t value)
{
    uint32_t index = find_vhart(vplic, offset / PLIC_CONTEXT_STRIDE);
    uint64_t within = offset % PLIC_CONTEXT_STRIDE;

    if (index == vplic_vhart_count(vplic) || within > CONTEXT_CLAIM) {
        return 0;
    }
    if (within == CONTEXT_CLAIM) {
        return access_claim(vplic, index, store, value);
    }
    if (store) {
        vplic->vharts[index].threshold = value & VPLIC_PRIORITY_MAX;
    }
    return vplic->vharts[index].threshold;
}

bool vplic_access(struct vplic *vplic, uint64_t offset, uint32_t size, bool store, uint32_t *value)
{
    if (size != sizeof(uint32_t) || offset % sizeof(uint32_t) != 0 || offset >= PLIC_SIZE) {
        return false;
    }
    vplic->touched |= store;
    if (offset >= PLIC_THRESHOLD_BASE) {
        *value = access_context(vplic, offset - PLIC_THRESHOLD_BASE, store, *value);
    } else if (offset >= PLIC_ENABLE_BASE) {
        *value = access_enable(vplic, offset - PLIC_ENABLE_BASE, store, *value);
    } else if (offset < PLIC_PENDING_BASE) {
        *value = access_priority(vplic, offset / sizeof(uint32_t), store, *value);
    } else if (offset - PLIC_PENDING_BASE < COTENANT_SOURCE_WORDS * sizeof(uint32_t)) {
        *value = read_pending(vplic, (offset - PLIC_PENDING_BASE) / sizeof(uint32_t));
    } else {
        *value = 0;
    }
    return true;
}
