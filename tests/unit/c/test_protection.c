/* SPDX-License-Identifier: BSD-2-Clause */
/* The claim register's PMP entry, which the monitor closes and opens while a tenant runs. */
#include "arch/csr.h"
#include "arch/protection.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/tenant.h"
#include "features/plic/plic_entries.h"
#include "features/plic/plic_vhart.h"

#define CLAIM 3
#define OTHERS 0x1b1b1b1b001b1f19ul /* what the other entries of pmpcfg0 say */
#define OPEN ((uint64_t)(PMP_MODE_NA4 | PMP_READ | PMP_WRITE) << 8 * CLAIM)
#define CLOSED ((uint64_t)PMP_MODE_NA4 << 8 * CLAIM)

static struct hart hart;
static struct bundle_vhart description;
static struct vhart *const vhart = &vharts[0];
static struct plic_vhart plic;

static int set_up(void **state)
{
    (void)state;
    description = (struct bundle_vhart){.plic_claim_entry = CLAIM};
    *(uint64_t *)description.pmp_config = OTHERS | OPEN;
    *vhart = (struct vhart){.description = &description, .world.hart = &hart, .plic = &plic};
    vhart->world.pmp_config[0] = OTHERS | OPEN;
    hart.loaded = vhart;
    CSR_WRITE(pmpcfg0, OTHERS | OPEN);
    return 0;
}

/* A closed entry has no rights but its mode: a later, larger entry must not decide instead. */
static void test_closed_still_matches(void **state)
{
    (void)state;
    plic_entry_set(vhart, CLAIM, false);
    assert_int_equal(vhart->world.pmp_config[0], OTHERS | CLOSED);
    assert_int_equal(CSR_READ(pmpcfg0), OTHERS | CLOSED);
    plic_entry_set(vhart, CLAIM, true);
    assert_int_equal(vhart->world.pmp_config[0], OTHERS | OPEN);
    assert_int_equal(CSR_READ(pmpcfg0), OTHERS | OPEN);
}

static void test_the_registers_of_another_are_left_alone(void **state)
{
    (void)state;
    hart.loaded = &vharts[1];
    plic_entry_set(vhart, CLAIM, false);
    assert_int_equal(vhart->world.pmp_config[0], OTHERS | CLOSED);
    assert_int_equal(CSR_READ(pmpcfg0), OTHERS | OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_closed_still_matches, set_up),
        cmocka_unit_test_setup(test_the_registers_of_another_are_left_alone, set_up),
    };

    return cmocka_run_group_tests_name("protection", tests, NULL, NULL);
}
