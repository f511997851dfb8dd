/* SPDX-License-Identifier: BSD-2-Clause */
/* core/work.c: works take turns, a step each, and the moment of the next step. */
#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/messages.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "core/work.h"

#define WORKS 3
#define STEP 500 /* ticks: WORK_STEP_US */
#define NOW 10000

static struct bundle made;
static struct hart hart;
static unsigned results[WORKS];
static uint64_t deadlines[WORKS];
static char asked[16]; /* the works in the order in which their steps were called */
static unsigned calls;

/* By the order in which they are asked, which is the linker's. */
static unsigned note(unsigned (*step)(uint64_t now))
{
    unsigned index = 0;

    while (__start_works[index].step != step) {
        index++;
    }
    asked[calls++] = (char)('a' + index);
    return results[index];
}

static unsigned step_a(uint64_t now)
{
    assert_int_equal(now, NOW);
    return note(step_a);
}

static unsigned step_b(uint64_t now)
{
    (void)now;
    return note(step_b);
}

static unsigned step_c(uint64_t now)
{
    (void)now;
    return note(step_c);
}

static uint64_t deadline_b(void)
{
    return deadlines[1];
}

static uint64_t deadline_c(void)
{
    return deadlines[2];
}

WORK(a, NULL, step_a);
WORK(b, deadline_b, step_b);
WORK(c, deadline_c, step_c);

static bool lock_is_wanted;

bool shared_lock_has_waiting(void)
{
    return lock_is_wanted;
}

bool wanted_by_mail(const struct hart *of)
{
    (void)of;
    return true;
}

void messages_send_work(struct hart *of)
{
    assert_ptr_equal(of, &hart);
}

/* Returns which works were asked in the step. */
static const char *step(void)
{
    calls = 0;
    work_step(NOW);
    asked[calls] = '\0';
    return asked;
}

static int begin(void **state)
{
    (void)state;
    made.board.timebase_hz = 10000000;
    bundle = &made;
    csr_file_write("tp", (uint64_t)&hart);
    csr_file_write("mip", 0);
    work_init(&hart);
    for (unsigned i = 0; i < WORKS; i++) {
        results[i] = WORK_NOTHING;
        deadlines[i] = TIME_NEVER;
    }
    results[2] = WORK_DONE; /* the next turn is the first one's */
    do {
        (void)step();
    } while (asked[calls - 1] != 'c');
    results[2] = WORK_NOTHING;
    return 0;
}

static void test_nothing_to_do_rests_until_the_earliest_deadline(void **state)
{
    (void)state;
    assert_string_equal(step(), "abc");
    assert_true(hart.work_due == WORK_NEVER);
    deadlines[1] = NOW + 80;
    deadlines[2] = NOW + 70;
    assert_string_equal(step(), "abc");
    assert_int_equal(hart.work_due, NOW + 70);
    deadlines[1] = 3; /* it did nothing about that all the same: no step without a pause */
    assert_string_equal(step(), "abc");
    assert_int_equal(hart.work_due, NOW + STEP);
}

static void test_works_take_turns(void **state)
{
    (void)state;
    results[0] = results[1] = WORK_DONE;
    assert_string_equal(step(), "a");
    assert_int_equal(hart.work_due, NOW + STEP);
    assert_string_equal(step(), "b");
    assert_string_equal(step(), "ca");
    assert_string_equal(step(), "b");
}

static void test_a_line_is_not_interrupted(void **state)
{
    (void)state;
    results[0] = WORK_DONE | WORK_SAME;
    results[1] = WORK_DONE;
    assert_string_equal(step(), "a");
    assert_string_equal(step(), "a");
    assert_int_equal(hart.work_due, NOW + STEP);
    results[0] = WORK_DONE;
    assert_string_equal(step(), "a");
    assert_string_equal(step(), "b");
}

static void test_what_waits_for_nothing_needs_no_pause(void **state)
{
    (void)state;
    results[0] = WORK_DONE | WORK_AT_ONCE;
    results[1] = WORK_DONE;
    assert_string_equal(step(), "a");
    assert_int_equal(hart.work_due, NOW);
    assert_string_equal(step(), "b");
    assert_int_equal(hart.work_due, NOW); /* the first one still waits for nothing */
    results[0] = WORK_DONE;
    assert_string_equal(step(), "ca");
    assert_int_equal(hart.work_due, NOW + STEP);
}

/* Other harts may cut each of its steps short: in a row these would take more than one takes now.
 */
static void test_what_other_harts_cut_short_makes_a_pause(void **state)
{
    (void)state;
    lock_is_wanted = true;
    results[0] = WORK_DONE | WORK_AT_ONCE;
    assert_string_equal(step(), "a");
    assert_int_equal(hart.work_due, NOW + STEP);
    assert_string_equal(step(), "bca");
    lock_is_wanted = false;
    assert_string_equal(step(), "bca");
    assert_int_equal(hart.work_due, NOW);
}

/* A tenant can see to it that the hart is wanted in each step. */
static void test_a_step_that_is_cut_short_asks_one_at_least(void **state)
{
    (void)state;
    csr_file_write("mip", 1ul << 7);
    results[2] = WORK_DONE;
    assert_string_equal(step(), "a");
    assert_int_equal(hart.work_due, NOW + STEP);
    assert_string_equal(step(), "b");
    assert_string_equal(step(), "c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing_to_do_rests_until_the_earliest_deadline, begin),
        cmocka_unit_test_setup(test_works_take_turns, begin),
        cmocka_unit_test_setup(test_a_line_is_not_interrupted, begin),
        cmocka_unit_test_setup(test_what_waits_for_nothing_needs_no_pause, begin),
        cmocka_unit_test_setup(test_what_other_harts_cut_short_makes_a_pause, begin),
        cmocka_unit_test_setup(test_a_step_that_is_cut_short_asks_one_at_least, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
