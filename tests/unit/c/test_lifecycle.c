/* SPDX-License-Identifier: BSD-2-Clause */
/* Tenants start, stop, reboot, crash and wait, on a hart of variables. */
#include <string.h>

#include "arch/csr.h"
#include "arch/memory.h"
#include "arch/vhart_setup.h"
#include "arch/wait.h"
#include "bundle_maker.h"
#include "cmocka_tests.h"
#include "core/console.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/trace.h"
#include "irq/routing.h"

#define LINUX (&tenants[0])
#define RTOS (&tenants[1])
#define OTHER (&tenants[2])

struct hart harts[COTENANT_MAX_HARTS];
bool trace_is_on;
struct trace traces[COTENANT_MAX_HARTS];

static struct bundle made;
static struct hart *const hart = &harts[0];
static uint64_t mtime;
static uint64_t mtimecmp;
static uint64_t cleared;
static uint64_t copied;
static bool console_shows[COTENANT_MAX_TENANTS];
static unsigned routing_resets;
static struct vhart *unloaded;

/* In the place of the parts around it. */

void physical_copy(uint64_t destination, const void *source, size_t size)
{
    (void)destination;
    (void)source;
    copied += size;
}

void physical_clear(uint64_t destination, size_t size)
{
    (void)destination;
    cleared += size;
}

void vhart_setup_protection(struct vhart *vhart)
{
    vhart->rest.pmp_address[0] = vhart->description->pmp_address[0];
}

void vhart_setup_world(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    memset(vhart->world.registers, 0, sizeof(vhart->world.registers));
    vhart->world.registers[REGISTER_PC] = address;
    vhart->world.registers[REGISTER_A0] = vhart->world.vhart_id;
    vhart->world.registers[REGISTER_A1] = argument;
    vhart->world.pending = 0;
    vhart->world.mie = 0;
}

void vhart_unload(struct vhart *vhart)
{
    unloaded = vhart;
    vhart->world.hart->loaded = NULL;
}

void console_tenant_running(uint32_t tenant, bool running)
{
    console_shows[tenant] = running;
}

void routing_init_tenant(struct tenant *tenant)
{
    (void)tenant;
}

void routing_reset_tenant(struct tenant *tenant)
{
    (void)tenant;
    routing_resets++;
}

void trace_add_tenant(const struct tenant *tenant, uint32_t event)
{
    (void)tenant;
    (void)event;
}

static char *log_text(void)
{
    static char text[MONITOR_LOG_SIZE + 1];
    size_t length = 0;

    for (int byte = monitor_log_next(); byte >= 0; byte = monitor_log_next()) {
        text[length++] = (char)byte;
    }
    text[length] = '\0';
    return text;
}

static struct vhart *running(void)
{
    struct schedulable *next = schedule_next(&hart->scheduler, mtime);

    hart->reschedule = false;
    return next == NULL ? NULL : vhart_of(next);
}

/* Lets whoever loads do so until a vhart runs that is not loading; the time it takes passes. */
static struct vhart *run_to_tenant(void)
{
    struct vhart *vhart = running();

    for (unsigned steps = 0; vhart != NULL && vhart->loading; steps++) {
        assert_true(steps < 1000000);
        tenant_load_step(vhart->tenant);
        mtime++;
        vhart = running();
    }
    hart->loaded = vhart;
    csr_file_write("mie", 0);
    csr_file_write("mip", 0);
    return vhart;
}

static int set_up(void **state)
{
    (void)state;
    bundle_make(&made);
    for (int i = 0; i < 3; i++) {
        made.tenants[i].memory[0].size = 0x4000; /* less to wipe */
        made.tenants[i].memory[2].size = 0;
    }
    made.vharts[1].priority = 11;
    bundle = &made;
    mtime = 1000;
    memset(harts, 0, sizeof(harts));
    memset(tenants, 0, sizeof(tenants));
    hart->mtime = &mtime;
    hart->mtimecmp = &mtimecmp;
    scheduler_init(&hart->scheduler, mtime);
    monitor_log_init();
    cleared = copied = 0;
    routing_resets = 0;
    unloaded = NULL;
    memset(console_shows, 0, sizeof(console_shows));
    return 0;
}

static void start_all(void)
{
    lifecycle_init();
    (void)log_text();
}

static void test_only_automatic_ones_start(void **state)
{
    (void)state;
    made.tenants[1].flags &= ~(uint32_t)COTENANT_TENANT_AUTOSTART;
    lifecycle_init();
    assert_int_equal(tenant_count, 3);
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    assert_int_equal(RTOS->state, TENANT_EMPTY);
    assert_true(console_shows[0] && !console_shows[1] && console_shows[2]);
    assert_non_null(strstr(log_text(), "starting 2 of 3 tenants\n"));
    assert_false(lifecycle_is_over());
    /* Ticks of 10 MHz. */
    assert_int_equal(RTOS->vharts[0].schedulable.slice, 100000);
    assert_int_equal(RTOS->vharts[0].schedulable.budget, 3000);
    assert_int_equal(RTOS->vharts[0].schedulable.period, 10000);
    assert_int_equal(LINUX->vharts[0].schedulable.budget, 0);
}

/* Loading takes place in the tenant's own turn: the higher one is complete before Linux begins. */
static void test_images_are_loaded_by_priority(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    assert_ptr_equal(vhart, &RTOS->vharts[0]);
    assert_int_equal(vhart->world.registers[REGISTER_PC], made.tenants[1].entry);
    assert_int_equal(vhart->world.registers[REGISTER_A1], made.tenants[1].devicetree);
    assert_int_equal(vhart->state, VHART_STARTED);
    assert_true(LINUX->vharts[0].loading);
    assert_int_equal(LINUX->loader.offset, 0);
    assert_int_equal(copied, 0x1234 + 0x800);
    assert_int_equal(cleared, 0x3000 - 0x1234); /* the first start wipes nothing else */
}

static void test_shutdown(void **state)
{
    (void)state;
    start_all();
    run_to_tenant();
    hart->fp_owner = &RTOS->vharts[0];
    tenant_shut_down(RTOS, "shutdown\n");
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_int_equal(RTOS->vharts[0].state, VHART_STOPPED);
    assert_ptr_equal(unloaded, &RTOS->vharts[0]);
    assert_null(hart->fp_owner);
    assert_int_equal(routing_resets, 1);
    assert_false(console_shows[1]);
    assert_true(hart->reschedule);
    assert_non_null(strstr(log_text(), "tenant rtos: shutdown\n"));
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    tenant_shut_down(OTHER, "shutdown\n");
    assert_ptr_equal(run_to_tenant(), &LINUX->vharts[0]);
    assert_false(lifecycle_is_over());
    tenant_shut_down(LINUX, "shutdown\n");
    assert_true(lifecycle_is_over());
    assert_null(running());
}

static void test_shutdown_while_loading(void **state)
{
    (void)state;
    start_all();
    assert_true(running()->loading);
    tenant_load_step(RTOS);
    tenant_halt(RTOS, TENANT_STOPPED);
    assert_false(RTOS->vharts[0].loading);
    assert_int_equal(RTOS->loader.phase, LOADER_IDLE);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
}

static void test_reboot_wipes_and_starts_anew(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    vhart->world.registers[REGISTER_PC] = 0x1234;
    vhart->world.pending = INTERRUPT_SSI;
    cleared = copied = 0;
    tenant_reboot(RTOS);
    assert_non_null(strstr(log_text(), "tenant rtos: reboot\n"));
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_true(console_shows[1]);
    while (vhart->loading) {
        run_to_tenant();
        mtime += 10000;
    }
    assert_ptr_equal(run_to_tenant(), vhart);
    assert_true(cleared >= 0x4000);
    assert_int_equal(vhart->world.registers[REGISTER_PC], made.tenants[1].entry);
    assert_int_equal(vhart->world.pending, 0);
}

/* One that reboots all the time has no more of the hart than its budget. */
static void test_reboots_do_not_refill_the_budget(void **state)
{
    uint64_t others = 0;
    uint64_t start;

    (void)state;
    start_all();
    start = mtime;
    while (mtime < start + 20 * 10000) {
        struct vhart *vhart = running();
        uint64_t step = 10;

        if (vhart->tenant == RTOS && !vhart->loading) {
            tenant_reboot(RTOS);
            (void)log_text();
        } else if (vhart->loading) {
            tenant_load_step(vhart->tenant);
        }
        others += vhart->tenant != RTOS ? step : 0;
        mtime += step;
    }
    assert_true(others > (mtime - start) * 65 / 100);
}

static void test_crash_is_named(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    vhart->world.registers[REGISTER_PC] = 0x88001000;
    tenant_crash(vhart, 1, 0xdead);
    assert_int_equal(RTOS->state, TENANT_CRASHED);
    assert_non_null(strstr(log_text(), "tenant rtos: crashed: cause=1 pc=0x88001000 "
                                       "address=0xdead\n"));
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
}

/* A tenant with two vharts: it goes on while one is there. */
static void test_last_vhart_ends_the_tenant(void **state)
{
    (void)state;
    made.tenant_count = 2;
    made.tenants[1].vhart_count = 2;
    made.vharts[2].tenant = 1;
    made.vharts[2].id = 1;
    start_all();
    run_to_tenant();
    vhart_start(&RTOS->vharts[1], made.tenants[1].entry, 42);
    assert_int_equal(RTOS->vharts[1].world.registers[REGISTER_A0], 1);
    assert_int_equal(RTOS->vharts[1].world.registers[REGISTER_A1], 42);
    vhart_stop(&RTOS->vharts[0]);
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[1]);
    vhart_stop(&RTOS->vharts[1]);
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_non_null(strstr(log_text(), "stopped its last hart"));
}

static void test_wait_until_an_enabled_interrupt(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    vhart->world.deadline = mtime + 500;
    csr_file_write("mie", INTERRUPT_SSI);
    csr_file_write("mip", INTERRUPT_STI);
    vhart_wait(vhart); /* the pending one is not enabled */
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_WAITING);
    assert_int_equal(vhart->schedulable.wake, TIME_NEVER);
    vhart->world.mie = INTERRUPT_SSI;
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    vhart_interrupt(vhart, INTERRUPT_SEI);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_WAITING);
    assert_false(hart->reschedule);
    vhart_interrupt(vhart, INTERRUPT_SSI);
    assert_true(hart->reschedule);
    assert_int_equal(vhart->world.pending, INTERRUPT_SEI | INTERRUPT_SSI);
    assert_ptr_equal(run_to_tenant(), vhart);
}

static void test_wait_with_something_pending_is_none(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    csr_file_write("mie", INTERRUPT_SSI);
    csr_file_write("mip", INTERRUPT_SSI);
    vhart_wait(vhart);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_READY);
    assert_false(hart->reschedule);
}

static void test_wait_until_the_timer(void **state)
{
    struct vhart *vhart;

    (void)state;
    for (int native = 0; native < 2; native++) {
        set_up(state);
        start_all();
        vhart = run_to_tenant();
        hart->features = native ? HART_SSTC : 0;
        vhart->world.deadline = native ? TIME_NEVER : mtime + 700;
        csr_file_write("0x14d", mtime + 700); /* stimecmp */
        csr_file_write("mie", INTERRUPT_STI);
        vhart_wait(vhart);
        assert_int_equal(vhart->schedulable.wake, mtime + 700);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_only_automatic_ones_start, set_up),
        cmocka_unit_test_setup(test_images_are_loaded_by_priority, set_up),
        cmocka_unit_test_setup(test_shutdown, set_up),
        cmocka_unit_test_setup(test_shutdown_while_loading, set_up),
        cmocka_unit_test_setup(test_reboot_wipes_and_starts_anew, set_up),
        cmocka_unit_test_setup(test_reboots_do_not_refill_the_budget, set_up),
        cmocka_unit_test_setup(test_crash_is_named, set_up),
        cmocka_unit_test_setup(test_last_vhart_ends_the_tenant, set_up),
        cmocka_unit_test_setup(test_wait_until_an_enabled_interrupt, set_up),
        cmocka_unit_test_setup(test_wait_with_something_pending_is_none, set_up),
        cmocka_unit_test_setup(test_wait_until_the_timer, set_up),
    };

    return cmocka_run_group_tests_name("lifecycle", tests, NULL, NULL);
}
