/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant restarts: it gives back every interrupt that it held. */
#include "features/plic/physical.h"
#include "features/plic/vplic.h"
#include "features/plic/vplic_arbiter.h"
#include "irq/source_set.h"

/* Completes the raised sources of a word, some of which may be disabled, and turns all off. */
static void release_emulated(struct vplic *vplic, uint32_t word, uint32_t raised)
{
    if (raised != 0) {
        enable_physical(vplic, word, raised);
    }
    for (uint32_t left = raised; left != 0; left &= left - 1) {
        complete_physical(vplic, word * SOURCE_SET_WORD_BITS + lowest_bit(left));
    }
    enable_physical(vplic, word, 0);
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
        if (vhart->claimed[word] != 0) {
            vhart->claimed_count -= count_bits(vhart->claimed[word]);
            vhart->claimed[word] = 0;
        }
    }
    vplic->in_service[word] = 0;
    vplic->level[word] &= vplic->virtual_sources[word];
    vplic->pending[word] = vplic->level[word];
    vplic_update_pending_word(vplic, word);
}

/* A vhart to which the PLIC is passed through may have claimed sources without our knowledge. */
static void release_vhart(struct vplic *vplic, uint32_t index, uint32_t word)
{
    if (vplic->vharts[index].passthrough) {
        release_physical_word(vplic, index, word, vplic->physical_sources[word]);
    }
}

/* Out of line: the steps before do not save its registers. */
static void __attribute__((noinline)) release_rest(struct vplic *vplic, uint32_t word)
{
    uint32_t raised = vplic->pending[word] | vplic->in_service[word];
    bool emulated = false;

    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        emulated |= !vplic->vharts[index].passthrough;
        if (word == 0) {
            vplic->vharts[index].threshold = 0;
        }
    }
    if (emulated) {
        release_emulated(vplic, word, raised & vplic->physical_sources[word]);
    }
    clear_word(vplic, word);
}

/*
 * Of a word: it is silenced, each vhart releases it, and the rest; that alone where there is no
 * physical source.
 */
uint32_t vplic_reset_step(struct vplic *vplic, uint32_t step)
{
    uint32_t steps_of_word = vplic->vhart_count + 2;
    uint32_t word = step / steps_of_word;
    uint32_t part = step % steps_of_word;

    if (word >= vplic->words) {
        return 0;
    }
    if (vplic->physical_sources[word] == 0 || part > vplic->vhart_count) {
        release_rest(vplic, word);
        return (word + 1) * steps_of_word;
    }
    if (part == 0) {
        silence_physical_word(vplic, word, vplic->physical_sources[word]);
    } else {
        release_vhart(vplic, part - 1, word);
    }
    return step + 1;
}
