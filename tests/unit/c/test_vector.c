/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose vector registers are in the hart, together with features/fp. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "features/fp/vectors.h"

#define LENGTH 16
#define SIZE (COTENANT_VECTORS_HEAD + 32 * LENGTH)

struct fp_registers;
struct vector_registers;

struct hart harts[COTENANT_MAX_HARTS];

static struct bundle made;
static uint8_t places[4][SIZE];
static uint8_t in_hart[COTENANT_MAX_HARTS][SIZE];
static unsigned self; /* the hart that exchanges */
static unsigned moves;

#define ONE (&vharts[0])
#define OTHER (&vharts[1])
#define FP_ONLY (&vharts[2])
#define GUEST (&vharts[3])

void fp_exchange(struct fp_registers *theirs, const struct fp_registers *own, bool *brings);
void vector_exchange(struct vector_registers *theirs, const struct vector_registers *own);
uint64_t vector_length(void);

void fp_exchange(struct fp_registers *theirs, const struct fp_registers *own, bool *brings)
{
    (void)own;
    if (theirs != NULL) {
        *brings = true;
    }
}

void vector_exchange(struct vector_registers *theirs, const struct vector_registers *own)
{
    moves++;
    if (theirs != NULL) {
        memcpy(theirs, in_hart[self], SIZE);
    }
    if (own != NULL) {
        memcpy(in_hart[self], own, SIZE);
    } else {
        memset(in_hart[self], 0, SIZE);
    }
}

uint64_t vector_length(void)
{
    return LENGTH;
}

static int fresh(void **state)
{
    (void)state;
    memset(vharts, 0, sizeof(vharts));
    memset(&made, 0, sizeof(made));
    made.vhart_count = 4;
    made.vectors = (struct bundle_vectors){(uint64_t)places, SIZE};
    bundle = &made;
    for (uint32_t i = 0; i < COTENANT_MAX_HARTS; i++) {
        harts[i].index = i;
    }
    for (uint32_t i = 0; i < made.vhart_count; i++) {
        made.tenants[i].flags =
            COTENANT_TENANT_FP | (&vharts[i] == FP_ONLY ? 0 : COTENANT_TENANT_VECTOR);
        tenants[i].description = &made.tenants[i];
        vharts[i].index = i;
        vharts[i].tenant = &tenants[i];
        vharts[i].world.hart = &harts[0];
    }
    machine_begins();
    for (uint32_t i = 0; i < made.vhart_count; i++) {
        fp_drop(&vharts[i]);
    }
    memset(in_hart, 0x5a, sizeof(in_hart)); /* what the stage before has left there */
    self = 0;
    moves = 0;
    return 0;
}

/* As entry/run.c does. */
static void give_hart_to(struct vhart *vhart)
{
    self = vhart->world.hart->index;
    if (vhart->brings_registers) {
        fp_claim(vhart);
    }
}

static bool hart_holds(uint8_t value)
{
    for (unsigned i = 0; i < SIZE; i++) {
        if (in_hart[self][i] != value) {
            return false;
        }
    }
    return true;
}

static void test_the_first_one_gets_registers_as_at_reset(void **state)
{
    (void)state;
    give_hart_to(ONE);
    assert_true(hart_holds(0));
}

static void test_registers_move_between_those_that_use_them(void **state)
{
    (void)state;
    give_hart_to(ONE);
    memset(in_hart[0], 1, SIZE);
    give_hart_to(OTHER);
    assert_true(hart_holds(0));
    memset(in_hart[0], 2, SIZE);
    give_hart_to(ONE);
    assert_true(hart_holds(1));
    give_hart_to(OTHER);
    assert_true(hart_holds(2));
}

/* One that has only floating point takes that, and the vectors of the other stay. */
static void test_a_tenant_without_moves_none(void **state)
{
    (void)state;
    give_hart_to(ONE);
    memset(in_hart[0], 1, SIZE);
    moves = 0;
    give_hart_to(FP_ONLY);
    give_hart_to(ONE);
    assert_true(hart_holds(1));
    assert_int_equal(moves, 0);
}

static void test_nothing_is_left_of_one_that_ends(void **state)
{
    (void)state;
    give_hart_to(ONE);
    memset(in_hart[0], 1, SIZE);
    give_hart_to(OTHER);
    fp_drop(ONE);
    give_hart_to(ONE);
    assert_true(hart_holds(0));
    memset(in_hart[0], 1, SIZE);
    fp_drop(ONE);
    give_hart_to(ONE);
    assert_true(hart_holds(0));
    memset(in_hart[0], 1, SIZE);
    fp_drop(ONE);
    give_hart_to(OTHER);
    assert_true(hart_holds(0));
}

/* A guest may go to another hart only when its values are in its place: hosted/turns.c asks. */
static void test_where_the_values_are_is_known(void **state)
{
    (void)state;
    give_hart_to(GUEST);
    memset(in_hart[0], 4, SIZE);
    give_hart_to(FP_ONLY);
    assert_true(GUEST->brings_registers);
    assert_true(vector_is_in_hart(GUEST));
    give_hart_to(ONE);
    assert_false(vector_is_in_hart(GUEST));
    GUEST->world.hart = &harts[1];
    give_hart_to(GUEST);
    assert_true(hart_holds(4));
}

static void test_a_hart_needs_room(void **state)
{
    (void)state;
    CSR_WRITE(misa, COTENANT_BOARD_VECTOR);
    assert_true(vector_fits());
    made.vectors.size = SIZE - COTENANT_VECTORS_HEAD;
    assert_false(vector_fits());
    made.vectors.size = SIZE;
    CSR_WRITE(misa, 0);
    assert_false(vector_fits());
    made.vectors.size = 0;
    assert_true(vector_fits());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_first_one_gets_registers_as_at_reset, fresh),
        cmocka_unit_test_setup(test_registers_move_between_those_that_use_them, fresh),
        cmocka_unit_test_setup(test_a_tenant_without_moves_none, fresh),
        cmocka_unit_test_setup(test_nothing_is_left_of_one_that_ends, fresh),
        cmocka_unit_test_setup(test_where_the_values_are_is_known, fresh),
        cmocka_unit_test_setup(test_a_hart_needs_room, fresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
