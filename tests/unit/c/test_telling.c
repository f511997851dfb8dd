/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of commands: in steps, however many there are, and in their order. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/monitor_log.h"
#include "core/shared_lock.h"
#include "core/work.h"
#include "features/commands/telling.h"

static struct hart self;
static bool lock_is_wanted;

bool shared_lock_has_waiting(void)
{
    return lock_is_wanted;
}

bool wanted_by_mail(const struct hart *hart)
{
    (void)hart;
    return false;
}

static void fill(const char **parts, const char *text)
{
    parts[0] = text;
    parts[1] = "\n";
    parts[2] = NULL;
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

static void tell_all(void)
{
    while (__start_works[0].step(0) != WORK_NOTHING) {
    }
}

static int set_up(void **state)
{
    (void)state;
    monitor_log_init();
    csr_file_write("tp", (uint64_t)&self);
    lock_is_wanted = false;
    return 0;
}

/* Who has the hart meanwhile would wait for all of them. */
static void test_nothing_is_told_before_its_step(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        fill(tell_event(), "event");
        fill(tell_answer(), "answer");
    }
    assert_int_equal(monitor_log_draft_length(), 0);
    assert_string_equal(log_text(), "");
    tell_all();
    assert_string_equal(log_text(), "monitor: event\nanswer\nmonitor: event\nanswer\n"
                                    "monitor: event\nanswer\n");
}

/* A tenant with a control port can cause events as fast as it likes. */
static void test_events_leave_room_for_answers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        fill(tell_event(), "event");
    }
    for (unsigned i = 0; i < 8; i++) {
        fill(tell_answer(), "answer");
    }
    fill(tell_answer(), "lost");
    tell_all();
    assert_non_null(strstr(log_text(), "event\nanswer\nanswer\nanswer\nanswer\nanswer\nanswer\n"
                                       "answer\nanswer\n"));
    fill(tell_event(), "again");
    tell_all();
    assert_string_equal(log_text(), "monitor: again\n");
}

static void test_a_line_that_was_cut_off_begins_again(void **state)
{
    (void)state;
    fill(tell_answer(), "answer");
    *csr_file_place("mip") = INTERRUPT_MTI;
    assert_true((__start_works[0].step(0) & WORK_SAME) != 0);
    *csr_file_place("mip") = 0;
    monitor_log_begin();
    monitor_puts("another\n");
    tell_all();
    assert_string_equal(log_text(), "monitor: another\nanswer\n");
}

/* Hostile harts see to it that one always waits: each step tells a part, and the line stays whole.
 */
static void test_a_hart_that_waits_for_the_lock_waits_for_one_part(void **state)
{
    unsigned steps = 0;
    unsigned result;

    (void)state;
    lock_is_wanted = true;
    fill(tell_answer(), "answer");
    fill(tell_answer(), "other");
    do {
        result = __start_works[0].step(0);
        steps++;
        assert_int_equal((result & WORK_SAME) != 0, steps == 1 || steps == 3);
    } while (result != WORK_NOTHING);
    assert_int_equal(steps, 2 * 2 + 1);
    assert_string_equal(log_text(), "answer\nother\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing_is_told_before_its_step, set_up),
        cmocka_unit_test_setup(test_events_leave_room_for_answers, set_up),
        cmocka_unit_test_setup(test_a_line_that_was_cut_off_begins_again, set_up),
        cmocka_unit_test_setup(test_a_hart_that_waits_for_the_lock_waits_for_one_part, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
