/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a virtual PLIC asks of the board's. `vhart` is the index that vplic_add_vhart() returned.
 * Sources given are physical ones of this tenant, except for the enable words, where virtual bits
 * are included. None of these calls back into the vplic.
 */
#ifndef COTENANT_FEATURES_PLIC_PHYSICAL_H
#define COTENANT_FEATURES_PLIC_PHYSICAL_H

#include "core/tenant.h"
#include "features/plic/vplic.h"

/* Both forms: priority 0..7 of a physical source. */
void set_physical_priority(struct vplic *vplic, uint32_t source, uint32_t priority);

/* Both forms: priority 0 for some physical sources of a word, a bit each. */
void silence_physical_word(struct vplic *vplic, uint32_t word, uint32_t sources);

/*
 * Both forms: pending bits of the physical sources 32 * word .. 32 * word + 31; the vplic masks out
 * what is not the tenant's.
 */
uint32_t read_physical_pending(struct vplic *vplic, uint32_t word);

/*
 * Emulated form: of the tenant's sources of a word, lets these into the machine context, because a
 * vhart has enabled them, and no others.
 */
void enable_physical(struct vplic *vplic, uint32_t word, uint32_t sources);

/* Emulated form: completes a raised source in the machine context. It is still enabled there. */
void complete_physical(struct vplic *vplic, uint32_t source);

/*
 * Emulated form: completes raised sources of a word, some of which may be disabled, and then turns
 * all of the word off.
 */
void release_emulated_word(struct vplic *vplic, uint32_t word, uint32_t raised);

/* Pass-through form: writes an enable word of the physical S-context. */
void write_physical_enable_word(struct vplic *vplic, uint32_t vhart, uint32_t word, uint32_t value);

/* Pass-through form: reads the claim register of the physical S-context. */
uint32_t claim_physical(struct vplic *vplic, uint32_t vhart);

/* Pass-through form: writes the completion register of the physical S-context. */
void complete_physical_direct(struct vplic *vplic, uint32_t vhart, uint32_t source);

/*
 * Pass-through form: completes some physical sources of a word in the physical S-context, whether
 * they are claimed there or not, and turns all of the word off there.
 */
void release_physical_word(struct vplic *vplic, uint32_t vhart, uint32_t word, uint32_t sources);

/*
 * The sources of an emulated tenant come through one machine context, that of the hart on which it
 * last did something that lets them come: completed one, enabled one, or gave it a priority. So a
 * source interrupts a vhart above the tenant on a hart at most once before the tenant has run
 * there again, whatever it does on its other harts. From here on that is this hart.
 */
void bring_sources(struct tenant *tenant, struct hart *hart);

#endif
