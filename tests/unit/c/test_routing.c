/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often the sources of a tenant interrupt its harts, on a PLIC that samples levels again after
 * each completion, as the specification's gateway does: a line that stays up must come to rest.
 */
#include <string.h>

#include "arch/mmio.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "core/tenant.h"
#include "device/plic_map.h"
#include "features/plic/plic_entries.h"
#include "features/plic/plic_vhart.h"
#include "features/plic/routing.h"
#include "irq/board.h"

#define PLIC_BASE 0xc000000
#define SOURCE 11
#define ENABLE(context) (PLIC_ENABLE_BASE + PLIC_ENABLE_STRIDE * (context))
#define CLAIM(context) (PLIC_CLAIM_BASE + PLIC_CONTEXT_STRIDE * (context))
#define CONTEXTS 4 /* M and S of two harts */
#define HERE 0     /* harts: where the tenant works, and where another one is above it */
#define THERE 1
#define STEPS 1000

struct hart harts[COTENANT_MAX_HARTS];
static struct bundle made;

/* The PLIC, with one source; a completion counts where the source is enabled. */
static struct {
    bool line;
    bool claimed;
    uint32_t priority;
    bool enabled[CONTEXTS];
} plic;

static unsigned interruptions[2];
static unsigned posted;
static unsigned told; /* of hook vhart_is_routed */

static bool is_pending(void)
{
    return plic.line && !plic.claimed;
}

uint32_t mmio_read32(uint64_t address)
{
    uint64_t offset = address - PLIC_BASE;

    for (uint32_t context = 0; context < CONTEXTS; context++) {
        if (offset == ENABLE(context)) {
            return (uint32_t)plic.enabled[context] << SOURCE;
        }
        if (offset == CLAIM(context) && is_pending() && plic.enabled[context] &&
            plic.priority != 0) {
            plic.claimed = true;
            return SOURCE;
        }
    }
    return offset == PLIC_PENDING_BASE ? (uint32_t)is_pending() << SOURCE : 0;
}

void mmio_write32(uint64_t address, uint32_t value)
{
    uint64_t offset = address - PLIC_BASE;

    if (offset == 4 * SOURCE) {
        plic.priority = value;
    }
    for (uint32_t context = 0; context < CONTEXTS; context++) {
        if (offset == ENABLE(context)) {
            plic.enabled[context] = (value >> SOURCE & 1) != 0;
        }
        if (offset == CLAIM(context) && value == SOURCE && plic.enabled[context]) {
            plic.claimed = false;
        }
    }
}

void work_post(void)
{
}

void plic_entry_set(struct vhart *vhart, uint32_t entry, bool allowed)
{
    (void)vhart;
    (void)entry;
    (void)allowed;
}

uint32_t plic_entry_of_enables(const struct bundle_vhart *vhart)
{
    (void)vhart;
    return COTENANT_NONE;
}

void messages_send(struct vhart *vhart, uint32_t requests)
{
    assert_int_equal(requests, REQUEST_ROUTING);
    posted += vhart == &vharts[THERE];
}

static void is_told(struct vhart *vhart)
{
    told += vhart->plic->machine_line;
}

HOOK(vhart_is_routed, is_told);

void vhart_interrupt(struct vhart *vhart, uint64_t bits)
{
    vhart->world.pending |= bits;
}

static void go_to(uint32_t hart)
{
    csr_file_write("tp", (uintptr_t)&harts[hart]);
}

/* Both harts take their machine external interrupts until there are none, or too many. */
static void take_interrupts(void)
{
    bool again = true;

    for (unsigned round = 0; again && round < STEPS; round++) {
        again = false;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t context = harts[i].plic_m_context;

            if (is_pending() && plic.enabled[context] && plic.priority != 0) {
                again = true;
                interruptions[i]++;
                go_to(i);
                board_external_interrupt(&harts[i]);
            }
        }
    }
    go_to(HERE);
    assert_false(again);
}

static struct tenant *tenant(void)
{
    return &tenants[0];
}

static void write_register(uint64_t offset, uint32_t value)
{
    assert_true(vplic_access(tenant()->plic, offset, 4, true, &value));
    routing_refresh(tenant());
    take_interrupts();
}

static uint32_t read_register(uint64_t offset)
{
    uint32_t value;

    assert_true(vplic_access(tenant()->plic, offset, 4, false, &value));
    routing_refresh(tenant());
    take_interrupts();
    return value;
}

/* A tenant with a vhart on each hart, of which the first runs; the PLIC is emulated. */
static int setup(void **state)
{
    (void)state;
    memset(vharts, 0, sizeof(vharts[0]) * 2);
    memset(&plic, 0, sizeof(plic));
    memset(&made, 0, sizeof(made));
    memset(interruptions, 0, sizeof(interruptions));
    memset(tenants, 0, sizeof(tenants[0]));
    bundle = &made;
    tenant_count = 1;
    made.board.plic_base = PLIC_BASE;
    made.board.plic_sources = 32;
    made.board.hart_count = 2;
    made.tenants[0].plic_base = PLIC_BASE;
    made.tenants[0].sources[0] = 1u << SOURCE;
    tenant()->description = &made.tenants[0];
    tenant()->state = TENANT_RUNNING;
    tenant()->vharts = vharts;
    tenant()->vhart_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        harts[i].plic_m_context = made.board.harts[i].plic_m_context = (uint16_t)(2 * i);
        harts[i].plic_s_context = made.board.harts[i].plic_s_context = (uint16_t)(2 * i + 1);
        made.vharts[i].plic_s_context = 2 * i + 1;
        made.vharts[i].plic_claim_entry = COTENANT_NONE;
        vharts[i].description = &made.vharts[i];
        vharts[i].index = i;
        vharts[i].tenant = tenant();
        vharts[i].world.hart = &harts[i];
        vharts[i].world.vhart_id = i;
    }
    harts[HERE].loaded = &vharts[HERE];
    harts[THERE].loaded = NULL;
    go_to(HERE);
    board_interrupts_init(&harts[HERE], NULL);
    tenant_is_set_up(tenant());
    return 0;
}

/* Both vharts have the source enabled, and the first one serves it while its line stays up. */
static void test_line_that_stays_up(void **state)
{
    (void)state;
    plic.line = true;
    write_register(4 * SOURCE, 7);
    write_register(ENABLE(1), 1u << SOURCE);
    write_register(ENABLE(3), 1u << SOURCE);
    for (unsigned i = 0; i < STEPS; i++) {
        assert_int_equal(read_register(CLAIM(1)), SOURCE);
        write_register(CLAIM(1), SOURCE);
    }
    assert_int_equal(interruptions[HERE], STEPS + 1);
    assert_int_equal(interruptions[THERE], 0);
}

/* The tenant never ends the service: the source comes once, and once more if the PLIC lets it. */
static void test_line_that_is_never_served(void **state)
{
    (void)state;
    write_register(4 * SOURCE, 7);
    write_register(ENABLE(1), 1u << SOURCE);
    for (unsigned i = 0; i < STEPS; i++) {
        plic.line = !plic.line;
        plic.claimed = plic.claimed && i != STEPS / 2; /* a foreign completion */
        take_interrupts();
    }
    assert_in_range(interruptions[HERE], 1, 2);
    assert_int_equal(interruptions[THERE], 0);
}

/* The source is for the other hart only, but the tenant works here: it interrupts here. */
static void test_source_of_a_hart_that_does_not_run_it(void **state)
{
    (void)state;
    plic.line = true;
    write_register(4 * SOURCE, 7);
    for (unsigned i = 0; i < STEPS; i++) {
        write_register(ENABLE(3), 0);
        write_register(ENABLE(3), 1u << SOURCE);
        write_register(4 * SOURCE, i % 2);
        read_register(CLAIM(3));
        write_register(CLAIM(3), SOURCE);
    }
    assert_true(interruptions[HERE] > STEPS / 4);
    assert_int_equal(interruptions[THERE], 0);
}

/* Its vharts have M-mode contexts as well: a line of each mode, and each knows of its own. */
static void test_both_contexts(void **state)
{
    (void)state;
    plic.line = true;
    made.tenants[0].flags = COTENANT_TENANT_S_MODE;
    for (uint32_t i = 0; i < 2; i++) {
        made.vharts[i].plic_m_context = 2 * i;
    }
    tenant_is_set_up(tenant());
    posted = 0;
    told = 0;
    write_register(4 * SOURCE, 7);
    write_register(ENABLE(0), 1u << SOURCE);
    assert_true(vharts[HERE].plic->machine_line);
    assert_int_equal(vharts[HERE].world.pending, 0);
    assert_int_equal(told, 1);
    assert_int_equal(posted, 0);
    write_register(ENABLE(1), 1u << SOURCE);
    write_register(ENABLE(2), 1u << SOURCE);
    assert_int_equal(vharts[HERE].world.pending, INTERRUPT_SEI);
    assert_true(vharts[THERE].plic->machine_line);
    assert_int_equal(posted, 1);
    plic.line = false;
    assert_int_equal(read_register(CLAIM(2)), SOURCE);
    assert_false(vharts[HERE].plic->machine_line || vharts[THERE].plic->machine_line);
    assert_int_equal(vharts[HERE].world.pending, 0);
    assert_int_equal(read_register(CLAIM(0)), 0);
    write_register(CLAIM(0), SOURCE); /* not claimed there */
    assert_true(plic.claimed);
    write_register(CLAIM(2), SOURCE);
    assert_false(plic.claimed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_line_that_stays_up, setup),
        cmocka_unit_test_setup(test_both_contexts, setup),
        cmocka_unit_test_setup(test_line_that_is_never_served, setup),
        cmocka_unit_test_setup(test_source_of_a_hart_that_does_not_run_it, setup),
    };

    return cmocka_run_group_tests_name("routing", tests, NULL, NULL);
}
