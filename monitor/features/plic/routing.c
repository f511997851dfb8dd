/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/routing.h"

#include "arch/csr.h"
#include "arch/interrupts.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "core/recorder.h"
#include "features/plic/ownership.h"
#include "features/plic/physical.h"
#include "features/plic/plic_entries.h"
#include "features/plic/plic_vhart.h"
#include "features/plic/vplic_arbiter.h"
#include "irq/board.h"
#include "irq/source_set.h"

static inline uint32_t routed(const struct vplic *vplic, const struct vplic_vhart *vhart)
{
    bool output = vplic_output(vplic, vhart);

    return (output ? ROUTED_OUTPUT : 0) |
           (vplic_claim_trapped(vhart, output) ? ROUTED_TRAPPED : 0) |
           (uint32_t)vhart->threshold << ROUTED_THRESHOLD_SHIFT;
}

static void apply_threshold(struct vhart *vhart, uint32_t threshold)
{
    struct hart *hart = vhart->world.hart;

    if (hart->plic_user != vhart || vhart->plic_threshold == threshold) {
        return;
    }
    vhart->plic_threshold = threshold;
    /* While another vhart is loaded the context stays closed; fast_route() opens it. */
    if (hart->loaded == vhart) {
        *hart->plic_threshold = threshold;
    }
}

/* Leaves alone what is so already: the message may be older than the state. */
static void apply(struct vhart *vhart)
{
    bool output = (vhart->routed & ROUTED_OUTPUT) != 0;

    apply_threshold(vhart, vhart->routed >> ROUTED_THRESHOLD_SHIFT);
    plic_entry_set(vhart, vhart->description->plic_claim_entry,
                   (vhart->routed & ROUTED_TRAPPED) == 0);
    if (output == ((vhart->world.pending & INTERRUPT_SEI) != 0)) {
        return;
    }
    if (output) {
        vhart_interrupt(vhart, INTERRUPT_SEI);
    } else {
        vhart_clear_interrupt(vhart, INTERRUPT_SEI);
    }
}

/* Another hart has changed the tenant's PLIC. */
static void apply_to(struct vhart *vhart)
{
    const struct vplic_vhart *own = vhart->plic->own;

    if (own->passthrough) {
        plic_entry_set(vhart, vhart->plic->enables_entry,
                       !source_set_has(own->enable, bundle->board.uart_source));
    }
    vhart->routed = routed(vhart->tenant->plic, own);
    apply(vhart);
}

HOOK(vhart_is_routed, apply_to);

/* Returns whether this hart is to apply it: else nothing has changed, or another hart does. */
static inline bool update(const struct vplic *vplic, struct vhart *vhart)
{
    uint32_t wanted = routed(vplic, vhart->plic->own);

    if (wanted == vhart->routed) {
        return false;
    }
    vhart->routed = wanted;
    if (hart_is_self(vhart->world.hart)) {
        return true;
    }
    messages_post(vhart, REQUEST_ROUTING);
    return false;
}

static void __attribute__((noinline)) refresh(const struct vplic *vplic, struct vhart *vhart)
{
    if (update(vplic, vhart)) {
        apply(vhart);
    }
}

/* The lines of M-mode contexts, behind those of the vharts. */
static void __attribute__((noinline)) refresh_machine(struct tenant *tenant)
{
    const struct vplic *vplic = tenant->plic;
    uint32_t count = tenant_vhart_count(tenant);
    struct vhart *own = NULL;

    for (uint32_t i = 0; count + i < vplic_vhart_count(vplic); i++) {
        struct vhart *vhart = &tenant->vharts[i];
        bool line = vplic_output(vplic, &vplic->vharts[count + i]);

        if (line == vhart->plic->machine_line) {
            continue;
        }
        __atomic_store_n(&vhart->plic->machine_line, line, __ATOMIC_RELAXED);
        if (hart_is_self(vhart->world.hart)) {
            own = vhart; /* each is bound to another hart: they are no guest's */
        } else {
            messages_post(vhart, REQUEST_ROUTING);
        }
    }
    if (own != NULL) {
        vhart_is_routed(own);
    }
}

/* Out of line: a tenant with one vhart does not save the registers of the loop. */
static void __attribute__((noinline)) refresh_all(struct tenant *tenant)
{
    struct vhart *own = NULL;

    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        if (!update(tenant->plic, &tenant->vharts[i])) {
            continue;
        }
        if (HAS(hosted)) {
            apply(&tenant->vharts[i]);
        } else {
            own = &tenant->vharts[i]; /* only guests have several on one hart */
        }
    }
    if (own != NULL) {
        apply(own);
    }
    if (HAS(machine)) {
        refresh_machine(tenant);
    }
}

void routing_refresh(struct tenant *tenant)
{
    if (vplic_vhart_count(tenant->plic) == 1) {
        refresh(tenant->plic, tenant->vharts);
    } else {
        refresh_all(tenant);
    }
}

/*
 * vplic_set_level(), to high, and routing_refresh() in one, where that interrupts the one vhart of
 * the tenant, which is of this hart, and nothing else does. False: it is another case, and nothing
 * has changed.
 */
static inline bool raise_only(struct tenant *tenant, uint32_t source)
{
    struct vplic *vplic = tenant->plic;
    struct vhart *vhart = tenant->vharts;
    uint32_t word = source_word(source);
    uint32_t bit = source_bit(source);

    /* No output, nothing claimed, threshold 0. */
    if (vplic_vhart_count(vplic) != 1 || vhart->routed != 0 || vplic->pending_words != 0 ||
        !hart_is_self(vhart->world.hart) ||
        (vplic->virtual_sources[word] & vplic->vharts[0].enable[word] &
         vplic_above_zero(vplic, word) & bit) == 0) {
        return false;
    }
    vplic->level[word] |= bit;
    vplic->pending[word] = bit;
    vplic->pending_words = 1u << word;
    vplic->latest = source;
    vhart->routed = ROUTED_OUTPUT | ROUTED_TRAPPED;
    vhart_raise_interrupt(vhart, INTERRUPT_SEI);
    if (vhart->schedulable.state == SCHEDULABLE_WAITING) {
        vhart_interrupt(vhart, INTERRUPT_SEI);
    }
    plic_entry_set(vhart, vhart->description->plic_claim_entry, false);
    return true;
}

/*
 * The same to low, where the one vhart of the tenant, to which the PLIC is passed through, serves
 * this source and no other, and nothing is pending: its service ends with it, and all is as before
 * the interrupt.
 */
static inline bool lower_only(struct tenant *tenant, uint32_t source)
{
    struct vplic *vplic = tenant->plic;
    struct vplic_vhart *own = &vplic->vharts[0];
    struct vhart *vhart = tenant->vharts;
    uint32_t word = source_word(source);
    uint32_t bit = source_bit(source);

    if (vplic_vhart_count(vplic) != 1 || !own->passthrough || own->claimed_count != 1 ||
        vhart->routed != ROUTED_TRAPPED || vplic->pending_words != 0 ||
        !hart_is_self(vhart->world.hart) ||
        (own->claimed[word] & vplic->virtual_sources[word] & bit) == 0) {
        return false;
    }
    vplic->level[word] &= ~bit;
    vplic->in_service[word] &= ~bit;
    own->claimed[word] &= ~bit;
    own->claimed_count = 0;
    vhart->routed = 0;
    plic_entry_set(vhart, vhart->description->plic_claim_entry, true);
    return true;
}

/* Out of line: the other cases of the next one keep no registers for it. */
void __attribute__((noinline))
routing_set_any_level(struct tenant *tenant, uint32_t source, bool level)
{
    if (vplic_set_level(tenant->plic, source, level)) {
        routing_refresh(tenant);
    }
}

void routing_set_level(struct tenant *tenant, uint32_t source, bool level)
{
    if (!(level ? raise_only(tenant, source) : lower_only(tenant, source))) {
        routing_set_any_level(tenant, source, level);
    }
}

/* A hart on which the tenant is loaded, or NULL. */
static struct hart *hart_that_runs(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        struct hart *hart = tenant->vharts[i].world.hart;

        if (__atomic_load_n(&hart->loaded, __ATOMIC_RELAXED) == &tenant->vharts[i]) {
            return hart;
        }
    }
    return NULL;
}

/*
 * The hart was interrupted, and nothing is there to claim: a device has taken its request back,
 * which a tenant that runs elsewhere could let it do over and over: its sources go to that hart.
 */
static void send_sources_away(struct hart *hart)
{
    if (!HAS(harts)) {
        return;
    }
    for (uint32_t i = 0; i < tenant_count; i++) {
        struct tenant *tenant = &tenants[i];
        struct hart *other;

        if (tenant->source_hart != hart || tenant->state != TENANT_RUNNING ||
            (hart->loaded != NULL && hart->loaded->tenant == tenant)) {
            continue;
        }
        other = hart_that_runs(tenant);
        if (other != NULL) {
            bring_sources(tenant, other);
        }
    }
}

/* Returns whether the source stays claimed: its tenant's completion completes it. */
static bool raise_source(uint32_t source)
{
    struct tenant *tenant;

    if (source >= COTENANT_MAX_SOURCES || source_owner[source] == NO_OWNER) {
        return false;
    }
    tenant = &tenants[source_owner[source] - 1];
    if (!vplic_raise(tenant->plic, source)) {
        return false;
    }
    routing_refresh(tenant);
    return true;
}

void board_take_source(struct hart *hart, uint32_t source)
{
    if (source == 0) {
        send_sources_away(hart);
        return;
    }
    record_source(hart, source);
    if (!raise_source(source)) {
        /* No tenant takes it in this context, and none must be interrupted by it again. */
        plic_complete(&board_plic, hart->plic_m_context, source);
        plic_set_enable(&board_plic, hart->plic_m_context, source, false);
    }
}
