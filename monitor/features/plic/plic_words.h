/* SPDX-License-Identifier: BSD-2-Clause */
/* The board's PLIC, for tenants' sources: 32 of them at a time. As device/plic.h. */
#ifndef COTENANT_FEATURES_PLIC_PLIC_WORDS_H
#define COTENANT_FEATURES_PLIC_PLIC_WORDS_H

#include "device/plic.h"

uint32_t plic_read_enable_word(const struct plic *plic, uint32_t context, uint32_t word);
void plic_write_enable_word(const struct plic *plic, uint32_t context, uint32_t word,
                            uint32_t value);

/* Pending bits of the sources 32 * word .. 32 * word + 31. */
uint32_t plic_read_pending_word(const struct plic *plic, uint32_t word);

/* The threshold register of a context, for who writes it often. */
volatile uint32_t *plic_threshold_register(const struct plic *plic, uint32_t context);

/* Priority 0 for some of the sources 32 * word .. 32 * word + 31, a bit each. */
void plic_silence_word(const struct plic *plic, uint32_t word, uint32_t sources);

/*
 * Completes some sources of a word in a context, whether they are claimed there or not, and turns
 * the whole word off there. (A completion counts only while the source is enabled, and is ignored
 * if there is nothing to complete: PLIC specification, "Interrupt Completion".)
 */
void plic_release_word(const struct plic *plic, uint32_t context, uint32_t word, uint32_t sources);

#endif
