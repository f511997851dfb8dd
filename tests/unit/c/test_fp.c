/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose floating-point registers are in the hart. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "features/fp/vectors.h"

struct fp_registers {
    uint64_t f[32];
    uint64_t fcsr;
};

struct hart harts[COTENANT_MAX_HARTS];

static struct bundle made;
static struct fp_registers in_hart;
static unsigned saves;
static const struct vhart *leaves; /* it must not be said to bring what is not kept yet */

#define ONE (&vharts[0])
#define OTHER (&vharts[1])
#define WITHOUT (&vharts[2])

/* In the place of features/fp/registers.S. */

void fp_exchange(struct fp_registers *theirs, const struct fp_registers *own, bool *brings);

void fp_exchange(struct fp_registers *theirs, const struct fp_registers *own, bool *brings)
{
    if (theirs != NULL) {
        assert_true(leaves == NULL || !leaves->brings_registers);
        *theirs = in_hart;
        *brings = true;
        saves++;
    }
    in_hart = *own;
}

/* Nobody has vectors here: test_vector.c. */

void vector_claim(struct vhart *vhart)
{
    (void)vhart;
    fail();
}

void vector_drop(struct vhart *vhart)
{
    (void)vhart;
    fail();
}

static int fresh(void **state)
{
    (void)state;
    memset(vharts, 0, sizeof(vharts));
    made.vhart_count = 3;
    bundle = &made;
    for (uint32_t i = 0; i < made.vhart_count; i++) {
        made.tenants[i].flags = i < 2 ? COTENANT_TENANT_FP : 0;
        tenants[i].description = &made.tenants[i];
        vharts[i].index = i;
        vharts[i].tenant = &tenants[i];
        vharts[i].world.hart = &harts[0];
        fp_drop(&vharts[i]);
    }
    memset(&in_hart, 0x5a, sizeof(in_hart));
    saves = 0;
    leaves = NULL;
    machine_begins();
    return 0;
}

/* As entry/run.c does. */
static void give_hart_to(struct vhart *vhart)
{
    if (vhart->brings_registers) {
        fp_claim(vhart);
    }
}

static void test_the_first_one_gets_registers_as_at_reset(void **state)
{
    (void)state;
    give_hart_to(ONE);
    assert_int_equal(in_hart.f[31], 0);
    assert_int_equal(in_hart.fcsr, 0);
    assert_int_equal(saves, 0);
    assert_false(ONE->brings_registers);
    assert_true(ONE->keeps_registers); /* to be told when it ends */
}

static void test_registers_move_between_those_that_use_them(void **state)
{
    (void)state;
    give_hart_to(ONE);
    in_hart.f[3] = 33;
    in_hart.fcsr = 1;
    leaves = ONE; /* another hart that sees it said takes what is kept */
    give_hart_to(OTHER);
    assert_int_equal(in_hart.f[3], 0);
    assert_true(ONE->brings_registers);
    in_hart.f[3] = 44;
    leaves = OTHER;
    give_hart_to(ONE);
    assert_int_equal(in_hart.f[3], 33);
    assert_int_equal(in_hart.fcsr, 1);
    leaves = ONE;
    give_hart_to(OTHER);
    assert_int_equal(in_hart.f[3], 44);
    assert_int_equal(saves, 3);
}

static void test_a_tenant_without_takes_no_part(void **state)
{
    (void)state;
    give_hart_to(ONE);
    in_hart.f[7] = 77;
    give_hart_to(WITHOUT);
    give_hart_to(ONE);
    assert_int_equal(in_hart.f[7], 77);
    assert_int_equal(saves, 0);
    fp_drop(WITHOUT);
    assert_false(WITHOUT->brings_registers);
}

/* Neither into its next life nor into another tenant's registers. */
static void test_nothing_is_left_of_one_that_ends(void **state)
{
    (void)state;
    give_hart_to(ONE);
    in_hart.f[9] = 99;
    give_hart_to(OTHER);
    fp_drop(ONE);
    give_hart_to(ONE);
    assert_int_equal(in_hart.f[9], 0);
    in_hart.f[9] = 98;
    fp_drop(ONE);
    give_hart_to(OTHER);
    assert_int_equal(in_hart.f[9], 0);
    give_hart_to(ONE);
    assert_int_equal(in_hart.f[9], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_first_one_gets_registers_as_at_reset, fresh),
        cmocka_unit_test_setup(test_registers_move_between_those_that_use_them, fresh),
        cmocka_unit_test_setup(test_a_tenant_without_takes_no_part, fresh),
        cmocka_unit_test_setup(test_nothing_is_left_of_one_that_ends, fresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
