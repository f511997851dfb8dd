/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose the interrupts are: tenants get them at boot and at a switch. */
#include "features/plic/ownership.h"

#include "core/hooks.h"
#include "core/lifecycle.h"
#include "device/plic_map.h"
#include "features/plic/plic_entries.h"
#include "features/plic/plic_vhart.h"
#include "features/plic/plic_words.h"
#include "features/plic/uart.h"
#include "features/plic/vplic.h"
#include "irq/board.h"
#include "irq/source_set.h"

#define NO_ADDRESS UINT64_MAX

uint8_t source_owner[COTENANT_MAX_SOURCES];
/* The physical sources of each tenant, by their numbers. */
static struct {
    uint8_t count;
    uint8_t numbers[COTENANT_MAX_SOURCES - 1];
} sources_of[COTENANT_MAX_TENANTS];
static struct vplic vplics[COTENANT_MAX_TENANTS];
static struct plic_vhart plic_vharts[COTENANT_MAX_VHARTS];

/* NO_ADDRESS: it has none. */
static uint64_t claim_register(const struct bundle_tenant *tenant, const struct bundle_vhart *vhart)
{
    if (tenant->plic_base == 0 || vhart->plic_s_context == COTENANT_NONE) {
        return NO_ADDRESS;
    }
    return tenant->plic_base + PLIC_CLAIM_BASE +
           (uint64_t)PLIC_CONTEXT_STRIDE * vhart->plic_s_context;
}

/* Behind the vharts, in their order. */
static void add_machine_contexts(const struct tenant *tenant, struct vplic *vplic)
{
    bool has_both = (tenant->description->flags & COTENANT_TENANT_S_MODE) != 0;

    for (uint32_t i = 0; has_both && i < tenant_vhart_count(tenant); i++) {
        uint32_t context = tenant->vharts[i].description->plic_m_context;

        if (context != COTENANT_NONE) {
            vplic_add_vhart(vplic, context, false);
        }
    }
}

static void list_sources(const struct tenant *tenant)
{
    uint8_t count = 0;

    for (uint32_t word = 0; word < COTENANT_SOURCE_WORDS; word++) {
        uint32_t left = tenant->plic->physical_sources[word];

        for (; left != 0; left &= left - 1) {
            sources_of[tenant->index].numbers[count++] =
                (uint8_t)(word * SOURCE_SET_WORD_BITS + lowest_bit(left));
        }
    }
    sources_of[tenant->index].count = count;
}

/* Gives a tenant its PLIC and the sources of its description. */
static void set_up(struct tenant *tenant)
{
    const struct bundle_tenant *description = tenant->description;
    struct vplic *vplic = &vplics[tenant->index];

    tenant->plic = vplic;
    vplic_init(vplic, tenant->index, description->sources);
    if ((description->flags & COTENANT_TENANT_UART) != 0) {
        vplic_add_virtual(vplic, description->uart_source);
        vplic_add_virtual(vplic, bundle->board.uart_source);
        tenant->uart_line = description->uart_source;
    }
    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        struct vhart *vhart = &tenant->vharts[i];
        bool passed = (vhart->description->flags & COTENANT_VHART_PLIC_PASSTHROUGH) != 0;

        vplic_add_vhart(vplic, vhart->description->plic_s_context, passed);
        if (!passed && vhart->description->plic_s_context != COTENANT_NONE) {
            tenant->source_hart = vhart->world.hart;
        }
        vhart->plic = &plic_vharts[vhart_index(vhart)];
        vhart->plic->own = &vplic->vharts[i];
        vhart->plic->claim_register = claim_register(description, vhart->description);
        vhart->plic->uart_base = description->uart_base;
        vhart->plic->uart_size = (description->flags & COTENANT_TENANT_UART) != 0 ? UART_SIZE : 0;
        vhart->plic->enables_entry =
            passed ? plic_entry_of_enables(vhart->description) : COTENANT_NONE;
    }
    if (HAS(machine)) {
        add_machine_contexts(tenant, vplic);
    }
    list_sources(tenant);
    tenant_take_sources(tenant);
}

HOOK(tenant_is_set_up, set_up);

void tenant_take_sources(const struct tenant *tenant)
{
    const size_t index = tenant->index;
    const uint8_t *source = sources_of[index].numbers;

    for (const uint8_t *end = source + sources_of[index].count; source != end; source++) {
        source_owner[*source] = (uint8_t)(index + 1);
    }
}

/*
 * The S-mode context of this hart is the vhart's from now on, if it is passed through to it.
 * fast_route() opens it when the vhart is loaded.
 */
void vhart_take_interrupts(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    if ((vhart->description->flags & COTENANT_VHART_PLIC_PASSTHROUGH) == 0) {
        return;
    }
    if (hart->plic_user != NULL) {
        hart->plic_user->plic_threshold = PLIC_THRESHOLD_CLOSED;
    } else {
        hart->plic_threshold = plic_threshold_register(&board_plic, hart->plic_s_context);
    }
    vhart->plic_threshold = vhart->plic->own->threshold;
    hart->plic_user = vhart;
    *hart->plic_threshold = PLIC_THRESHOLD_CLOSED;
}

/* In the machine context of this hart no threshold is in the way. */
void source_owner_drop(struct hart *hart, uint32_t source)
{
    uint8_t owner = source_owner[source];

    source_owner[source] = NO_OWNER;
    plic_set_priority(&board_plic, source, VPLIC_PRIORITY_MAX);
    plic_set_enable(&board_plic, hart->plic_m_context, source, true);
    board_external_interrupt(hart);
    plic_set_enable(&board_plic, hart->plic_m_context, source, false);
    plic_set_priority(&board_plic, source, 0);
    source_owner[source] = owner;
}
