/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For entries that try one case after the other, where the analysis would not keep apart what comes
 * of different choices.
 */
#ifndef COTENANT_TESTS_PROOFS_CASES_H
#define COTENANT_TESTS_PROOFS_CASES_H

/* The present case: its choices, as the digits of a number. */
static unsigned digits;

/* Takes the next digit, one of so many, off the case. */
static unsigned pick(unsigned choices)
{
    unsigned taken = digits % choices;

    digits /= choices;
    return taken;
}

#endif
