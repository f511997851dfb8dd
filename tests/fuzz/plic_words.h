/* SPDX-License-Identifier: BSD-2-Clause */
/* The two of physical.h that are about a whole word, by those that are about one source. */
#ifndef COTENANT_TESTS_PLIC_WORDS_H
#define COTENANT_TESTS_PLIC_WORDS_H

#include "features/plic/physical.h"

void silence_physical_word(struct vplic *vplic, uint32_t word, uint32_t sources)
{
    for (uint32_t bit = 0; bit < 32; bit++) {
        if ((sources >> bit & 1) != 0) {
            set_physical_priority(vplic, word * 32 + bit, 0);
        }
    }
}

void release_physical_word(struct vplic *vplic, uint32_t vhart, uint32_t word, uint32_t sources)
{
    if (sources != 0) {
        write_physical_enable_word(vplic, vhart, word, sources);
    }
    for (uint32_t bit = 0; bit < 32; bit++) {
        if ((sources >> bit & 1) != 0) {
            complete_physical_direct(vplic, vhart, word * 32 + bit);
        }
    }
    write_physical_enable_word(vplic, vhart, word, 0);
}

#endif
