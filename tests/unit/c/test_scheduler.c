/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler's promises, one by one. test_scheduler_model.c tries them all at random. */
#include <string.h>

#include "cmocka_tests.h"
#include "core/scheduler.h"

static struct scheduler scheduler;
static struct schedulable low;
static struct schedulable a;
static struct schedulable b;
static struct schedulable high;

static void make(struct schedulable *entity, uint32_t priority)
{
    *entity = (struct schedulable){.priority = priority, .slice = 10};
}

static int set_up(void **state)
{
    (void)state;
    scheduler_init(&scheduler, 0);
    make(&low, 1);
    make(&a, 5);
    make(&b, 5);
    make(&high, 9);
    return 0;
}

static void limit(struct schedulable *entity, uint64_t budget, uint64_t period)
{
    entity->budget = budget;
    entity->period = period;
}

static void assert_runs(struct schedulable *expected, uint64_t now)
{
    assert_ptr_equal(schedule_next(&scheduler, now), expected);
    assert_ptr_equal(scheduler.running, expected);
}

static void assert_deadline(uint64_t expected, uint64_t now)
{
    assert_int_equal(schedule_deadline(&scheduler, now), expected);
}

static void test_nobody(void **state)
{
    (void)state;
    assert_runs(NULL, 0);
    assert_deadline(TIME_NEVER, 0);
}

static void test_higher_priority_preempts(void **state)
{
    (void)state;
    schedule_start(&scheduler, &low, 0);
    assert_runs(&low, 0);
    assert_deadline(TIME_NEVER, 0);
    schedule_start(&scheduler, &high, 3);
    assert_runs(&high, 3);
    schedule_start(&scheduler, &a, 4);
    assert_runs(&high, 4);
    schedule_wait(&scheduler, &high, 10);
    assert_runs(&a, 5);
    assert_deadline(10, 5);
    assert_runs(&high, 10);
    assert_int_equal(low.run_time, 3);
    assert_int_equal(a.run_time, 5);
    assert_int_equal(high.run_time, 2);
    assert_int_equal(high.switches, 2);
    assert_int_equal(low.switches, 1);
}

static void test_equal_priorities_take_turns(void **state)
{
    (void)state;
    schedule_start(&scheduler, &a, 0);
    schedule_start(&scheduler, &b, 0);
    for (uint64_t now = 0; now < 1000; now += 20) {
        assert_runs(&a, now);
        assert_deadline(now + 10, now);
        assert_runs(&a, now + 9);
        assert_deadline(now + 10, now + 9);
        assert_runs(&b, now + 10);
        assert_deadline(now + 20, now + 10);
    }
    assert_runs(&a, 1000);
    assert_int_equal(a.run_time, 500);
    assert_int_equal(b.run_time, 500);
}

static void test_slice_goes_on_after_preemption(void **state)
{
    (void)state;
    schedule_start(&scheduler, &a, 0);
    schedule_start(&scheduler, &b, 0);
    assert_runs(&a, 0);
    schedule_start(&scheduler, &high, 4);
    assert_runs(&high, 4);
    schedule_wait(&scheduler, &high, TIME_NEVER);
    assert_runs(&a, 50);
    assert_deadline(56, 50);
    assert_runs(&b, 56);
}

static void test_slice_begins_when_somebody_else_is_ready(void **state)
{
    (void)state;
    schedule_start(&scheduler, &a, 0);
    schedule_start(&scheduler, &b, 0);
    schedule_wait(&scheduler, &b, 105);
    assert_runs(&a, 0);
    assert_deadline(105, 0);
    /* By its time. */
    assert_runs(&a, 105);
    assert_deadline(115, 105);
    assert_runs(&b, 115);
    /* By an interrupt. */
    schedule_wait(&scheduler, &b, TIME_NEVER);
    assert_runs(&a, 120);
    schedule_wake(&scheduler, &b, 207);
    assert_runs(&a, 207);
    assert_deadline(217, 207);
    assert_runs(&b, 217);
    /* By a start. */
    schedule_stop(&scheduler, &a);
    assert_runs(&b, 220);
    schedule_start(&scheduler, &a, 309);
    assert_runs(&b, 309);
    assert_deadline(319, 309);
}

static void test_budget_holds_back(void **state)
{
    (void)state;
    limit(&high, 30, 100);
    schedule_start(&scheduler, &low, 0);
    schedule_start(&scheduler, &high, 0);
    for (uint64_t now = 0; now < 1000; now += 100) {
        assert_runs(&high, now);
        assert_deadline(now + 30, now);
        assert_runs(&low, now + 30);
        assert_int_equal(high.state, SCHEDULABLE_THROTTLED);
        assert_deadline(now + 100, now + 30);
    }
    assert_int_equal(high.run_time, 300);
    assert_int_equal(low.run_time, 630); /* charged up to 930 */
}

static void test_budget_alone_on_the_hart(void **state)
{
    (void)state;
    limit(&a, 30, 100);
    schedule_start(&scheduler, &a, 0);
    assert_runs(&a, 0);
    assert_runs(NULL, 30);
    assert_deadline(100, 30);
    assert_runs(&a, 100);
}

static void test_wake_does_not_end_a_throttle(void **state)
{
    (void)state;
    limit(&high, 30, 100);
    schedule_start(&scheduler, &low, 0);
    schedule_start(&scheduler, &high, 0);
    assert_runs(&high, 0);
    assert_runs(&low, 30);
    schedule_wake(&scheduler, &high, 40);
    schedule_wait(&scheduler, &high, 41);
    assert_runs(&low, 41);
    assert_runs(&low, 99);
    assert_runs(&high, 100);
}

static void test_wait_does_not_refill_a_budget(void **state)
{
    (void)state;
    limit(&high, 30, 100);
    schedule_start(&scheduler, &low, 0);
    schedule_start(&scheduler, &high, 0);
    assert_runs(&high, 0);
    schedule_wait(&scheduler, &high, 50);
    assert_runs(&low, 20);
    assert_runs(&high, 50);
    assert_deadline(60, 50);
    assert_runs(&low, 60);
    assert_runs(&high, 100);
    assert_deadline(130, 100);
}

/* A tenant that reboots all the time must not get a budget each time. */
static void test_restart_does_not_refill_a_budget(void **state)
{
    (void)state;
    limit(&high, 30, 100);
    schedule_start(&scheduler, &low, 0);
    schedule_start(&scheduler, &high, 0);
    assert_runs(&high, 0);
    schedule_stop(&scheduler, &high);
    schedule_start(&scheduler, &high, 25);
    assert_runs(&high, 25);
    assert_deadline(30, 25);
    assert_runs(&low, 30);
    schedule_stop(&scheduler, &high);
    schedule_start(&scheduler, &high, 40);
    assert_runs(&low, 40);
    assert_runs(&high, 100);
}

static void test_period_that_passes_while_running(void **state)
{
    (void)state;
    limit(&a, 30, 100);
    schedule_start(&scheduler, &a, 0);
    assert_runs(&a, 0);
    schedule_wait(&scheduler, &a, 95);
    assert_runs(NULL, 10);
    assert_runs(&a, 95);
    assert_deadline(115, 95); /* 20 are left */
    assert_runs(&a, 115);     /* a new period begins with the call that notices */
    assert_deadline(145, 115);
    assert_runs(NULL, 145);
    assert_deadline(215, 145);
}

/* Whoever comes to the head because the slice of another is over may have no budget left. */
static void test_turn_goes_to_nobody_without_budget(void **state)
{
    (void)state;
    limit(&b, 3, 100);
    schedule_start(&scheduler, &b, 0);
    schedule_start(&scheduler, &a, 0);
    assert_runs(&b, 0);
    schedule_wait(&scheduler, &b, 5);
    assert_runs(&a, 3); /* used up as it began to wait */
    assert_runs(&a, 5);
    assert_deadline(15, 5);
    assert_runs(&a, 15);
    assert_int_equal(b.state, SCHEDULABLE_THROTTLED);
    assert_int_equal(b.switches, 1);
}

static void test_throttle_ends_a_slice(void **state)
{
    (void)state;
    limit(&a, 13, 50);
    schedule_start(&scheduler, &a, 0);
    schedule_start(&scheduler, &b, 0);
    assert_runs(&a, 0);
    assert_runs(&b, 10);
    assert_runs(&a, 20);
    assert_runs(&b, 23); /* throttled after 3 of its slice */
    assert_deadline(50, 23);
    assert_runs(&b, 50);
    assert_deadline(60, 50);
    assert_runs(&a, 60);
    assert_deadline(70, 60); /* a whole slice again */
}

static void test_the_longest_lateness_since_the_start(void **state)
{
    (void)state;
    schedule_start(&scheduler, &high, 0);
    schedule_start(&scheduler, &low, 0);
    assert_runs(&high, 0);
    schedule_wait(&scheduler, &high, 10);
    assert_runs(&low, 1);
    assert_runs(&high, 17);
    assert_int_equal(high.lateness, 7);
    schedule_wait(&scheduler, &high, 30);
    assert_runs(&high, 31);
    assert_int_equal(high.lateness, 7);
    schedule_wait(&scheduler, &high, TIME_NEVER);
    schedule_wake(&scheduler, &high, 90); /* nothing was due */
    assert_runs(&high, 90);
    assert_int_equal(high.lateness, 7);
    schedule_stop(&scheduler, &high);
    schedule_start(&scheduler, &high, 100);
    assert_int_equal(high.lateness, 0);
}

static void test_stop_in_every_state(void **state)
{
    (void)state;
    limit(&high, 30, 100);
    schedule_start(&scheduler, &low, 0);
    schedule_start(&scheduler, &a, 0);
    schedule_start(&scheduler, &b, 0);
    schedule_start(&scheduler, &high, 0);
    assert_runs(&high, 0);
    assert_runs(&a, 30);
    schedule_stop(&scheduler, &high); /* throttled */
    schedule_wait(&scheduler, &a, 35);
    assert_runs(&b, 31);
    schedule_stop(&scheduler, &a);   /* waiting */
    schedule_stop(&scheduler, &a);   /* off already */
    schedule_stop(&scheduler, &low); /* ready */
    assert_runs(&b, 32);
    assert_deadline(TIME_NEVER, 32);
    schedule_stop(&scheduler, &b); /* running */
    assert_runs(NULL, 40);
    assert_null(scheduler.ready);
    assert_null(scheduler.waiting);
    assert_int_equal(b.run_time, 9);
    assert_runs(NULL, 1000);
}

static void test_waits_of_the_past_and_of_eternity(void **state)
{
    (void)state;
    schedule_start(&scheduler, &high, 0);
    schedule_start(&scheduler, &low, 0);
    assert_runs(&high, 0);
    schedule_wait(&scheduler, &high, 3);
    assert_runs(&high, 20); /* due before it began */
    schedule_wait(&scheduler, &high, TIME_NEVER);
    assert_runs(&low, 21);
    assert_deadline(TIME_NEVER, 21);
    assert_runs(&low, TIME_NEVER - 1);
    schedule_wake(&scheduler, &high, TIME_NEVER - 1);
    assert_runs(&high, TIME_NEVER - 1);
}

static void test_lower_priorities_need_no_interrupt(void **state)
{
    (void)state;
    schedule_start(&scheduler, &low, 0);
    schedule_start(&scheduler, &a, 0);
    schedule_start(&scheduler, &b, 0);
    schedule_start(&scheduler, &high, 0);
    schedule_wait(&scheduler, &low, 10);
    schedule_wait(&scheduler, &a, 20);
    schedule_wait(&scheduler, &high, 90);
    assert_runs(&b, 0);
    assert_deadline(20, 0); /* an equal one is due: turns begin */
    schedule_wait(&scheduler, &a, 20);
    assert_runs(&b, 15);
    assert_runs(&b, 20);
    assert_deadline(30, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nobody, set_up),
        cmocka_unit_test_setup(test_higher_priority_preempts, set_up),
        cmocka_unit_test_setup(test_equal_priorities_take_turns, set_up),
        cmocka_unit_test_setup(test_slice_goes_on_after_preemption, set_up),
        cmocka_unit_test_setup(test_slice_begins_when_somebody_else_is_ready, set_up),
        cmocka_unit_test_setup(test_budget_holds_back, set_up),
        cmocka_unit_test_setup(test_budget_alone_on_the_hart, set_up),
        cmocka_unit_test_setup(test_wake_does_not_end_a_throttle, set_up),
        cmocka_unit_test_setup(test_wait_does_not_refill_a_budget, set_up),
        cmocka_unit_test_setup(test_restart_does_not_refill_a_budget, set_up),
        cmocka_unit_test_setup(test_period_that_passes_while_running, set_up),
        cmocka_unit_test_setup(test_turn_goes_to_nobody_without_budget, set_up),
        cmocka_unit_test_setup(test_throttle_ends_a_slice, set_up),
        cmocka_unit_test_setup(test_the_longest_lateness_since_the_start, set_up),
        cmocka_unit_test_setup(test_stop_in_every_state, set_up),
        cmocka_unit_test_setup(test_waits_of_the_past_and_of_eternity, set_up),
        cmocka_unit_test_setup(test_lower_priorities_need_no_interrupt, set_up),
    };

    return cmocka_run_group_tests_name("scheduler", tests, NULL, NULL);
}
