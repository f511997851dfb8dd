/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which interrupt of a virtual PLIC goes first. The questions are answered for the 32 sources of a
 * word at a time, so that they take the same time however many are pending.
 */
#ifndef COTENANT_FEATURES_PLIC_VPLIC_ARBITER_H
#define COTENANT_FEATURES_PLIC_VPLIC_ARBITER_H

#include <stdbool.h>
#include <stdint.h>

#include "features/plic/vplic.h"
#include "irq/source_set.h"

/* Brings the summary up to date after vplic->pending[word] was changed. */
static inline void vplic_update_pending_word(struct vplic *vplic, uint32_t word)
{
    uint32_t bit = 1u << word;

    vplic->pending_words =
        vplic->pending[word] != 0 ? vplic->pending_words | bit : vplic->pending_words & ~bit;
}

/* Sets or clears the pending bit of a source, 1..COTENANT_MAX_SOURCES-1. */
static inline void vplic_set_pending(struct vplic *vplic, uint32_t source, bool on)
{
    source_set_assign(vplic->pending, source, on);
    vplic->latest = source;
    vplic_update_pending_word(vplic, source_word(source));
}

/* The sources of a word whose priority is above the usual threshold, 0. */
static inline uint32_t vplic_above_zero(const struct vplic *vplic, uint32_t word)
{
    uint32_t above = 0;

    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        above |= vplic->priority_plane[bit][word];
    }
    return above;
}

/* Some source would interrupt the vhart, as far as is known here. */
bool vplic_any_due(const struct vplic *vplic, const struct vplic_vhart *vhart);

/* SEIP of a vhart as far as it comes from here: always for emulated, virtual sources otherwise. */
static inline bool vplic_output(const struct vplic *vplic, const struct vplic_vhart *vhart)
{
    return vplic->pending_words != 0 && vplic_any_due(vplic, vhart);
}

/*
 * The claim register of a pass-through vhart must be trapped: a virtual source is due there
 * (`output`), or was claimed and is not completed yet.
 */
static inline bool vplic_claim_trapped(const struct vplic_vhart *vhart, bool output)
{
    return output || vhart->claimed_count != 0;
}

/* The due source of the highest priority, the lowest number among equals; 0: none. */
uint32_t vplic_best_due(const struct vplic *vplic, const struct vplic_vhart *vhart);

#endif
