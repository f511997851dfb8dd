/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/vplic_arbiter.h"

#include "irq/source_set.h"

/*
 * The sources of a word whose priority is above `threshold`: the comparison of two numbers, lowest
 * bit first, for 32 of them at once. A higher bit decides, unless it is equal in both.
 */
static inline uint32_t above_threshold(const struct vplic *vplic, uint32_t word, uint32_t threshold)
{
    uint32_t above = 0;

    /* Not as a loop: it is asked of each word, of each context. */
#pragma GCC unroll 3
    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        uint32_t plane = vplic->priority_plane[bit][word];
        uint32_t clear = (threshold >> bit & 1) - 1; /* all bits if it is clear */

        above = (above & plane) | ((above | plane) & clear);
    }
    return above;
}

/* Out of line: most vharts have none, and do not save registers for it. */
static uint32_t __attribute__((noinline))
above_high_threshold(const struct vplic *vplic, uint32_t word, uint32_t threshold)
{
    return above_threshold(vplic, word, threshold);
}

/* The sources of a word that a vhart would be interrupted by, as far as they are known here. */
static inline uint32_t due_sources(const struct vplic *vplic, const struct vplic_vhart *vhart,
                                   uint32_t word)
{
    uint32_t due = vplic->pending[word] & vhart->enable[word];

    if (vhart->passthrough) {
        /* A raised physical source was claimed for an emulated vhart of this tenant. */
        due &= vplic->virtual_sources[word];
    }
    if (due == 0) {
        return 0;
    }
    return due & (vhart->threshold == 0 ? vplic_above_zero(vplic, word)
                                        : above_high_threshold(vplic, word, vhart->threshold));
}

/* The same without branches, for where there are several words to look at. */
static inline uint32_t due_of_several(const struct vplic *vplic, const struct vplic_vhart *vhart,
                                      uint32_t word)
{
    uint32_t physical = vhart->passthrough - 1u; /* all bits, or none */

    return vplic->pending[word] & vhart->enable[word] & (vplic->virtual_sources[word] | physical) &
           above_threshold(vplic, word, vhart->threshold);
}

static bool __attribute__((noinline))
any_due_of_several(const struct vplic *vplic, const struct vplic_vhart *vhart)
{
    uint32_t due = 0;

    for (uint32_t word = 0; word < vplic->words; word++) {
        due |= due_of_several(vplic, vhart, word);
    }
    return due != 0;
}

bool vplic_any_due(const struct vplic *vplic, const struct vplic_vhart *vhart)
{
    uint32_t word = source_word(vplic->latest);

    /* The usual case: no other word to look at. */
    if (vplic->pending_words == 1u << word) {
        return due_sources(vplic, vhart, word) != 0;
    }
    return any_due_of_several(vplic, vhart);
}

/* The usual case, a single pending source: nothing to search. False: it is another case. */
static inline bool only_due(const struct vplic *vplic, const struct vplic_vhart *vhart,
                            uint32_t *source)
{
    uint32_t word = source_word(vplic->latest);

    if (vplic->pending_words != 1u << word || vplic->pending[word] != source_bit(vplic->latest)) {
        return false;
    }
    *source = due_sources(vplic, vhart, word) == 0 ? 0 : vplic->latest;
    return true;
}

/*
 * Narrows the set of due sources priority bit by priority bit: those that have the bit stay, if
 * there are any. Only the words between the first and the last with pending sources take part,
 * usually one. Out of line, so that the usual case does not pay for its registers.
 */
static uint32_t __attribute__((noinline))
best_of_several(const struct vplic *vplic, const struct vplic_vhart *vhart)
{
    uint32_t due[COTENANT_SOURCE_WORDS];
    uint32_t first = lowest_bit(vplic->pending_words);
    uint32_t end;

    for (end = first; vplic->pending_words >> end != 0; end++) {
        due[end] = due_of_several(vplic, vhart, end);
    }
    for (uint32_t bit = VPLIC_PRIORITY_BITS; bit-- > 0;) {
        const uint32_t *plane = vplic->priority_plane[bit];
        uint32_t any = 0;

        for (uint32_t word = first; word < end; word++) {
            any |= due[word] & plane[word];
        }
        for (uint32_t word = first; any != 0 && word < end; word++) {
            due[word] &= plane[word];
        }
    }
    for (uint32_t word = first; word < end; word++) {
        if (due[word] != 0) {
            return word * SOURCE_SET_WORD_BITS + lowest_bit(due[word]);
        }
    }
    return 0;
}

uint32_t vplic_best_due(const struct vplic *vplic, const struct vplic_vhart *vhart)
{
    uint32_t only;

    if (vplic->pending_words == 0) {
        return 0;
    }
    return only_due(vplic, vhart, &only) ? only : best_of_several(vplic, vhart);
}
