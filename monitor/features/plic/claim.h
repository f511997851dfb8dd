/* SPDX-License-Identifier: BSD-2-Clause */
/* The claim register of a vhart's own context, as the hot paths come to it. */
#ifndef COTENANT_FEATURES_PLIC_CLAIM_H
#define COTENANT_FEATURES_PLIC_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/interrupts.h"
#include "arch/mmio.h"
#include "core/feature.h"
#include "core/tenant.h"
#include "features/plic/plic_entries.h"
#include "features/plic/plic_vhart.h"
#include "features/plic/routing.h"
#include "features/plic/vplic.h"
#include "irq/source_set.h"

/*
 * The vhart stores to the claim register of the context that is passed through to it, as it does at
 * the end of each interrupt of its devices: a source of its own that it has enabled is completed in
 * the PLIC, and anything else is ignored, unless one of its virtual sources is in service, or its
 * PLIC is emulated (false).
 *
 * Without the shared lock: the register is that of this hart, and the vhart has the hart; whose a
 * source is does not change while it runs; the enable word is read once, and only stores of the
 * tenant itself change it, as only its own claims bring a virtual source into service. Nothing is
 * written but the register.
 */
static inline bool claim_complete_directly(const struct vhart *vhart, uint32_t source)
{
    const struct vplic_vhart *own = vhart->plic->own;
    uint32_t word = source_word(source);
    uint32_t enabled = 0;

    if (!own->passthrough) {
        return false;
    }
    if (word < COTENANT_SOURCE_WORDS) {
        enabled = __atomic_load_n(&own->enable[word], __ATOMIC_RELAXED);
        enabled &= vhart->tenant->plic->physical_sources[word];
    }
    if ((enabled & source_bit(source)) != 0) {
        mmio_write32(vhart->plic->claim_register, source);
        return true;
    }
    return __atomic_load_n(&own->claimed_count, __ATOMIC_RELAXED) == 0;
}

/*
 * vplic_claim() and routing_refresh() in one, where the one vhart of its tenant claims the only
 * source that is pending, which interrupts it. 0: it is another case, and nothing has changed.
 */
static inline uint32_t claim_only(struct vhart *vhart)
{
    struct vplic *vplic = vhart->tenant->plic;
    uint32_t source = vplic->latest;
    uint32_t word = source_word(source);
    uint32_t bit = source_bit(source);

    if (!HAS(fast_uart) || vplic_vhart_count(vplic) != 1 || (vhart->routed & ROUTED_OUTPUT) == 0 ||
        vplic->pending_words != 1u << word || vplic->pending[word] != bit) {
        return 0;
    }
    vplic->pending[word] = 0;
    vplic->pending_words = 0;
    vplic->in_service[word] |= bit;
    vplic->vharts[0].claimed[word] |= bit;
    vplic->vharts[0].claimed_count++;
    vhart->routed &= ~ROUTED_OUTPUT; /* and it stays trapped */
    vhart_clear_interrupt(vhart, INTERRUPT_SEI);
    return source;
}

/*
 * The same of vplic_complete(), where it completes the only source that it has claimed, a virtual
 * one that is low, and nothing is pending: all is as before the interrupt. False: it is another
 * case, and nothing has changed.
 */
static inline bool complete_only(struct vhart *vhart, uint32_t source)
{
    struct vplic *vplic = vhart->tenant->plic;
    struct vplic_vhart *own = &vplic->vharts[0];
    uint32_t word = source_word(source);
    uint32_t bit = source_bit(source);

    if (!HAS(fast_uart) || word >= COTENANT_SOURCE_WORDS || vplic_vhart_count(vplic) != 1 ||
        vhart->routed != ROUTED_TRAPPED || vplic->pending_words != 0 || own->claimed_count != 1 ||
        (own->claimed[word] & own->enable[word] & vplic->virtual_sources[word] &
         ~vplic->level[word] & bit) == 0) {
        return false;
    }
    vplic->in_service[word] &= ~bit;
    own->claimed[word] &= ~bit;
    own->claimed_count = 0;
    vhart->routed = 0;
    plic_entry_set(vhart, vhart->description->plic_claim_entry, true);
    return true;
}

/* Claims, or completes `value`. Returns what a load finds there. */
static inline uint32_t claim_access(struct vhart *vhart, bool store, uint32_t value)
{
    struct vplic *vplic = vhart->tenant->plic;
    uint32_t only = store ? 0 : claim_only(vhart);

    if (only != 0) {
        return only;
    }
    if (store && complete_only(vhart, value)) {
        return 0;
    }
    if (store) {
        vplic_complete(vplic, vhart->world.vhart_id, value);
    } else {
        value = vplic_claim(vplic, vhart->world.vhart_id);
    }
    routing_refresh(vhart->tenant);
    return value;
}

#endif
