/* SPDX-License-Identifier: BSD-2-Clause */
/* What is lent to a guest, as entries of PMP: in the last ones of its host's harts, and no more. */
#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/tenant.h"
#include "features/hosted/guests.h"

#define GRAIN COTENANT_HOSTED_GRAIN
#define BASE 0x80000000ul
#define FIRST 4
#define ENTRIES 8
#define TOR (PMP_MODE_TOR | PMP_RIGHTS)
#define NAPOT (PMP_MODE_NAPOT | PMP_RIGHTS)

struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
struct guest_vhart guest_vharts[COTENANT_MAX_VHARTS];

static struct bundle made;
static struct bundle_tenant host_description = {.guest_entries = ENTRIES - FIRST};
static struct tenant host = {.description = &host_description};
static struct guest *const guest = &guests[0];

static int set_up(void **state)
{
    (void)state;
    made = (struct bundle){.board.pmp_entries = ENTRIES, .tenant_count = 1, .vhart_count = 1};
    bundle = &made;
    for (unsigned i = 0; i < COTENANT_MAX_VHARTS; i++) {
        vharts[i] = (struct vhart){.index = i, .description = &guest_vharts[i].description};
        guest_vharts[i] = (struct guest_vhart){0};
    }
    for (unsigned i = 0; i < 2; i++) {
        tenants[1 + i] = (struct tenant){.vharts = &vharts[1 + i], .vhart_count = 1};
        guests[i] = (struct guest){.host = &host, .tenant = &tenants[1 + i]};
    }
    return 0;
}

static void lend(unsigned range, uint64_t first, uint64_t count)
{
    guest->description.memory[range] = (struct bundle_range){BASE + first * GRAIN, count * GRAIN};
}

static void assert_entry(unsigned entry, uint8_t config, uint64_t address)
{
    assert_int_equal(guest->pmp_config[FIRST + entry], config);
    assert_int_equal(guest->pmp_address[FIRST + entry], address);
}

static void test_one_entry_where_it_can_be(void **state)
{
    uint64_t view;

    (void)state;
    lend(0, 4, 4);
    assert_true(guest_protect(guest));
    assert_entry(0, NAPOT, (BASE + 4 * GRAIN) >> 2 | ((4 * GRAIN >> 3) - 1));
    assert_int_equal(guest->pmp_config[FIRST + 1], 0);
    view = guest->view;
    lend(0, 2, 4); /* not aligned to its size */
    assert_true(guest_protect(guest));
    assert_entry(0, 0, (BASE + 2 * GRAIN) >> 2);
    assert_entry(1, TOR, (BASE + 6 * GRAIN) >> 2);
    assert_int_not_equal(guest->view, view);
}

/* The upper bound of one is the lower bound of the next, but not behind an entry of one size. */
static void test_neighbours_share_a_bound(void **state)
{
    (void)state;
    lend(0, 1, 3);
    lend(1, 4, 5);
    lend(3, 9, 3);
    assert_true(guest_protect(guest));
    assert_entry(0, 0, (BASE + 1 * GRAIN) >> 2);
    assert_entry(1, TOR, (BASE + 4 * GRAIN) >> 2);
    assert_entry(2, TOR, (BASE + 9 * GRAIN) >> 2);
    assert_entry(3, TOR, (BASE + 12 * GRAIN) >> 2);
    lend(1, 4, 4);
    lend(3, 8, 3);
    assert_false(guest_protect(guest));
}

static void test_what_does_not_fit_is_not_said_to(void **state)
{
    (void)state;
    lend(0, 1, 3);
    lend(1, 5, 3);
    assert_true(guest_protect(guest));
    lend(2, 16, 1);
    assert_false(guest_protect(guest));
    for (unsigned entry = 0; entry < FIRST; entry++) {
        assert_int_equal(guest->pmp_config[entry], 0);
    }
    lend(2, 0, 0);
    lend(1, 0, 0);
    assert_true(guest_protect(guest));
    assert_int_equal(guest->pmp_config[FIRST + 2], 0);
}

/* The entries of the hart, and those of the vhart, are a step each. */
static void install(const struct guest *whose, struct vhart *vhart, const struct vhart *of_host)
{
    assert_false(guest_install(whose, vhart, of_host));
    assert_false(guest_install(whose, vhart, of_host));
    assert_true(guest_install(whose, vhart, of_host));
}

/* The guest's vhart alone has rights for them, and others of the hart keep what they had. */
static void test_the_hart_has_the_entries_of_who_enters(void **state)
{
    struct hart hart = {.index = 0};
    struct vhart *own = &vharts[0];
    struct vhart *first = &vharts[1];
    struct vhart *second = &vharts[2];

    (void)state;
    own->world.hart = first->world.hart = second->world.hart = &hart;
    own->rest.pmp_address[0] = 17;
    lend(0, 4, 4);
    assert_true(guest_protect(guest));
    guests[1].description.memory[0] = (struct bundle_range){BASE, GRAIN};
    assert_true(guest_protect(&guests[1]));
    install(guest, first, own);
    assert_int_equal(first->rest.pmp_address[0], 17);
    assert_int_equal(first->rest.pmp_address[FIRST], guest->pmp_address[FIRST]);
    assert_int_equal(((uint8_t *)first->world.pmp_config)[FIRST], NAPOT);
    assert_int_equal(own->rest.pmp_address[FIRST], 0);
    assert_int_equal(own->world.pmp_config[0], 0);
    assert_int_equal(CSR_READ(pmpaddr4), guest->pmp_address[FIRST]);
    install(&guests[1], second, own);
    assert_int_equal(CSR_READ(pmpaddr4), guests[1].pmp_address[FIRST]);
    assert_int_equal(guest_vharts[1].view, NO_VIEW); /* the other's next turn is looked at */
    install(guest, first, own);
    assert_int_equal(CSR_READ(pmpaddr4), guest->pmp_address[FIRST]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_one_entry_where_it_can_be, set_up),
        cmocka_unit_test_setup(test_neighbours_share_a_bound, set_up),
        cmocka_unit_test_setup(test_what_does_not_fit_is_not_said_to, set_up),
        cmocka_unit_test_setup(test_the_hart_has_the_entries_of_who_enters, set_up),
    };

    return cmocka_run_group_tests_name("guest_protection", tests, NULL, NULL);
}
