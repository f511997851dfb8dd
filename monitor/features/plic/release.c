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

/*
 * What is pending of a tenant's sources would go to the tenant that has them next. The devices have
 * been reset and ask for no more.
 */
static void drop_pending(const struct tenant *tenant)
{
    struct hart *hart = hart_self();

    if (hart->plic_m_context == COTENANT_NONE) {
        return;
    }
    for (uint32_t word = 0; word < tenant->plic->words; word++) {
        uint32_t sources = tenant->plic->physical_sources[word];

        if (sources != 0) {
            sources &= plic_read_pending_word(&board_plic, word);
        }
        if (sources != 0) {
            source_owner_drop(hart, word, sources);
        }
    }
}

/* Out of line: the steps before do not save its registers. */
static void __attribute__((noinline)) reset_rest(struct tenant *tenant)
{
    drop_pending(tenant);
    if ((tenant->description->flags & COTENANT_TENANT_UART) != 0) {
        vplic_set_level(tenant->plic, tenant->uart_line, false);
        tenant->uart_line = tenant->description->uart_source;
        tenant->uart_level = false;
    }
    routing_refresh(tenant);
}

uint32_t give_back_interrupts(struct tenant *tenant, uint32_t step)
{
    for (;;) {
        step = vplic_reset_step(tenant->plic, step);
        if (step == 0) {
            reset_rest(tenant);
            return 0;
        }
        if (hart_is_wanted()) {
            return step;
        }
    }
}
