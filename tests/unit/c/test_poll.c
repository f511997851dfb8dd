/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the machine interrupts that are pending together are acted on, and what work leaves. */
#include "arch/csr.h"
#include "arch/timer.h"
#include "cmocka_tests.h"
#include "core/attended.h"
#include "core/clock.h"
#include "core/console.h"
#include "core/messages.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/work.h"
#include "entry/fast_switch.h"
#include "entry/trap.h"
#include "irq/board.h"

#define TRAPS 1000
#define WORK_PAUSE 10 /* ticks */

static uint64_t mtime;
static uint64_t mtimecmp;
static volatile uint32_t msip;
static struct hart hart;
static struct vhart vhart;
static unsigned claims;
static unsigned work_steps;
static uint64_t work_takes; /* ticks */
static bool lock_is_taken;

/* In the place of the parts around it. */
static struct bundle made = {.board.timebase_hz = 10000000};
const struct bundle *bundle = &made;
static struct tenant tenant;
static unsigned messages;
static unsigned load_steps;
const struct foreground_policy *foreground_policy;

void attended_leave(struct hart *on)
{
    (void)on;
}

void fp_claim(struct vhart *of)
{
    (void)of;
}

void console_failure(const char *what, uint64_t cause, uint64_t pc, uint64_t value)
{
    (void)what;
    (void)cause;
    (void)pc;
    (void)value;
}

/* It takes that long, and is then due soon after it began. */
void work_step(uint64_t now)
{
    assert_true(++work_steps < TRAPS); /* it never ends */
    mtime += work_takes;
    hart.work_due = now + WORK_PAUSE;
}

void tenant_load_step(struct tenant *of)
{
    assert_ptr_equal(of, &tenant);
    load_steps++;
    vhart.loading = false;
    hart.mail = 0;
}

bool wanted_by_mail(const struct hart *on)
{
    (void)on;
    return false; /* it is for the running vhart */
}

bool shared_lock_take(struct hart *on, bool give_up)
{
    (void)on;
    (void)give_up;
    mtime += lock_is_taken ? work_takes : 0;
    return !lock_is_taken;
}

void shared_lock_pass_on(struct hart *on)
{
    (void)on;
}

world_change fast_preempt(struct hart *on)
{
    (void)on;
    return NO_CHANGE;
}

world_change fast_wake(struct hart *on, uint64_t now)
{
    (void)on;
    (void)now;
    return NO_CHANGE;
}

/* Meanwhile the deadline that the running vhart has set for itself comes, and another hart of its
 * tenant sends it the next IPI. */
void requests_take(struct hart *on)
{
    assert_ptr_equal(on, &hart);
    if (hart.mail != 0) {
        assert_true(++messages < TRAPS); /* it never ends */
        return;                          /* there is mail again when it is looked for next */
    }
    mtime = vhart.world.deadline;
    csr_file_write("mip", csr_file_read("mip") | INTERRUPT_MTI | INTERRUPT_MSI);
}

void board_external_interrupt(struct hart *on)
{
    assert_ptr_equal(on, &hart);
    claims++;
    csr_file_write("mip", csr_file_read("mip") & ~(uint64_t)INTERRUPT_MEI);
}

/* The device is another tenant's; the trap leads back to the vhart, and at once to the next trap.
 */
static void test_own_deadline_does_not_hold_up_a_device(void **state)
{
    (void)state;
    csr_file_write("tp", (uint64_t)&hart);
    hart.mtime = &mtime;
    hart.mtimecmp = &mtimecmp;
    hart.msip = &msip;
    hart.loaded = &vhart;
    hart.event_deadline = TIME_NEVER;
    vhart.world.hart = &hart;
    vhart.world.deadline = 1000;
    csr_file_write("mip", INTERRUPT_MEI | INTERRUPT_MSI);
    for (unsigned i = 0; i < TRAPS && claims == 0; i++) {
        hart_poll_interrupts(&hart);
        assert_false(hart.reschedule);
    }
    assert_int_equal(claims, 1);
}

/* Another vhart is due: it goes first, and the device interrupts again. */
static void test_who_is_due_goes_first(void **state)
{
    (void)state;
    claims = 0;
    hart.event_deadline = 1000;
    csr_file_write("mip", INTERRUPT_MEI | INTERRUPT_MSI);
    hart_poll_interrupts(&hart);
    assert_int_equal(claims, 0);
}

/* The hart, which runs nothing yet, has one vhart. */
static int set_up_one_that_waits(void **state)
{
    (void)state;
    csr_file_write("tp", (uint64_t)&hart);
    csr_file_write("mip", 0);
    mtime = 0;
    work_steps = 0;
    lock_is_taken = false;
    hart.mtime = &mtime;
    hart.mtimecmp = &mtimecmp;
    hart.msip = &msip;
    hart.work_due = WORK_NEVER;
    hart.plic_threshold = &hart.no_plic_threshold;
    hart.reschedule = true;
    hart.loaded = NULL;
    hart.mail = 0;
    vhart = (struct vhart){.tenant = &tenant, .schedulable.priority = 5};
    vhart.world.hart = &hart;
    vhart.world.deadline = TIME_NEVER;
    scheduler_init(&hart.scheduler, mtime);
    schedule_start(&hart.scheduler, &vhart.schedulable, mtime);
    return 0;
}

/*
 * A tenant of which a lower vhart shares the hart sends that mail from other harts all the time:
 * it interrupts nobody, but is there whenever it is looked for.
 */
static void test_mail_for_lower_ones_does_not_hold_up_the_loader(void **state)
{
    (void)state;
    hart.mail = 2;
    vhart.loading = true;
    tenant.loader.phase = LOADER_WIPE;
    (void)hart_schedule(&hart);
    assert_int_equal(load_steps, 1);
}

/* Work is due, and it or its wait for the lock takes so many ticks. */
static void schedule_with_work(uint64_t takes)
{
    tenant.loader.phase = LOADER_IDLE;
    hart.work_due = 0;
    work_takes = takes;
    (void)hart_schedule(&hart);
}

/* A tenant on other harts can see to it that each step waits for the lock, whatever is done. */
static void test_work_leaves_as_much_time_as_it_takes(void **state)
{
    (void)state;
    schedule_with_work(ticks_from_us(7 * WORK_STEP_US));
    assert_int_equal(work_steps, 1);
    assert_int_equal(mtimecmp, 2 * work_takes);
}

static void test_work_that_did_not_get_the_lock_leaves_as_much_time(void **state)
{
    (void)state;
    lock_is_taken = true;
    schedule_with_work(ticks_from_us(7 * WORK_STEP_US));
    assert_int_equal(work_steps, 0);
    assert_int_equal(mtimecmp, 2 * work_takes);
}

static void test_work_of_short_steps_says_when_it_is_due(void **state)
{
    (void)state;
    schedule_with_work(WORK_PAUSE / 2);
    assert_int_equal(work_steps, 1);
    assert_int_equal(mtimecmp, WORK_PAUSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_deadline_does_not_hold_up_a_device),
        cmocka_unit_test(test_who_is_due_goes_first),
        cmocka_unit_test_setup(test_mail_for_lower_ones_does_not_hold_up_the_loader,
                               set_up_one_that_waits),
        cmocka_unit_test_setup(test_work_leaves_as_much_time_as_it_takes, set_up_one_that_waits),
        cmocka_unit_test_setup(test_work_that_did_not_get_the_lock_leaves_as_much_time,
                               set_up_one_that_waits),
        cmocka_unit_test_setup(test_work_of_short_steps_says_when_it_is_due, set_up_one_that_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
