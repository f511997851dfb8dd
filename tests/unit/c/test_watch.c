/* SPDX-License-Identifier: BSD-2-Clause */
/* Heartbeats that come, that do not come, and that nobody expects; the watchdog that gives them. */
#include <string.h>

#include "arch/csr.h"
#include "bundle_maker.h"
#include "cmocka_tests.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/recorder.h"
#include "core/scheduler.h"
#include "core/work.h"
#include "features/watch/watch.h"
#include "features/watch/watchdog.h"

#define RTOS (&tenants[1])
#define OTHER (&tenants[2])

/* Ticks of 10 MHz. */
#define WITHIN 500000ul
#define BOOT 2000000ul

struct hart harts[COTENANT_MAX_HARTS];

static struct bundle made;
static unsigned woken;
static unsigned traced;
static unsigned restarted;
static unsigned stopped;

/* In the place of the parts around it. */

void work_post(void)
{
    woken++;
}

static void record(const struct tenant *tenant, uint32_t event)
{
    (void)tenant;
    assert_int_equal(event, COTENANT_TRACE_TENANT_HANGS);
    traced++;
}

static const struct recorder test_recorder = {.changes = record};

void tenant_halt(struct tenant *tenant, enum tenant_state state)
{
    assert_int_equal(state, TENANT_CRASHED);
    watch_end(tenant);
    stopped++;
}

bool lifecycle_is_quitting(void)
{
    return false;
}

void tenant_halt_for(struct tenant *tenant, enum tenant_purpose purpose)
{
    assert_int_equal(purpose, TENANT_TO_RUN);
    watch_end(tenant);
    restarted++;
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

static void begin(uint32_t policy, uint32_t boot_us, uint64_t now)
{
    made.tenants[1].watch_policy = policy;
    made.tenants[1].watch_within_us = 50000;
    made.tenants[1].watch_boot_us = boot_us;
    watch_init(RTOS);
    watch_begin(RTOS, now);
}

static int set_up(void **state)
{
    (void)state;
    recorder = &test_recorder;
    bundle_make(&made);
    bundle = &made;
    csr_file_write("tp", (uint64_t)&harts[0]);
    tenant_count = 3;
    memset(tenants, 0, sizeof(tenants));
    for (uint32_t i = 0; i < tenant_count; i++) {
        tenants[i].index = i;
        tenants[i].description = &made.tenants[i];
        tenants[i].state = TENANT_RUNNING;
        watch_init(&tenants[i]);
    }
    monitor_log_init();
    woken = traced = restarted = stopped = 0;
    return 0;
}

static void test_nothing_is_expected_before_the_first_heartbeat(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_RESTART, 0, 1000);
    assert_true(watch_deadline() == TIME_NEVER);
    watch_step(TIME_NEVER - 1);
    assert_int_equal(watch_of(RTOS)->hangs, 0);
    assert_int_equal(woken, 0);
}

static void test_each_heartbeat_moves_the_deadline(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_RESTART, 0, 1000);
    watch_heartbeat(RTOS, 2000);
    assert_int_equal(watch_deadline(), 2000 + WITHIN);
    assert_int_equal(woken, 1);
    watch_heartbeat(RTOS, 3000);
    assert_int_equal(watch_deadline(), 3000 + WITHIN);
    assert_int_equal(woken, 1); /* the service comes too early, and sees that */
    watch_step(2000 + WITHIN);
    assert_int_equal(watch_of(RTOS)->hangs, 0);
}

static void test_policies(void **state)
{
    static const char *const said[] = {
        [COTENANT_WATCH_LOG] = "rtos: hangs: no heartbeat for 50001 us\n",
        [COTENANT_WATCH_RESTART] = "rtos: hangs: no heartbeat for 50001 us; restarted\n",
        [COTENANT_WATCH_STOP] = "rtos: hangs: no heartbeat for 50001 us; stopped\n",
    };

    for (uint32_t policy = COTENANT_WATCH_LOG; policy <= COTENANT_WATCH_STOP; policy++) {
        set_up(state);
        begin(policy, 0, 1000);
        watch_heartbeat(RTOS, 2000);
        watch_step(2010 + WITHIN);
        assert_int_equal(watch_of(RTOS)->hangs, 1);
        assert_int_equal(traced, 1);
        assert_non_null(strstr(log_text(), said[policy]));
        assert_int_equal(restarted, policy == COTENANT_WATCH_RESTART);
        assert_int_equal(stopped, policy == COTENANT_WATCH_STOP);
        watch_step(3000 + 9 * WITHIN); /* told once */
        assert_int_equal(watch_of(RTOS)->hangs, 1);
        assert_true(watch_deadline() == TIME_NEVER);
    }
}

/* What the policy says is done at once; each step then puts a part. */
static void test_an_interrupt_waits(void **state)
{
    unsigned steps = 0;

    (void)state;
    begin(COTENANT_WATCH_RESTART, 0, 1000);
    watch_heartbeat(RTOS, 2000);
    csr_file_write("mip", INTERRUPT_MTI);
    do {
        watch_step(2010 + WITHIN);
        assert_int_equal(restarted, 1);
        steps++;
    } while (strstr(log_text(), "us; restarted\n") == NULL);
    csr_file_write("mip", 0);
    assert_int_equal(steps, 1 + 3 + 3);
    assert_int_equal(watch_of(RTOS)->hangs, 1);
}

static void test_a_hang_that_is_logged_ends_with_a_heartbeat(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_LOG, 0, 1000);
    watch_heartbeat(RTOS, 2000);
    watch_step(2000 + WITHIN);
    watch_heartbeat(RTOS, 4000 + WITHIN);
    assert_int_equal(woken, 2);
    watch_step(4000 + 2 * WITHIN);
    assert_int_equal(watch_of(RTOS)->hangs, 2);
}

static void test_boot_takes_longer(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_STOP, 200000, 1000);
    assert_int_equal(woken, 1);
    assert_int_equal(watch_deadline(), 1000 + BOOT);
    watch_pause(RTOS); /* a driver that turns its watchdog off before it uses it */
    assert_int_equal(watch_deadline(), 1000 + BOOT);
    watch_heartbeat(RTOS, 5000);
    assert_int_equal(watch_deadline(), 5000 + WITHIN);
    watch_begin(RTOS, 7000);
    assert_int_equal(watch_deadline(), 7000 + BOOT);
    watch_step(7000 + BOOT);
    assert_int_equal(stopped, 1);
}

static void test_pause(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_RESTART, 0, 1000);
    watch_heartbeat(RTOS, 2000);
    watch_pause(RTOS);
    assert_true(watch_deadline() == TIME_NEVER);
    watch_heartbeat(RTOS, 90 * WITHIN);
    assert_int_equal(watch_deadline(), 91 * WITHIN);
}

/* Nothing is expected of one that has suspended before its next heartbeat. */
static void test_a_suspend_is_a_pause(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_RESTART, 0, 1000);
    watch_heartbeat(RTOS, 2000);
    RTOS->suspends++;
    watch_step(2000 + WITHIN);
    assert_int_equal(watch_of(RTOS)->hangs, 0);
    assert_true(watch_deadline() == TIME_NEVER);
    watch_heartbeat(RTOS, 90 * WITHIN);
    assert_int_equal(watch_deadline(), 91 * WITHIN);
    RTOS->suspends++;
    assert_true(watch_change(RTOS, COTENANT_WATCH_LOG, 0, 90 * WITHIN));
    assert_true(watch_deadline() == TIME_NEVER);
    watch_heartbeat(RTOS, 92 * WITHIN);
    watch_step(93 * WITHIN);
    assert_int_equal(watch_of(RTOS)->hangs, 1);
}

/* A driver that suspends before it gives any: what the boot may take is still expected. */
static void test_a_suspend_is_no_boot(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_STOP, 200000, 1000);
    RTOS->suspends++;
    watch_step(1000 + BOOT);
    assert_int_equal(stopped, 1);
}

static void test_only_what_runs_is_watched(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_RESTART, 0, 1000);
    RTOS->state = TENANT_STOPPING; /* another of its harts has not heard of it yet */
    watch_heartbeat(RTOS, 2000);
    assert_true(watch_deadline() == TIME_NEVER);
}

static void test_what_stops_already_does_not_hang(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_RESTART, 0, 1000);
    watch_heartbeat(RTOS, 2000);
    RTOS->state = TENANT_STOPPING;
    watch_step(2000 + WITHIN);
    assert_int_equal(watch_of(RTOS)->hangs, 0);
    assert_int_equal(restarted, 0);
    assert_true(watch_deadline() == TIME_NEVER);
}

static void test_one_tenant_a_step(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_LOG, 0, 1000);
    made.tenants[2].watch_policy = COTENANT_WATCH_STOP;
    made.tenants[2].watch_within_us = 1000;
    watch_init(OTHER);
    watch_begin(OTHER, 1000);
    watch_heartbeat(RTOS, 2000);
    watch_heartbeat(OTHER, 2000 + WITHIN);
    assert_int_equal(woken, 2);
    assert_int_equal(watch_deadline(), 2000 + WITHIN);
    watch_heartbeat(OTHER, 3000);
    assert_int_equal(watch_deadline(), 13000);
    watch_step(9 * WITHIN);
    assert_int_equal(watch_of(RTOS)->hangs, 1);
    assert_int_equal(watch_of(OTHER)->hangs, 0);
    watch_step(9 * WITHIN);
    assert_int_equal(watch_of(OTHER)->hangs, 1);
}

static void test_commands_change_it(void **state)
{
    (void)state;
    assert_false(watch_change(RTOS, COTENANT_WATCH_LOG, 0, 1000));
    assert_true(watch_change(RTOS, COTENANT_WATCH_LOG, 50000, 1000));
    assert_true(watch_deadline() == TIME_NEVER); /* it never said that it is alive */
    watch_heartbeat(RTOS, 2000);
    assert_int_equal(watch_deadline(), 2000 + WITHIN);
    assert_true(watch_change(RTOS, COTENANT_WATCH_OFF, 0, 3000));
    assert_true(watch_deadline() == TIME_NEVER);
    watch_heartbeat(RTOS, 4000);
    assert_true(watch_deadline() == TIME_NEVER);
    assert_true(watch_change(RTOS, COTENANT_WATCH_RESTART, 0, 5000));
    assert_int_equal(watch_deadline(), 5000 + WITHIN);
    assert_true(watch_change(RTOS, COTENANT_WATCH_RESTART, 100000, 6000));
    assert_int_equal(watch_deadline(), 6000 + 2 * WITHIN);
}

static void test_a_command_turns_the_time_for_the_boot_off(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_STOP, 200000, 1000);
    assert_true(watch_change(RTOS, COTENANT_WATCH_OFF, 0, 2000));
    assert_true(watch_deadline() == TIME_NEVER);
}

/* What Linux' driver does: it turns the watchdog off, sets it up, reloads it. */
static void test_watchdog(void **state)
{
    (void)state;
    begin(COTENANT_WATCH_RESTART, 0, 1000);
    watchdog_write(RTOS, WATCHDOG_MODE, 0, 1000);
    watchdog_write(RTOS, WATCHDOG_CONTROL, WATCHDOG_RELOAD, 1500);
    assert_true(watch_deadline() == TIME_NEVER); /* it is off */
    watchdog_write(RTOS, WATCHDOG_CONFIG, UINT32_MAX, 1600);
    assert_int_equal(watchdog_read(RTOS, WATCHDOG_CONFIG), 3);
    watchdog_write(RTOS, WATCHDOG_MODE, UINT32_MAX, 2000);
    assert_int_equal(watchdog_read(RTOS, WATCHDOG_MODE), 0xf1);
    assert_int_equal(watch_deadline(), 2000 + WITHIN);
    watchdog_write(RTOS, WATCHDOG_CONTROL, WATCHDOG_RELOAD - 1, 3000); /* without the bit */
    watchdog_write(RTOS, WATCHDOG_CONTROL, 1, 3000);                   /* without the key */
    watchdog_write(RTOS, 0, WATCHDOG_RELOAD, 3000);                    /* no register */
    assert_int_equal(watch_deadline(), 2000 + WITHIN);
    watchdog_write(RTOS, WATCHDOG_CONTROL, WATCHDOG_RELOAD, 4000);
    assert_int_equal(watch_deadline(), 4000 + WITHIN);
    assert_int_equal(watchdog_read(RTOS, WATCHDOG_CONTROL), 0);
    watchdog_write(RTOS, WATCHDOG_MODE, 0, 5000);
    assert_true(watch_deadline() == TIME_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing_is_expected_before_the_first_heartbeat, set_up),
        cmocka_unit_test_setup(test_each_heartbeat_moves_the_deadline, set_up),
        cmocka_unit_test(test_policies),
        cmocka_unit_test_setup(test_an_interrupt_waits, set_up),
        cmocka_unit_test_setup(test_a_hang_that_is_logged_ends_with_a_heartbeat, set_up),
        cmocka_unit_test_setup(test_boot_takes_longer, set_up),
        cmocka_unit_test_setup(test_pause, set_up),
        cmocka_unit_test_setup(test_a_suspend_is_a_pause, set_up),
        cmocka_unit_test_setup(test_a_suspend_is_no_boot, set_up),
        cmocka_unit_test_setup(test_only_what_runs_is_watched, set_up),
        cmocka_unit_test_setup(test_what_stops_already_does_not_hang, set_up),
        cmocka_unit_test_setup(test_one_tenant_a_step, set_up),
        cmocka_unit_test_setup(test_commands_change_it, set_up),
        cmocka_unit_test_setup(test_a_command_turns_the_time_for_the_boot_off, set_up),
        cmocka_unit_test_setup(test_watchdog, set_up),
    };

    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
