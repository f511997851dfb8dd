/* SPDX-License-Identifier: BSD-2-Clause */
/* What a host asks for its guests. */
#include "arch/csr.h"
#include "arch/vhart_setup.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/tenant.h"
#include "features/hosted/guests.h"
#include "features/plic/routing.h"

#define GRAIN COTENANT_HOSTED_GRAIN
#define BASE 0x80000000ul
#define SIZE (8 * GRAIN)

struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
struct guest_vhart guest_vharts[COTENANT_MAX_VHARTS];
struct hart harts[COTENANT_MAX_HARTS];

static struct bundle made;
static struct bundle_tenant host_description;
static struct tenant *const host = &tenants[0];
static struct vhart *begun;
static uint8_t memory[2 * COTENANT_HOSTED_PAGE] __attribute__((aligned(COTENANT_HOSTED_PAGE)));

/* In the place of the parts around it. */

struct guest *guest_in_slot(const struct tenant *of, uint64_t slot)
{
    return slot < of->description->guest_count ? &guests[slot] : NULL;
}

bool guest_bind(struct vhart *vhart)
{
    (void)vhart;
    return true;
}

bool guest_protect(struct guest *guest)
{
    guest->size = 0;
    for (unsigned i = 0; i < COTENANT_HOSTED_MAX_RANGES; i++) {
        guest->size += guest->description.memory[i].size;
    }
    return true;
}

void vhart_setup_world(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    (void)argument;
    vhart->world.registers[REGISTER_PC] = address;
}

void fp_drop(struct vhart *vhart)
{
    (void)vhart;
}

void tenant_halt(struct tenant *tenant, enum tenant_state state)
{
    tenant->state = state;
}

bool vplic_set_level(struct vplic *vplic, uint32_t source, bool level)
{
    (void)vplic;
    (void)source;
    (void)level;
    return false;
}

void routing_refresh(struct tenant *tenant)
{
    (void)tenant;
}

bool wanted_by_mail(const struct hart *hart)
{
    (void)hart;
    return false;
}

static void note_begin(struct vhart *vhart)
{
    begun = vhart;
}

HOOK(vhart_begins, note_begin);

static uint32_t ask(struct hosted_request request)
{
    struct hosted_request *place = (struct hosted_request *)memory;

    *place = request;
    place->result = COTENANT_HOSTED_PENDING;
    assert_int_equal(guest_request(host, (uint64_t)place), MMIO_DONE);
    return place->result;
}

static uint32_t lend(uint32_t slot, uint32_t range, uint64_t base, uint64_t size)
{
    return ask((struct hosted_request){.operation = COTENANT_HOSTED_LEND,
                                       .slot = slot,
                                       .range = range,
                                       .address = base,
                                       .size = size});
}

static int set_up(void **state)
{
    (void)state;
    made = (struct bundle){.tenant_count = 1, .vhart_count = 1};
    bundle = &made;
    csr_file_write("mip", 0);
    begun = NULL;
    host_description = (struct bundle_tenant){
        .guest_count = 2,
        .guest_vharts = 1,
        .guest_memory = 6 * GRAIN,
        .memory = {{BASE, SIZE}, {(uint64_t)memory, sizeof(memory)}},
    };
    *host = (struct tenant){.description = &host_description, .state = TENANT_RUNNING};
    for (unsigned i = 0; i < 2; i++) {
        struct vhart *vhart = &vharts[1 + i];

        guests[i] = (struct guest){.tenant = &tenants[1 + i], .host = host};
        tenants[1 + i] =
            (struct tenant){.description = &guests[i].description, .index = 1 + i, .vharts = vhart};
        guest_vharts[1 + i] = (struct guest_vhart){.vhart = vhart};
        *vhart = (struct vhart){.tenant = &tenants[1 + i],
                                .description = &guest_vharts[1 + i].description};
        assert_int_equal(ask((struct hosted_request){
                             .operation = COTENANT_HOSTED_CREATE, .slot = i, .vhart = 1}),
                         COTENANT_HOSTED_OK);
    }
    return 0;
}

/* Nothing that a feature keeps of the vhart is from a guest before. */
static void test_a_start_begins_a_life(void **state)
{
    const struct hosted_request request = {
        .operation = COTENANT_HOSTED_START,
        .address = BASE,
        .run = (uint64_t)memory + COTENANT_HOSTED_PAGE,
    };

    (void)state;
    assert_int_equal(lend(0, 0, BASE, GRAIN), COTENANT_HOSTED_OK);
    assert_int_equal(ask(request), COTENANT_HOSTED_OK);
    assert_ptr_equal(begun, &vharts[1]);
    assert_int_equal(vharts[1].state, VHART_STARTED);
    assert_int_equal(vharts[1].world.registers[REGISTER_PC], BASE);
}

static void test_what_cannot_be_lent(void **state)
{
    (void)state;
    assert_int_equal(lend(0, 0, BASE - GRAIN, GRAIN), COTENANT_HOSTED_RANGE);
    assert_int_equal(lend(0, 0, BASE, SIZE + GRAIN), COTENANT_HOSTED_RANGE);
    assert_int_equal(lend(0, 0, BASE, -(uint64_t)GRAIN), COTENANT_HOSTED_RANGE);
    assert_int_equal(lend(0, 0, BASE + GRAIN, -(uint64_t)GRAIN), COTENANT_HOSTED_RANGE);
    assert_int_equal(lend(0, 0, BASE + 1, GRAIN), COTENANT_HOSTED_INVALID);
    assert_int_equal(lend(0, COTENANT_HOSTED_MAX_RANGES, BASE, GRAIN), COTENANT_HOSTED_INVALID);
    assert_int_equal(lend(0, 0, BASE, 7 * GRAIN), COTENANT_HOSTED_LIMIT);
    assert_int_equal(guests[0].size, 0);
}

static void test_nothing_is_lent_twice(void **state)
{
    (void)state;
    assert_int_equal(lend(0, 1, BASE + 2 * GRAIN, 2 * GRAIN), COTENANT_HOSTED_OK);
    for (uint32_t slot = 0; slot < 2; slot++) {
        assert_int_equal(lend(slot, 0, BASE + 2 * GRAIN, 2 * GRAIN), COTENANT_HOSTED_RANGE);
        assert_int_equal(lend(slot, 0, BASE + 3 * GRAIN, 2 * GRAIN), COTENANT_HOSTED_RANGE);
        assert_int_equal(lend(slot, 0, BASE, 6 * GRAIN), COTENANT_HOSTED_RANGE);
    }
    assert_int_equal(lend(0, 1, BASE, GRAIN), COTENANT_HOSTED_RANGE); /* the range is there */
    assert_int_equal(lend(1, 0, BASE, 2 * GRAIN), COTENANT_HOSTED_OK);
    assert_int_equal(lend(1, 1, BASE + 4 * GRAIN, 3 * GRAIN), COTENANT_HOSTED_LIMIT);
    /* What was taken back can be lent again, wherever the request said that it was. */
    assert_int_equal(lend(0, 1, BASE + 2 * GRAIN, 0), COTENANT_HOSTED_OK);
    assert_int_equal(lend(1, 1, BASE + 2 * GRAIN, 4 * GRAIN), COTENANT_HOSTED_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_start_begins_a_life, set_up),
        cmocka_unit_test_setup(test_what_cannot_be_lent, set_up),
        cmocka_unit_test_setup(test_nothing_is_lent_twice, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
