/* SPDX-License-Identifier: BSD-2-Clause */
/* release_emulated_word() of features/plic/physical.h, by what a test has of the board's PLIC. */
#ifndef COTENANT_TESTS_RELEASE_BY_PARTS_H
#define COTENANT_TESTS_RELEASE_BY_PARTS_H

#include "features/plic/physical.h"
#include "irq/source_set.h"

void release_emulated_word(struct vplic *vplic, uint32_t word, uint32_t raised)
{
    if (raised != 0) {
        enable_physical(vplic, word, raised);
    }
    for (uint32_t left = raised; left != 0; left &= left - 1) {
        complete_physical(vplic, word * SOURCE_SET_WORD_BITS + lowest_bit(left));
    }
    enable_physical(vplic, word, 0);
}

#endif
