/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant restarts: it gives back every interrupt that it held. */
#include "irq/source_set.h"
#include "irq/vplic.h"
#include "irq/vplic_arbiter.h"

/* Completes the raised sources of a word through an emulated vhart, then turns its sources off. */
static void release_emulated(struct vplic *vplic, uint32_t index, uint32_t word, uint32_t *raised)
{
    uint32_t enabled = vplic->vharts[index].enable[word] & vplic->physical_sources[word];

    for (uint32_t left = enabled | *raised; left != 0; left &= left - 1) {
        uint32_t bit = left & -left;
        uint32_t source = word * SOURCE_SET_WORD_BITS + lowest_bit(left);

        if (*raised & bit) {
            if ((enabled & bit) == 0) {
                vplic->ops->set_physical_enable(vplic, index, source, true);
            }
            vplic->ops->complete_physical(vplic, index, source);
        }
        vplic->ops->set_physical_enable(vplic, index, source, false);
    }
    *raised = 0;
}

/*
 * The tenant may have claimed sources in its physical context without our knowledge. A completion
 * counts only while the source is enabled, and is ignored if there is nothing to complete.
 */
static void release_passthrough(struct vplic *vplic, uint32_t index, uint32_t word)
{
    uint32_t sources = vplic->physical_sources[word];

    if (sources != 0) {
        vplic->ops->write_physical_enable_word(vplic, index, word, sources);
    }
    for (uint32_t left = sources; left != 0; left &= left - 1) {
        vplic->ops->complete_physical_direct(vplic, index,
                                             word * SOURCE_SET_WORD_BITS + lowest_bit(left));
    }
    vplic->ops->write_physical_enable_word(vplic, index, word, 0);
}

/* The state of the sources of a word is as after vplic_init(), except for the levels. */
static void clear_word(struct vplic *vplic, uint32_t word)
{
    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        vplic->priority_plane[bit][word] = 0;
    }
    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        struct vplic_vhart *vhart = &vplic->vharts[index];

        vhart->enable[word] = 0;
        vhart->claimed_count -= count_bits(vhart->claimed[word]);
        vhart->claimed[word] = 0;
    }
    vplic->in_service[word] = 0;
    vplic->pending[word] = vplic->level[word];
    vplic_update_pending_word(vplic, word);
}

void vplic_reset_step(struct vplic *vplic, uint32_t word)
{
    uint32_t physical = vplic->physical_sources[word];
    uint32_t raised = (vplic->pending[word] | vplic->in_service[word]) & physical;

    for (uint32_t left = physical; left != 0; left &= left - 1) {
        vplic->ops->set_physical_priority(vplic, word * SOURCE_SET_WORD_BITS + lowest_bit(left), 0);
    }
    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        if (vplic->vharts[index].passthrough) {
            release_passthrough(vplic, index, word);
        } else {
            release_emulated(vplic, index, word, &raised);
        }
        if (word == 0) {
            vplic->vharts[index].threshold = 0;
        }
    }
    clear_word(vplic, word);
}

void vplic_reset(struct vplic *vplic)
{
    for (uint32_t word = 0; word < COTENANT_SOURCE_WORDS; word++) {
        /* Of a word without sources nothing was ever enabled, pending or claimed. */
        if (word == 0 || (vplic->physical_sources[word] | vplic->virtual_sources[word]) != 0) {
            vplic_reset_step(vplic, word);
        }
    }
}
