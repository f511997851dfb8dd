/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/routing.h"
#include "features/plic/plic_entries.h"
#include "features/plic/plic_words.h"

#include "arch/csr.h"
#include "arch/interrupts.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/recorder.h"
#include "core/wanted.h"
#include "device/plic_map.h"
#include "features/plic/plic_vhart.h"
#include "features/plic/vplic_arbiter.h"
#include "features/plic/vuart_registers.h"
#include "irq/board.h"
#include "irq/source_set.h"

#define NO_ADDRESS UINT64_MAX
#define NO_OWNER 0

/* Index of the owning tenant of each source + 1. Of those that a group shares, the active one. */
static uint8_t source_owner[COTENANT_MAX_SOURCES];
static struct vplic vplics[COTENANT_MAX_TENANTS];
static struct plic_vhart plic_vharts[COTENANT_MAX_VHARTS];

static struct vhart *vhart_at(struct vplic *vplic, uint32_t index)
{
    return &tenants[vplic->tenant].vharts[index];
}

/* Of the sources `own`, those in `on` get into the machine context of the hart. */
static void set_machine_enables(const struct hart *hart, uint32_t word, uint32_t own, uint32_t on)
{
    uint32_t context = hart->plic_m_context;
    uint32_t before = plic_read_enable_word(&board_plic, context, word);

    plic_write_enable_word(&board_plic, context, word, (before & ~own) | on);
    /* QEMU 7.2 looks what is pending when a threshold changes, not when an enable bit does. */
    plic_set_threshold(&board_plic, context, 0);
}

/*
 * The sources of an emulated tenant come through one machine context, that of the hart on which it
 * last did something that lets them come: completed one, enabled one, or gave it a priority. So a
 * source interrupts a vhart above the tenant on a hart at most once before the tenant has run
 * there again, whatever it does on its other harts.
 */
static void bring_sources(struct tenant *tenant, struct hart *hart)
{
    const struct vplic *vplic = tenant->plic;
    struct hart *before = tenant->source_hart;

    if (before == NULL || before == hart || hart->plic_m_context == COTENANT_NONE) {
        return;
    }
    tenant->source_hart = hart;
    for (uint32_t word = 0; word < vplic->words; word++) {
        uint32_t own = vplic->physical_sources[word];
        uint32_t on = 0;

        if (own != 0) {
            on = plic_read_enable_word(&board_plic, before->plic_m_context, word) & own;
        }
        if (on != 0) {
            set_machine_enables(before, word, own, 0);
            set_machine_enables(hart, word, own, on);
        }
    }
}

static void set_physical_priority(struct vplic *vplic, uint32_t source, uint32_t priority)
{
    bring_sources(&tenants[vplic->tenant], hart_self());
    plic_set_priority(&board_plic, source, priority);
}

static uint32_t read_physical_pending(struct vplic *vplic, uint32_t word)
{
    (void)vplic;
    return plic_read_pending_word(&board_plic, word);
}

static void enable_physical(struct vplic *vplic, uint32_t word, uint32_t sources)
{
    struct tenant *tenant = &tenants[vplic->tenant];

    bring_sources(tenant, hart_self());
    if (tenant->source_hart != NULL) {
        set_machine_enables(tenant->source_hart, word, vplic->physical_sources[word], sources);
    }
}

static void complete_physical(struct vplic *vplic, uint32_t source)
{
    struct tenant *tenant = &tenants[vplic->tenant];

    bring_sources(tenant, hart_self());
    plic_complete(&board_plic, tenant->source_hart->plic_m_context, source);
}

/*
 * The source of the board's UART, as a bit of its word, 0 in others: to tenants it is a virtual
 * one, but in the PLIC it has a device and a priority, and no tenant may claim it.
 */
static uint32_t hidden_source(uint32_t word)
{
    uint32_t source = bundle->board.uart_source;

    return source_word(source) == word ? source_bit(source) & ~1u : 0;
}

/* A vhart reads its enable words by itself while they are as it has written them. */
static void show_enables(struct vhart *vhart, bool shown)
{
    if (vhart->world.hart == hart_self()) {
        plic_entry_set_enables(vhart, shown);
    } else {
        messages_post(vhart, REQUEST_ROUTING);
    }
}

static void write_physical_enable_word(struct vplic *vplic, uint32_t index, uint32_t word,
                                       uint32_t value)
{
    struct vhart *vhart = vhart_at(vplic, index);
    uint32_t hidden = hidden_source(word);

    plic_write_enable_word(&board_plic, vhart->world.hart->plic_s_context, word, value & ~hidden);
    if (hidden != 0) {
        show_enables(vhart, (value & hidden) == 0);
    }
}

static uint32_t claim_physical(struct vplic *vplic, uint32_t vhart)
{
    return plic_claim(&board_plic, vhart_at(vplic, vhart)->world.hart->plic_s_context);
}

static void complete_physical_direct(struct vplic *vplic, uint32_t vhart, uint32_t source)
{
    plic_complete(&board_plic, vhart_at(vplic, vhart)->world.hart->plic_s_context, source);
}

static void silence_word(struct vplic *vplic, uint32_t word, uint32_t sources)
{
    (void)vplic;
    plic_silence_word(&board_plic, word, sources);
}

static void release_word(struct vplic *vplic, uint32_t index, uint32_t word, uint32_t sources)
{
    struct vhart *vhart = vhart_at(vplic, index);

    plic_release_word(&board_plic, vhart->world.hart->plic_s_context, word, sources);
    if (hidden_source(word) != 0) {
        show_enables(vhart, true);
    }
}

static const struct vplic_ops board_plic_ops = {
    .set_physical_priority = set_physical_priority,
    .read_physical_pending = read_physical_pending,
    .enable_physical = enable_physical,
    .complete_physical = complete_physical,
    .write_physical_enable_word = write_physical_enable_word,
    .claim_physical = claim_physical,
    .complete_physical_direct = complete_physical_direct,
    .silence_word = silence_word,
    .release_word = release_word,
};

/* NO_ADDRESS: it has none. */
static uint64_t claim_register(const struct bundle_tenant *tenant, const struct bundle_vhart *vhart)
{
    if (tenant->plic_base == 0 || vhart->plic_s_context == COTENANT_NONE) {
        return NO_ADDRESS;
    }
    return tenant->plic_base + PLIC_CLAIM_BASE +
           (uint64_t)PLIC_CONTEXT_STRIDE * vhart->plic_s_context;
}

/* Gives a tenant its PLIC and the sources of its description. At boot: compiled for size. */
__attribute__((cold)) static void set_up(struct tenant *tenant)
{
    const struct bundle_tenant *description = tenant->description;
    struct vplic *vplic = &vplics[tenant->index];

    tenant->plic = vplic;
    vplic_init(vplic, &board_plic_ops, tenant->index, description->sources);
    if ((description->flags & COTENANT_TENANT_UART) != 0) {
        vplic_add_virtual(vplic, description->uart_source);
        vplic_add_virtual(vplic, bundle->board.uart_source);
        tenant->uart_line = description->uart_source;
    }
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        struct vhart *vhart = &tenant->vharts[i];
        bool passed = (vhart->description->flags & COTENANT_VHART_PLIC_PASSTHROUGH) != 0;

        vplic_add_vhart(vplic, vhart->description->plic_s_context, passed);
        if (!passed && vhart->description->plic_s_context != COTENANT_NONE) {
            tenant->source_hart = vhart->world.hart;
        }
        vhart->plic = &plic_vharts[vhart_index(vhart)];
        vhart->plic->own = &vplic->vharts[i];
        vhart->plic->claim_register = claim_register(description, vhart->description);
        vhart->plic->enables_entry =
            passed ? plic_entry_of_enables(vhart->description) : COTENANT_NONE;
    }
    tenant_take_sources(tenant);
}

HOOK(tenant_is_set_up, set_up);

void tenant_take_sources(const struct tenant *tenant)
{
    for (uint32_t word = 0; word < tenant->plic->words; word++) {
        uint8_t *owner = &source_owner[(size_t)word * SOURCE_SET_WORD_BITS];

        for (uint32_t left = tenant->plic->physical_sources[word]; left != 0; left >>= 1, owner++) {
            if ((left & 1) != 0) {
                *owner = (uint8_t)(tenant->index + 1);
            }
        }
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
    hart->plic_threshold = plic_threshold_register(&board_plic, hart->plic_s_context);
    hart->plic_user_threshold = vhart->tenant->plic->vharts[vhart->world.vhart_id].threshold;
    hart->plic_user = vhart;
    *hart->plic_threshold = PLIC_THRESHOLD_CLOSED;
}

/* What the vhart's hart has to know of its interrupts, in a number to compare. */
#define ROUTED_OUTPUT 0x1u
#define ROUTED_TRAPPED 0x2u
#define ROUTED_THRESHOLD_SHIFT 2

static inline uint32_t __attribute__((always_inline))
routed(const struct vplic *vplic, uint32_t index)
{
    /* vplic_output() and vplic_claim_trapped(), without looking for due sources twice */
    bool output = vplic->pending_words != 0 && vplic_any_due(vplic, &vplic->vharts[index]);
    bool trapped = output || vplic->vharts[index].claimed_count != 0;

    return (output ? ROUTED_OUTPUT : 0) | (trapped ? ROUTED_TRAPPED : 0) |
           (uint32_t)vplic->vharts[index].threshold << ROUTED_THRESHOLD_SHIFT;
}

static void apply_threshold(struct vhart *vhart, uint32_t threshold)
{
    struct hart *hart = vhart->world.hart;

    if (hart->plic_user != vhart || hart->plic_user_threshold == threshold) {
        return;
    }
    hart->plic_user_threshold = threshold;
    /* While another vhart is loaded the context stays closed; fast_route() opens it. */
    if (hart->loaded == vhart) {
        *hart->plic_threshold = threshold;
    }
}

/* Leaves alone what is so already: the message may be older than the state. */
static void apply(struct vhart *vhart, uint32_t wanted)
{
    bool output = (wanted & ROUTED_OUTPUT) != 0;

    apply_threshold(vhart, wanted >> ROUTED_THRESHOLD_SHIFT);
    if (vhart->description->plic_claim_entry != COTENANT_NONE) {
        plic_entry_set_claim(vhart, (wanted & ROUTED_TRAPPED) == 0);
    }
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
    const struct vplic_vhart *own = &vhart->tenant->plic->vharts[vhart->world.vhart_id];

    if (own->passthrough) {
        plic_entry_set_enables(vhart, !source_set_has(own->enable, bundle->board.uart_source));
    }
    vhart->routed = routed(vhart->tenant->plic, vhart->world.vhart_id);
    apply(vhart, vhart->routed);
}

HOOK(vhart_is_routed, apply_to);

static inline void __attribute__((always_inline)) refresh(struct tenant *tenant, uint32_t index)
{
    struct vhart *vhart = &tenant->vharts[index];
    uint32_t wanted = routed(tenant->plic, index);

    if (wanted == vhart->routed) {
        return;
    }
    vhart->routed = wanted;
    if (vhart->world.hart == hart_self()) {
        apply(vhart, wanted);
    } else {
        messages_post(vhart, REQUEST_ROUTING);
    }
}

/* Out of line: a tenant with one vhart does not save the registers of the loop. */
static void __attribute__((noinline)) refresh_all(struct tenant *tenant)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        refresh(tenant, i);
    }
}

void routing_refresh(struct tenant *tenant)
{
    if (tenant->vhart_count == 1) {
        refresh(tenant, 0);
    } else {
        refresh_all(tenant);
    }
}

/* Claims in which those of others may come first. */
#define MOST_CLAIMS 16

static bool is_pending(uint32_t source)
{
    uint32_t pending = plic_read_pending_word(&board_plic, source_word(source));

    return (pending & source_bit(source)) != 0;
}

/*
 * Claims and completes a source in the machine context of this hart, where no threshold is in the
 * way, as one of no tenant.
 */
static void drop(struct hart *hart, uint32_t source)
{
    uint8_t owner = source_owner[source];

    source_owner[source] = NO_OWNER;
    plic_set_priority(&board_plic, source, VPLIC_PRIORITY_MAX);
    for (unsigned claims = 0; claims < MOST_CLAIMS && is_pending(source); claims++) {
        plic_set_enable(&board_plic, hart->plic_m_context, source, true);
        board_external_interrupt(hart);
    }
    plic_set_enable(&board_plic, hart->plic_m_context, source, false);
    plic_set_priority(&board_plic, source, 0);
    source_owner[source] = owner;
}

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
        uint32_t left = tenant->plic->physical_sources[word];

        if (left != 0) {
            left &= plic_read_pending_word(&board_plic, word);
        }
        for (; left != 0; left &= left - 1) {
            drop(hart, word * SOURCE_SET_WORD_BITS + lowest_bit(left));
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

static bool has_enabled(const struct tenant *tenant, uint32_t source)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        if (source_set_has(tenant->plic->vharts[i].enable, source)) {
            return true;
        }
    }
    return false;
}

void routing_choose_uart_line(struct tenant *tenant)
{
    uint32_t of_board = bundle->board.uart_source;
    uint32_t line = has_enabled(tenant, of_board) ? of_board : tenant->description->uart_source;

    if ((tenant->description->flags & COTENANT_TENANT_UART) != 0 && line != tenant->uart_line) {
        vplic_set_level(tenant->plic, tenant->uart_line, false);
        tenant->uart_line = line;
        tenant->uart_level = vuart_interrupt(&tenant->uart);
        vplic_set_level(tenant->plic, line, tenant->uart_level);
    }
}

void vuart_refresh(struct tenant *tenant)
{
    bool level = vuart_interrupt(&tenant->uart);

    if (level == tenant->uart_level || (tenant->description->flags & COTENANT_TENANT_UART) == 0) {
        return;
    }
    tenant->uart_level = level;
    if (vplic_set_level(tenant->plic, tenant->uart_line, level)) {
        routing_refresh(tenant);
    }
}

/* A hart on which the tenant is loaded, or NULL. */
static struct hart *hart_that_runs(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
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
