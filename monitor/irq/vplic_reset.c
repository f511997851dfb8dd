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

    vplic->ops->silence_word(vplic, word, physical);
    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        if (vplic->vharts[index].passthrough) {
            /* It may have claimed sources in its physical context without our knowledge. */
            vplic->ops->release_word(vplic, index, word, physical);
        } else {
            release_emulated(vplic, index, word, &raised);
        }
        if (word == 0) {
            vplic->vharts[index].threshold = 0;
        }
    }
    clear_word(vplic, word);
}
