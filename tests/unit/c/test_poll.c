/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the machine interrupts that are pending together are acted on. */
#include "arch/csr.h"
#include "arch/timer.h"
#include "cmocka_tests.h"
#include "core/attended.h"
#include "core/console.h"
#include "core/messages.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/work.h"
#include "entry/fast_switch.h"
#include "entry/trap.h"
#include "irq/board.h"

#define TRAPS 1000

static uint64_t mtime;
static uint64_t mtimecmp;
static volatile uint32_t msip;
static struct hart hart;
static struct vhart vhart;
static unsigned claims;

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

void work_put_off(uint64_t now)
{
    (void)now;
}

void work_step(uint64_t now)
{
    (void)now;
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
    return true;
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

/*
 * A tenant of which a lower vhart shares the hart sends that mail from other harts all the time:
 * it interrupts nobody, but is there whenever it is looked for.
 */
static void test_mail_for_lower_ones_does_not_hold_up_the_loader(void **state)
{
    (void)state;
    csr_file_write("tp", (uint64_t)&hart);
    csr_file_write("mip", 0);
    mtime = 0;
    hart.mtime = &mtime;
    hart.mtimecmp = &mtimecmp;
    hart.msip = &msip;
    hart.work_due = WORK_NEVER;
    hart.plic_threshold = &hart.no_plic_threshold;
    hart.reschedule = true;
    hart.loaded = NULL;
    hart.mail = 2;
    tenant.loader.phase = LOADER_WIPE;
    vhart = (struct vhart){.tenant = &tenant, .loading = true, .schedulable.priority = 5};
    vhart.world.hart = &hart;
    vhart.world.deadline = TIME_NEVER;
    scheduler_init(&hart.scheduler, mtime);
    schedule_start(&hart.scheduler, &vhart.schedulable, mtime);
    (void)hart_schedule(&hart);
    assert_int_equal(load_steps, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_deadline_does_not_hold_up_a_device),
        cmocka_unit_test(test_who_is_due_goes_first),
        cmocka_unit_test(test_mail_for_lower_ones_does_not_hold_up_the_loader),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
