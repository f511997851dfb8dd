/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant gives its interrupts back: core/give_back.h. */
#include "core/give_back.h"
#include "core/wanted.h"
#include "features/plic/ownership.h"
#include "features/plic/plic_words.h"
#include "features/plic/routing.h"
#include "features/plic/vplic.h"
#include "irq/board.h"
#include "irq/source_set.h"

/* Claims of a source in which those of others may come first. */
#define MOST_CLAIMS 16
#define CLAIMS_OF_WORD (SOURCE_SET_WORD_BITS * MOST_CLAIMS)
#define LAST_STEP (COTENANT_SOURCE_WORDS * (VPLIC_RESET_PARTS + CLAIMS_OF_WORD))

_Static_assert(LAST_STEP <= UINT16_MAX, "struct given_back has room for a step");

/*
 * A claim of `source`, which is pending; `claim` is the next one, counted from the first source of
 * all. Returns the step of the claim after it, `first_claim` being that of the first one. As the
 * next two, out of line: mostly none of them is needed, and then no registers are saved.
 */
static uint32_t __attribute__((noinline))
drop(struct hart *hart, uint32_t source, uint32_t claim, uint32_t first_claim)
{
    source_owner_drop(hart, source);
    return first_claim + (source == claim / MOST_CLAIMS ? claim : source * MOST_CLAIMS) + 1;
}

/* Steps of the virtual PLIC up to `end`; returns the next one, as far as there is time. */
static uint32_t __attribute__((noinline))
reset_words(struct vplic *vplic, uint32_t step, uint32_t end)
{
    do {
        step = vplic_reset_step(vplic, step);
    } while (!step_is_over() && step < end);
    return step;
}

/* The UART's line, and what is known of the whole. Returns that there is no step behind it. */
static uint32_t __attribute__((noinline)) reset_rest(struct tenant *tenant)
{
    if (tenant->uart_level) {
        tenant->uart_level = false;
        vplic_set_level(tenant->plic, tenant->uart_line, false);
    }
    tenant->uart_line = tenant->description->uart_source;
    tenant->plic->touched = false;
    routing_refresh(tenant);
    return 0;
}

/* The first of the tenant's sources with a claim from `claim` on that is pending; 0: none is. */
static inline uint32_t find_pending(const struct vplic *vplic, uint32_t claim)
{
    uint32_t left = ~0u << (claim / MOST_CLAIMS % SOURCE_SET_WORD_BITS);

    for (uint32_t word = claim / CLAIMS_OF_WORD; word < vplic->words; word++) {
        uint32_t sources =
            vplic->physical_sources[word] & left & plic_read_pending_word(&board_plic, word);

        if (sources != 0) {
            return word * SOURCE_SET_WORD_BITS + lowest_bit(sources);
        }
        left = ~0u;
    }
    return 0;
}

/*
 * First the words of the virtual PLIC. Without a store of the tenant since the last time all is as
 * it was then: nothing is enabled, and so nothing can be claimed.
 *
 * Then claims, one by one: what is pending of a tenant's sources would go to the tenant that has
 * them next. The devices have been reset and ask for no more.
 */
uint32_t give_back_interrupts(struct tenant *tenant, uint32_t step)
{
    struct vplic *vplic = tenant->plic;
    struct hart *hart = hart_self();
    uint32_t first_claim = vplic->words * VPLIC_RESET_PARTS;
    uint32_t claim = step < first_claim ? 0 : step - first_claim;
    uint32_t source;

    if (vplic->touched && step < first_claim) {
        return reset_words(vplic, step, first_claim);
    }
    source = find_pending(vplic, claim);
    if (source != 0 && hart->plic_m_context != COTENANT_NONE) {
        return drop(hart, source, claim, first_claim);
    }
    return vplic->touched || tenant->uart_level ? reset_rest(tenant) : 0;
}
