/* SPDX-License-Identifier: BSD-2-Clause */
/* What is saved of a dormant tenant is what comes back, and nothing else is believed. */
#include <string.h>

#include "arch/csr.h"
#include "arch/vhart_setup.h"
#include "bundle_maker.h"
#include "cmocka_tests.h"
#include "features/control/save_restore.h"

static struct bundle made;
static struct tenant *const tenant = &tenants[0];
static struct dormant_state good;

void vhart_setup_world(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    memset(vhart->world.registers, 0, sizeof(vhart->world.registers));
    vhart->world.registers[REGISTER_PC] = address;
    vhart->world.registers[REGISTER_A1] = argument;
    vhart->world.medeleg = EXCEPTIONS_DELEGATED;
}

static int set_up(void **state)
{
    (void)state;
    bundle_make(&made);
    made.tenants[0].group = 3;
    memset(tenants, 0, sizeof(tenants));
    memset(vharts, 0, sizeof(vharts));
    tenant->description = &made.tenants[0];
    tenant->vharts = vharts;
    tenant->vhart_count = 2;
    tenant->state = TENANT_STOPPED;
    for (uint32_t i = 0; i < 2; i++) {
        vharts[i].tenant = tenant;
        vharts[i].world.vhart_id = i;
    }
    good = (struct dormant_state){
        .version = COTENANT_DORMANT_VERSION,
        .vhart = 1,
        .flags = COTENANT_DORMANT_MISALIGNED_LOCKED,
        .address = made.tenants[0].memory[0].base + 0x2000,
        .argument = 0x1234,
    };
    return 0;
}

static void test_what_comes_back_is_what_was_saved(void **state)
{
    struct dormant_state saved;

    (void)state;
    assert_false(dormant_save(tenant, &saved));
    for (uint32_t flags = 0; flags < 4; flags++) {
        good.flags = flags;
        tenant->state = TENANT_EMPTY;
        tenant->used = false;
        vharts[1].world.registers[REGISTER_RA] = 1; /* of another life */
        assert_true(dormant_restore(tenant, &good));
        assert_int_equal(vharts[1].world.registers[REGISTER_RA], 0);
        assert_int_equal(tenant->state, TENANT_DORMANT);
        assert_true(tenant->used); /* its memory is to be wiped before it starts anew */
        assert_int_equal(vharts[0].state, VHART_STOPPED);
        assert_int_equal(vharts[1].state, VHART_SUSPENDED);
        assert_int_equal(vharts[1].start_address, good.address);
        assert_int_equal((vharts[1].world.medeleg & EXCEPTIONS_MISALIGNED) != 0, flags & 1);
        assert_int_equal(vharts[1].world.medeleg | EXCEPTIONS_MISALIGNED,
                         EXCEPTIONS_DELEGATED | EXCEPTIONS_MISALIGNED);
        assert_true(dormant_save(tenant, &saved));
        assert_memory_equal(&saved, &good, sizeof(good));
    }
}

#define REFUSED(change)                                                                            \
    do {                                                                                           \
        set_up(state);                                                                             \
        change;                                                                                    \
        before = tenant->state;                                                                    \
        assert_false(dormant_restore(tenant, &good));                                              \
        assert_int_equal(tenant->state, before);                                                   \
        assert_int_equal(vharts[1].state, VHART_STOPPED);                                          \
    } while (0)

static void test_nothing_else_is_believed(void **state)
{
    enum tenant_state before;

    REFUSED(good.version++);
    REFUSED(good.vhart = 2);
    REFUSED(good.flags = 4);
    REFUSED(good.reserved = 1);
    REFUSED(good.address++);
    REFUSED(good.address = made.tenants[1].memory[0].base);
    REFUSED(good.address = UINT64_MAX - 1);
    REFUSED(made.tenants[0].group = COTENANT_NONE);
    REFUSED(tenant->state = TENANT_RUNNING);
    REFUSED(tenant->state = TENANT_LOADING);
    REFUSED(tenant->state = TENANT_STOPPING);
    REFUSED(tenant->state = TENANT_DORMANT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_what_comes_back_is_what_was_saved, set_up),
        cmocka_unit_test_setup(test_nothing_else_is_believed, set_up),
    };

    return cmocka_run_group_tests_name("dormant", tests, NULL, NULL);
}
