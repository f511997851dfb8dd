/* SPDX-License-Identifier: BSD-2-Clause */
/* What calls a hart away from its work: timers, devices, and messages for a vhart above. */
#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/messages.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "message_storm.h"

#define LAST (COTENANT_MAX_VHARTS - 1)

static struct hart hart;

static int set_up(void **state)
{
    (void)state;
    message_storm_begin(&hart);
    vharts[0].schedulable.priority = 4;
    vharts[1].schedulable.priority = 5;
    vharts[LAST].schedulable.priority = 6;
    hart.scheduler.running = &vharts[1].schedulable;
    return 0;
}

static void test_interrupts(void **state)
{
    static const uint64_t interrupts[] = {INTERRUPT_MTI, INTERRUPT_MEI, INTERRUPT_MSI};

    (void)state;
    for (uint64_t set = 0; set < 8; set++) {
        uint64_t pending = 0;

        for (unsigned i = 0; i < 3; i++) {
            pending |= (set >> i & 1) != 0 ? interrupts[i] : 0;
        }
        csr_file_write("mip", pending | INTERRUPT_SSI | INTERRUPT_STI | INTERRUPT_SEI);
        assert_int_equal(hart_is_wanted(), (set & 3) != 0);
    }
}

static void test_messages(void **state)
{
    (void)state;
    hart.mail = 0; /* fences, of the running vhart's own tenant */
    assert_false(hart_is_wanted());
    hart.mail = MAIL_WORK;
    assert_false(hart_is_wanted());
    hart.mail = 1;
    assert_false(hart_is_wanted());
    hart.mail = 1 << 1;
    assert_false(hart_is_wanted());
    hart.mail = 1ul << LAST;
    assert_true(hart_is_wanted());
    hart.mail |= MAIL_WORK | 3;
    assert_true(hart_is_wanted());
    csr_file_write("mip", 0); /* not sent yet */
    assert_false(hart_is_wanted());
}

static void test_idle_hart_is_wanted_by_each_vhart(void **state)
{
    (void)state;
    hart.scheduler.running = NULL;
    hart.mail = 0;
    assert_false(hart_is_wanted());
    hart.mail = MAIL_WORK;
    assert_false(hart_is_wanted());
    hart.mail = 1;
    assert_true(hart_is_wanted());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_interrupts, set_up),
        cmocka_unit_test_setup(test_messages, set_up),
        cmocka_unit_test_setup(test_idle_hart_is_wanted_by_each_vhart, set_up),
    };

    return cmocka_run_group_tests_name("wanted", tests, NULL, NULL);
}
