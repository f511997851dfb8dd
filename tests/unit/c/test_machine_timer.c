/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer of a tenant in machine mode, which any of its harts can set. */
#include "arch/csr.h"
#include "arch/timer.h"
#include "cmocka_tests.h"
#include "core/hooks.h"
#include "features/machine/machine.h"

static const struct bundle made;
const struct bundle *bundle = &made;
struct machine machines[COTENANT_MAX_VHARTS];
struct machine_parked machine_parked[COTENANT_MAX_VHARTS];
static struct bundle_tenant description;
static struct tenant tenant = {.description = &description};
static const struct bundle_vhart vhart_description;
static uint64_t time_now, compare;
static struct hart hart = {.mtime = &time_now, .mtimecmp = &compare};
static struct vhart vhart = {
    .tenant = &tenant, .description = &vhart_description, .world.hart = &hart};

void vhart_interrupt(struct vhart *which, uint64_t interrupt)
{
    (void)which;
    (void)interrupt;
    fail();
}

void messages_send(struct vhart *which, uint32_t requests)
{
    (void)which;
    (void)requests;
    fail();
}

/* `waits`: it has executed WFI, with no interrupt to come. */
static void set_by_other_hart(bool waits, bool loaded)
{
    hart.scheduler = (struct scheduler){0};
    hart.loaded = loaded ? &vhart : NULL;
    hart.event_deadline = TIME_NEVER;
    vhart.schedulable = (struct schedulable){.priority = 1};
    vhart.world.deadline = TIME_NEVER;
    clint_vharts[0].mtimecmp = &machine_parked[0].mtimecmp;
    schedule_start(&hart.scheduler, &vhart.schedulable, time_now);
    if (waits) {
        schedule_wait(&hart.scheduler, &vhart.schedulable, TIME_NEVER);
    }
    hart.reschedule = false;
    machine_parked[0].mtimecmp = 1000;
    clint_vharts[0].written = CLINT_MTIMECMP;
    vhart.state = VHART_STARTED;
    vhart_is_routed(&vhart);
    assert_int_equal(vhart.world.deadline, 1000);
    assert_int_equal(vhart.schedulable.state, SCHEDULABLE_READY);
    assert_int_equal(hart.reschedule, waits);
}

static void one_that_waits_looks_at_its_new_time(void **state)
{
    (void)state;
    set_by_other_hart(true, false);
    /* The hart takes the message before another vhart is loaded in its place. */
    set_by_other_hart(true, true);
}

static void one_that_runs_is_not_disturbed(void **state)
{
    (void)state;
    set_by_other_hart(false, true);
    assert_int_equal(compare, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_waits_looks_at_its_new_time),
        cmocka_unit_test(one_that_runs_is_not_disturbed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
