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

/* In what drop_pending() returns: a source was claimed. */
#define DROPPED 0x40000000u

/* A claim of a source; returns the claim that comes next. */
static uint32_t __attribute__((noinline)) drop(struct hart *hart, uint32_t source, uint32_t claim)
{
    source_owner_drop(hart, source);
    return ((source == claim / MOST_CLAIMS ? claim : source * MOST_CLAIMS) + 1) | DROPPED;
}

/*
 * What is pending of a tenant's sources would go to the tenant that has them next. The devices have
 * been reset and ask for no more. A claim of the first source with something pending from
 * claim/MOST_CLAIMS on; returns the claim that comes next, or 0: there is none. Out of line, as the
 * next two: the steps before do not save its registers.
 */
static uint32_t __attribute__((noinline)) drop_pending(const struct tenant *tenant, uint32_t claim)
{
    uint32_t left = ~0u << (claim / MOST_CLAIMS % SOURCE_SET_WORD_BITS);
    struct hart *hart = hart_self();

    if (hart->plic_m_context == COTENANT_NONE) {
        return 0;
    }
    for (uint32_t word = claim / CLAIMS_OF_WORD; word < tenant->plic->words; word++) {
        uint32_t sources =
            tenant->plic->physical_sources[word] & left & plic_read_pending_word(&board_plic, word);

        if (sources != 0) {
            return drop(hart, word * SOURCE_SET_WORD_BITS + lowest_bit(sources), claim);
        }
        left = ~0u;
    }
    return 0;
}

static inline void reset_rest(struct tenant *tenant)
{
    if (!tenant->plic->touched && !tenant->uart_level) {
        return; /* all is so already */
    }
    if (tenant->uart_level) {
        tenant->uart_level = false;
        vplic_set_level(tenant->plic, tenant->uart_line, false);
    }
    tenant->uart_line = tenant->description->uart_source;
    tenant->plic->touched = false;
    routing_refresh(tenant);
}

/*
 * First the words of the virtual PLIC, then claims. Without a store of the tenant since the last
 * time all is as it was then: nothing is enabled, and so nothing can be claimed.
 */
uint32_t give_back_interrupts(struct tenant *tenant, uint32_t step)
{
    uint32_t first_claim = tenant->plic->words * VPLIC_RESET_PARTS;
    uint32_t claim;

    do {
        if (step < first_claim && tenant->plic->touched) {
            step = vplic_reset_step(tenant->plic, step);
            continue;
        }
        claim = drop_pending(tenant, step < first_claim ? 0 : step - first_claim);
        if (claim == 0) {
            reset_rest(tenant);
            return 0;
        }
        step = first_claim + (uint16_t)claim; /* without DROPPED */
    } while (!step_is_over());
    return step;
}
