/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant restarts: it gives back every interrupt that it held. */
#include "irq/source_set.h"
#include "irq/vplic.h"
#include "irq/vplic_arbiter.h"

/* Completes the raised sources of a word, some of which may be disabled, and turns all off. */
static void release_emulated(struct vplic *vplic, uint32_t word, uint32_t raised)
{
    if (raised != 0) {
        vplic->ops->enable_physical(vplic, word, raised);
    }
    for (uint32_t left = raised; left != 0; left &= left - 1) {
        vplic->ops->complete_physical(vplic, word * SOURCE_SET_WORD_BITS + lowest_bit(left));
    }
    vplic->ops->enable_physical(vplic, word, 0);
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
    vplic->level[word] &= vplic->virtual_sources[word];
    vplic->pending[word] = vplic->level[word];
    vplic_update_pending_word(vplic, word);
}

void vplic_reset_step(struct vplic *vplic, uint32_t word)
{
    uint32_t physical = vplic->physical_sources[word];
    uint32_t raised = (vplic->pending[word] | vplic->in_service[word]) & physical;
    bool emulated = false;

    vplic->ops->silence_word(vplic, word, physical);
    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        if (vplic->vharts[index].passthrough) {
            /* It may have claimed sources in its physical context without our knowledge. */
            vplic->ops->release_word(vplic, index, word, physical);
        }
        emulated |= !vplic->vharts[index].passthrough;
        if (word == 0) {
            vplic->vharts[index].threshold = 0;
        }
    }
    if (emulated) {
        release_emulated(vplic, word, raised);
    }
    clear_word(vplic, word);
}
