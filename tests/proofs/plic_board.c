/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any interrupts of the board, and any use of the board's PLIC for a tenant with one vhart or two
 * on as many harts, in any order with what the other hart asks for, and with the interrupts that
 * are given back at the tenant's end.
 */
#include "asked_vharts.h"
#include "one_hart.h"

#include "core/give_back.h"
#include "core/hooks.h"
#include "core/recorder.h"
#include "device/plic_map.h"

#include "features/plic/ownership.c"
#include "features/plic/physical.c"
#include "features/plic/release.c"
#include "features/plic/routing.c"

#define HARTS 2
#define BASE 0x0c000000ul
/* A machine context and one of S-mode for each hart. */
#define CONTEXTS (2 * HARTS)
#define MOST_SOURCES 1024

struct plic board_plic;
const struct recorder *recorder;

static struct bundle system;
static struct vhart own[HARTS];
static struct tenant *const tenant = &tenants[0];

HAS_ENTRIES(vhart_is_routed, &vhart_is_routed_apply_to);

/* An access to a register of the board's PLIC that there is. */
static void is_register(uint64_t address)
{
    uint64_t at = address - BASE;

    //@ assert at % 4 == 0;
    if (at >= PLIC_THRESHOLD_BASE) {
        //@ assert at < PLIC_THRESHOLD_BASE + CONTEXTS * PLIC_CONTEXT_STRIDE;
        //@ assert at % PLIC_CONTEXT_STRIDE < 8;
    } else if (at >= PLIC_ENABLE_BASE) {
        //@ assert at < PLIC_ENABLE_BASE + CONTEXTS * PLIC_ENABLE_STRIDE;
    } else {
        //@ assert at < PLIC_PENDING_BASE + MOST_SOURCES / 8;
    }
    (void)at;
}

uint32_t mmio_read32(uint64_t address)
{
    is_register(address);
    return any32();
}

void mmio_write32(uint64_t address, uint32_t value)
{
    is_register(address);
    (void)value;
}

/* As the proofs of the virtual PLIC say. */

static void change_plic(struct vplic *plic)
{
    //@ assert plic == &vplics[0];
    MAKE_ANY(plic->level);
    MAKE_ANY(plic->pending);
    MAKE_ANY(plic->in_service);
    plic->pending_words = any_up_to((1u << COTENANT_SOURCE_WORDS) - 1);
    plic->latest = any_up_to(COTENANT_MAX_SOURCES - 1);
    plic->touched = any_bool();
    for (unsigned i = 0; i < CONTEXTS; i++) {
        MAKE_ANY(plic->vharts[i].enable);
        MAKE_ANY(plic->vharts[i].claimed);
        plic->vharts[i].claimed_count = any32();
        plic->vharts[i].threshold = (uint8_t)any_up_to(VPLIC_PRIORITY_MAX);
    }
}

bool vplic_any_due(const struct vplic *plic, const struct vplic_vhart *vhart)
{
    //@ assert plic == &vplics[0] && \valid_read(vhart);
    (void)plic;
    (void)vhart;
    return any_bool();
}

bool vplic_set_level(struct vplic *plic, uint32_t source, bool level)
{
    (void)source;
    (void)level;
    change_plic(plic);
    return any_bool();
}

bool vplic_raise(struct vplic *plic, uint32_t source)
{
    return vplic_set_level(plic, source, true);
}

uint32_t vplic_reset_step(struct vplic *plic, uint32_t step)
{
    (void)step;
    change_plic(plic);
    return any_up_to(COTENANT_SOURCE_WORDS * VPLIC_RESET_PARTS);
}

/* Any source that the PLIC may have, or none. */
void board_external_interrupt(struct hart *hart)
{
    //@ assert hart == &harts[0];
    board_take_source(hart, any_up_to(MOST_SOURCES - 1));
}

/* All have a context of machine mode and one of S-mode. */
static void set_up_hart(unsigned i)
{
    harts[i].index = i;
    harts[i].plic_m_context = 2 * i;
    harts[i].plic_s_context = 2 * i + 1;
    harts[i].plic_threshold = &harts[i].no_plic_threshold;
}

static void set_up_vhart(unsigned i, bool passed)
{
    struct bundle_vhart *description = &system.vharts[i];

    description->flags = passed ? COTENANT_VHART_PLIC_PASSTHROUGH : 0;
    description->plic_claim_entry = any_up_to(COTENANT_PMP_ENTRIES - 1);
    own[i].tenant = tenant;
    own[i].description = description;
    own[i].world.hart = &harts[i];
    own[i].plic = &plic_vharts[i];
    plic_vharts[i].own = &vplics[0].vharts[i];
    plic_vharts[i].enables_entry = any_up_to(COTENANT_PMP_ENTRIES - 1);
    vplics[0].vharts[i].passthrough = passed;
    if (any_bool()) {
        description->plic_claim_entry = COTENANT_NONE;
        plic_vharts[i].enables_entry = COTENANT_NONE;
    }
}

/* As set_up() does it of what the check of the bundle has let be. */
static void set_up_tenant(uint32_t count, bool passed, bool machine)
{
    MAKE_ANY(system);
    bundle = &system;
    board_plic.base = BASE;
    system.board.uart_source = any_up_to(COTENANT_MAX_SOURCES - 1);
    system.tenants[0].uart_source = any_up_to(COTENANT_MAX_SOURCES - 1);
    MAKE_ANY(vplics[0].physical_sources);
    MAKE_ANY(vplics[0].virtual_sources);
    MAKE_ANY(vplics[0].priority_plane);
    vplics[0].words = 1 + any_up_to(COTENANT_SOURCE_WORDS - 1);
    vplics[0].vhart_count = machine ? 2 * count : count;
    sources_of[0].count = (uint8_t)any_up_to(COTENANT_MAX_SOURCES - 1);
    MAKE_ANY(sources_of[0].numbers);
    tenant_count = 1;
    tenant->description = &system.tenants[0];
    tenant->plic = &vplics[0];
    tenant->vharts = own;
    tenant->vhart_count = count;
    tenant->source_hart = passed ? NULL : &harts[any_up_to(count - 1)];
    for (unsigned i = 0; i < HARTS; i++) {
        set_up_hart(i);
        set_up_vhart(i, passed);
    }
    change_plic(&vplics[0]);
}

/* What other harts do, and what is done for the tenant elsewhere. */
static void pass_time(void)
{
    pass_moment();
    tenant->state = (enum tenant_state)any_up_to(TENANT_LOADING);
    tenant->uart_level = any_bool();
    tenant->uart_line = any_up_to(COTENANT_MAX_SOURCES - 1);
    for (unsigned i = 0; i < HARTS; i++) {
        harts[i].loaded = any_bool() ? &own[i] : NULL;
        own[i].routed = any32();
        own[i].world.pending = any64();
        plic_vharts[i].machine_line = any_bool();
    }
}

/* What the virtual PLIC asks for, of sources and words that there are. */
static void ask(bool passed)
{
    uint32_t word = any_up_to(COTENANT_SOURCE_WORDS - 1);
    uint32_t source = any_up_to(COTENANT_MAX_SOURCES - 1);
    uint32_t vhart = any_up_to(tenant->vhart_count - 1);
    struct vplic *plic = tenant->plic;

    set_physical_priority(plic, source, any_up_to(VPLIC_PRIORITY_MAX));
    silence_physical_word(plic, word, any32());
    (void)read_physical_pending(plic, word);
    enable_physical(plic, word, any32());
    if (passed) {
        write_physical_enable_word(plic, vhart, word, any32());
        (void)claim_physical(plic, vhart);
        complete_physical_direct(plic, vhart, any32());
        release_physical_word(plic, vhart, word, any32());
    } else {
        complete_physical(plic, source);
        release_emulated_word(plic, word, any32());
    }
}

static void call(bool passed)
{
    switch (any_up_to(5)) {
    case 0:
        board_external_interrupt(&harts[0]);
        break;
    case 1:
        routing_set_level(tenant, any_up_to(COTENANT_MAX_SOURCES - 1), any_bool());
        break;
    case 2:
        vhart_is_routed(&own[0]); /* asked by another hart */
        break;
    case 3:
        vhart_take_interrupts(&own[0]);
        tenant_take_sources(tenant);
        break;
    case 4:
        (void)give_back_interrupts(tenant, any_up_to(UINT16_MAX));
        break;
    default:
        ask(passed);
        break;
    }
}

static void run_with(uint32_t count, bool passed, bool machine)
{
    set_up_tenant(count, passed, machine);
    while (any_bool()) {
        pass_time();
        call(passed);
    }
}

int main(void)
{
    switch (any_up_to(4)) {
    case 0:
        run_with(1, true, false);
        break;
    case 1:
        run_with(1, false, false);
        break;
    case 2:
        run_with(HARTS, true, false);
        break;
    case 3:
        run_with(HARTS, false, false);
        break;
    default:
        run_with(HARTS, false, true);
        break;
    }
    return 0;
}
