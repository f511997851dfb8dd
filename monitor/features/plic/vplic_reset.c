/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant restarts: it gives back every interrupt that it held. */
#include "features/plic/physical.h"
#include "features/plic/vplic.h"
#include "features/plic/vplic_arbiter.h"
#include "irq/source_set.h"

/* Of a word: it is silenced, each vhart releases it, and the rest. */
_Static_assert(VPLIC_MAX_VHARTS + 2 <= VPLIC_RESET_PARTS, "each vhart has a part");

/* A vhart to which the PLIC is passed through may have claimed sources without our knowledge. */
static void release_vhart(struct vplic *vplic, uint32_t index, uint32_t word)
{
    if (vplic->vharts[index].passthrough) {
        release_physical_word(vplic, index, word, vplic->physical_sources[word]);
    }
}

/*
 * The state of a word's sources is as after vplic_init(), except for the levels. Out of line: the
 * steps before do not save its registers.
 */
static void __attribute__((noinline)) release_rest(struct vplic *vplic, uint32_t word)
{
    bool emulated = false;

    for (uint32_t index = 0; index < vplic_vhart_count(vplic); index++) {
        struct vplic_vhart *vhart = &vplic->vharts[index];

        emulated |= !vhart->passthrough;
        vhart->threshold = 0;
        vhart->enable[word] = 0;
        vhart->claimed[word] = 0;
        vhart->claimed_count = 0; /* of the words to come too: none of them is left out */
    }
    if (emulated) {
        release_emulated_word(vplic, word,
                              (vplic->pending[word] | vplic->in_service[word]) &
                                  vplic->physical_sources[word]);
    }
    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        vplic->priority_plane[bit][word] = 0;
    }
    vplic->in_service[word] = 0;
    vplic->level[word] &= vplic->virtual_sources[word];
    vplic->pending[word] = vplic->level[word];
    vplic_update_pending_word(vplic, word);
}

/* Where a word has no physical source, the rest is all there is. */
uint32_t vplic_reset_step(struct vplic *vplic, uint32_t step)
{
    uint32_t word = step / VPLIC_RESET_PARTS;
    uint32_t part = step % VPLIC_RESET_PARTS;

    if (word >= vplic->words) {
        return 0;
    }
    if (vplic->physical_sources[word] == 0 || part > vplic_vhart_count(vplic)) {
        release_rest(vplic, word);
        return (word + 1) * VPLIC_RESET_PARTS;
    }
    if (part == 0) {
        silence_physical_word(vplic, word, vplic->physical_sources[word]);
    } else {
        release_vhart(vplic, part - 1, word);
    }
    return step + 1;
}

void vplic_lower_lines(struct vplic *vplic)
{
    for (uint32_t word = 0; word < vplic->words; word++) {
        vplic->level[word] = 0;
        vplic->pending[word] = 0;
        vplic_update_pending_word(vplic, word);
    }
}
