/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns of a guest's vhart in the time of its host's, on a hart of variables. */
#include "arch/csr.h"
#include "arch/interrupts.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "features/hosted/guests.h"
#include "sbi/sbi.h"

#define TOKEN 7
#define PC 0x80001000ul
/* sw a0, 0(a1) */
#define STORE 0x00a5a023u

struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
struct guest_vhart guest_vharts[COTENANT_MAX_VHARTS];

struct hart harts[COTENANT_MAX_HARTS];

static struct bundle made;
static struct bundle_tenant host_description;
static struct bundle_vhart host_vhart;
static struct hart *const hart = &harts[0];
static struct vhart *const host = &vharts[0];
static struct vhart *const vhart = &vharts[1];
static struct guest_vhart *const own = &guest_vharts[1];
static struct hosted_run run;
static uint64_t mtime;

/* Where a timer comes due for another vhart: before a turn, or in a part of its beginning. */
static enum { NOWHERE, BEFORE, IN_INSTALL, IN_FETCH } due;

static void pass(int where)
{
    if (where == (int)due) {
        csr_file_write("mip", INTERRUPT_MTI);
    }
}

/* In the place of the parts around it. */

uint32_t guest_fetch_native(uint64_t address)
{
    assert_int_equal(address, PC);
    pass(IN_FETCH);
    return STORE;
}

bool guest_install(const struct guest *of, struct vhart *to, const struct vhart *by)
{
    (void)of;
    (void)to;
    (void)by;
    pass(IN_INSTALL);
    return true;
}

void fp_claim(struct vhart *of)
{
    (void)of;
}

void fp_drop(struct vhart *of)
{
    (void)of;
}

bool vector_is_in_hart(const struct vhart *of)
{
    (void)of;
    return false;
}

void messages_send(struct vhart *to, uint32_t requests)
{
    (void)to;
    (void)requests;
}

static void make(struct vhart *of, unsigned tenant, const struct bundle_vhart *description)
{
    *of = (struct vhart){.index = (uint32_t)(of - vharts), .description = description};
    of->world.hart = hart;
    of->world.deadline = TIME_NEVER;
    of->tenant = &tenants[tenant];
    of->state = VHART_STARTED;
    of->schedulable.slice = 1000;
}

static int set_up(void **state)
{
    (void)state;
    made = (struct bundle){.tenant_count = 1, .vhart_count = 1};
    bundle = &made;
    mtime = 1000;
    due = NOWHERE;
    *hart = (struct hart){.mtime = &mtime};
    csr_file_write("tp", (uint64_t)hart);
    csr_file_write("mip", 0);
    csr_file_write("mie", INTERRUPT_STI);
    *own = (struct guest_vhart){.vhart = vhart, .token = TOKEN, .run = &run};
    guests[0] = (struct guest){.tenant = &tenants[1], .host = &tenants[0], .size = 1};
    tenants[0] = (struct tenant){.description = &host_description, .state = TENANT_RUNNING};
    tenants[1] =
        (struct tenant){.description = &guests[0].description, .index = 1, .state = TENANT_RUNNING};
    make(host, 0, &host_vhart);
    make(vhart, 1, &own->description);
    vhart->attended = 1;
    host->schedulable.priority = 5;
    host->world.registers[REGISTER_PC] = PC;
    guest_last[0] = NULL;
    scheduler_init(&hart->scheduler, mtime);
    schedule_start(&hart->scheduler, &host->schedulable, mtime);
    assert_ptr_equal(schedule_next(&hart->scheduler, mtime), &host->schedulable);
    hart->loaded = host;
    return 0;
}

/* The one that has the hart gets there. */
static struct vhart *enter(void)
{
    struct vhart *next = vhart_of(schedule_next(&hart->scheduler, mtime));

    FOR_EACH_IN_TABLE(vhart_enters, hook)
    {
        (*hook)(next);
    }
    hart->loaded = next;
    return next;
}

static void test_a_turn_begins_and_ends(void **state)
{
    (void)state;
    assert_int_equal(guest_turn(host, vhart, TOKEN), MMIO_AGAIN);
    assert_ptr_equal(enter(), vhart);
    assert_ptr_equal(own->host, host);
    guest_exit(vhart, COTENANT_HOSTED_EXIT_IDLE);
    assert_int_equal(run.reason, COTENANT_HOSTED_EXIT_IDLE);
    assert_int_equal(host->world.registers[REGISTER_PC], PC + 4);
    assert_ptr_equal(enter(), host);
    assert_int_equal(hart->attended_vharts, 0);
}

/* The store is made again when the other vhart has had the hart: nothing is lost or done twice. */
static void test_a_hart_that_is_wanted_is_not_kept(void **state)
{
    (void)state;
    own->owes = GUEST_OWES_ACCESS;
    own->access = (struct word_access){.reg = REGISTER_A0, .length = 4};
    run.value = 5;
    for (due = BEFORE; due <= IN_FETCH; due++) {
        pass(BEFORE);
        assert_int_equal(guest_turn(host, vhart, TOKEN), MMIO_AGAIN);
        assert_null(own->host);
        assert_int_equal(own->owes, GUEST_OWES_ACCESS);
        assert_ptr_equal(schedule_next(&hart->scheduler, mtime), &host->schedulable);
        assert_false(hart->reschedule);
        csr_file_write("mip", 0);
    }
    assert_int_equal(guest_turn(host, vhart, TOKEN), MMIO_AGAIN);
    assert_ptr_equal(own->host, host);
    assert_int_equal(own->owes, GUEST_OWES_NOTHING);
    assert_int_equal(vhart->world.registers[REGISTER_A0], 5);
    assert_int_equal(vhart->world.registers[REGISTER_PC], 4);
}

/*
 * The host's timer comes while the turn begins: the host has the hart again before its guest has
 * had it. When it waits then, in another thread, no turn goes on.
 */
static void test_a_host_that_is_due_at_once(void **state)
{
    (void)state;
    host->world.deadline = mtime + 1;
    assert_int_equal(guest_turn(host, vhart, TOKEN), MMIO_AGAIN);
    mtime++;
    assert_ptr_equal(enter(), host);
    host->world.registers[REGISTER_PC] = PC + 0x100;
    schedule_wait(&hart->scheduler, &host->schedulable, TIME_NEVER);
    assert_ptr_equal(enter(), vhart);
    assert_null(own->host);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_OFF);
    assert_int_equal(host->world.registers[REGISTER_PC], PC + 0x100);
    assert_int_equal(hart->attended_vharts, 0);
}

/*
 * The short path of the next turn, which does not say that the host has something to end, is for
 * the life of the host's vhart in which a turn began.
 */
static void test_a_host_that_ends(void **state)
{
    (void)state;
    assert_int_equal(guest_turn(host, vhart, TOKEN), MMIO_AGAIN);
    assert_true(host->uses_features);
    assert_ptr_equal(enter(), vhart);
    guest_exit(vhart, COTENANT_HOSTED_EXIT_LOAD);
    assert_ptr_equal(enter(), host);
    assert_ptr_equal(guest_last[host->index], own);
    vhart_ends(host);
    assert_null(guest_last[host->index]);
    /* In the middle of a turn. */
    host->world.registers[REGISTER_PC] = PC;
    host->uses_features = false;
    assert_int_equal(guest_turn(host, vhart, TOKEN), MMIO_AGAIN);
    assert_true(host->uses_features);
    vhart_ends(host);
    assert_null(own->host);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_OFF);
    assert_null(guest_last[host->index]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_turn_begins_and_ends, set_up),
        cmocka_unit_test_setup(test_a_hart_that_is_wanted_is_not_kept, set_up),
        cmocka_unit_test_setup(test_a_host_that_is_due_at_once, set_up),
        cmocka_unit_test_setup(test_a_host_that_ends, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
