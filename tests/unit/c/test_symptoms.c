/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant that only faults, or expects machine mode, is told of once in each life. */
#include <string.h>

#include "arch/csr.h"
#include "arch/instruction.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/shared_lock.h"
#include "core/work.h"
#include "features/symptoms/symptoms.h"

#define LOAD_ACCESS 5
#define CSRR_MHARTID 0xf14025f3

static const struct bundle_tenant description = {.name = "stray"};
static struct hart hart = {.features = HART_ALONE};
static struct vhart vhart;
static unsigned posts;

void work_post(void)
{
    posts++;
}

bool shared_lock_take(struct hart *taker, bool give_up)
{
    (void)taker;
    (void)give_up;
    return true;
}

void shared_lock_pass_on(struct hart *holder)
{
    (void)holder;
}

static int set_up(void **state)
{
    (void)state;
    while (symptoms_tell()) { /* of the test before */
    }
    monitor_log_init();
    memset(&tenants[0], 0, sizeof(tenants[0]));
    memset(&vhart, 0, sizeof(vhart));
    tenants[0].description = &description;
    tenants[0].vharts = &vhart;
    tenants[0].vhart_count = 1;
    vhart.tenant = &tenants[0];
    vhart.world.hart = &hart;
    vhart.state = VHART_STARTED;
    hart.loaded = &vhart;
    symptoms_begin(&tenants[0]);
    posts = 0;
    csr_file_write("tp", (uint64_t)&hart);
    return 0;
}

static bool only_faults(void)
{
    bool found = false;

    symptoms_only_faults(&tenants[0], &found);
    return found;
}

/* What the monitor does behind symptoms_fault(). */
static void fault(uint64_t pc, uint64_t cause)
{
    vhart.world.registers[REGISTER_PC] = pc;
    symptoms_fault(&vhart, cause);
    csr_file_write("sepc", pc);
    csr_file_write("scause", cause);
}

static void faults(uint64_t pc, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        fault(pc, LOAD_ACCESS);
    }
}

static void expect_log(const char *expected)
{
    char line[256];
    unsigned length = 0;

    for (int byte = monitor_log_next(); byte >= 0; byte = monitor_log_next()) {
        line[length++] = (char)byte;
    }
    line[length] = '\0';
    assert_string_equal(line, expected);
}

static void expect_line(const char *expected)
{
    assert_true(symptoms_tell());
    expect_log(expected);
}

static void test_the_same_fault_again_and_again(void **state)
{
    (void)state;
    faults(0x8020, SYMPTOMS_FAULTS);
    assert_int_equal(posts, 0); /* the first one is not a repetition */
    assert_false(symptoms_tell());
    fault(0x8020, LOAD_ACCESS);
    assert_int_equal(posts, 1);
    expect_line("monitor: tenant stray: only faults: cause=0x5 pc=0x8020 times=100000\n");
    assert_true(only_faults());
    faults(0x8020, 3 * SYMPTOMS_FAULTS);
    assert_false(symptoms_tell());
}

static void test_a_handler_that_goes_on(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3 * SYMPTOMS_FAULTS; i++) {
        fault(0x8020, LOAD_ACCESS);
        csr_file_write("sepc", 0x8024);
    }
    faults(0x8020, SYMPTOMS_FAULTS - 1);
    fault(0x8020, 7); /* another cause */
    faults(0x8020, SYMPTOMS_FAULTS);
    assert_int_equal(posts, 0);
    assert_false(only_faults());
}

static void test_a_new_life_is_told_of_anew(void **state)
{
    (void)state;
    faults(0x8020, SYMPTOMS_FAULTS + 1);
    expect_line("monitor: tenant stray: only faults: cause=0x5 pc=0x8020 times=100000\n");
    symptoms_begin(&tenants[0]);
    assert_false(only_faults());
    faults(0x9020, SYMPTOMS_FAULTS + 1);
    expect_line("monitor: tenant stray: only faults: cause=0x5 pc=0x9020 times=100000\n");
}

/* Delegated exceptions, which the monitor does not see. */
static void test_a_handler_that_cannot_begin(void **state)
{
    (void)state;
    csr_file_write("stvec", 0x4001);
    csr_file_write("scause", 12);
    csr_file_write("sepc", 0x4000);
    vhart.world.registers[REGISTER_PC] = 0x4004;
    assert_false(only_faults());
    vhart.world.registers[REGISTER_PC] = 0x4000;
    csr_file_write("scause", 1ul << 63 | 5);
    assert_false(only_faults());
    csr_file_write("scause", 12);
    assert_true(only_faults());
    expect_line("monitor: tenant stray: only faults: cause=0xc pc=0x4000\n");
    assert_true(only_faults());
    assert_false(symptoms_tell());
}

static void test_a_vhart_that_is_not_loaded(void **state)
{
    (void)state;
    hart.loaded = NULL;
    csr_file_write("stvec", 0x4000);
    vhart.world.stvec = 0x6000;
    vhart.world.sepc = 0x6000;
    vhart.world.scause = 2;
    vhart.world.registers[REGISTER_PC] = 0x6000;
    assert_true(only_faults());
    expect_line("monitor: tenant stray: only faults: cause=0x2 pc=0x6000\n");
}

static void test_machine_mode(void **state)
{
    (void)state;
    symptoms_illegal(&vhart, 0, 0x8000);
    symptoms_illegal(&vhart, 0x18001073, 0x8000); /* csrw satp */
    assert_int_equal(posts, 0);
    symptoms_illegal(&vhart, CSRR_MHARTID, 0x8000);
    symptoms_illegal(&vhart, 0x30529073, 0x8004);
    assert_int_equal(posts, 1);
    expect_line("monitor: tenant stray: expects machine mode: instruction=0xf14025f3 pc=0x8000\n");
    assert_false(symptoms_tell());
    assert_false(only_faults());
}

/* Each step puts a part then, and another message begins the line again. */
static void test_an_interrupt_waits(void **state)
{
    unsigned steps = 0;

    (void)state;
    csr_file_write("mip", INTERRUPT_MTI);
    symptoms_illegal(&vhart, CSRR_MHARTID, 0x8000);
    faults(0x8020, SYMPTOMS_FAULTS + 1);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(symptoms_tell());
    }
    monitor_log_begin();
    monitor_puts("tenant stray: starts\n");
    while (symptoms_tell()) {
        steps++;
    }
    csr_file_write("mip", 0);
    assert_int_equal(steps, 3 + 4 + 1 + 3 + 6 + 1);
    expect_log("monitor: tenant stray: starts\n"
               "monitor: tenant stray: expects machine mode: instruction=0xf14025f3 pc=0x8000\n"
               "monitor: tenant stray: only faults: cause=0x5 pc=0x8020 times=100000\n");
}

static void test_instructions_of_machine_mode(void **state)
{
    static const uint32_t of_machine_mode[] = {CSRR_MHARTID, 0x30529073, 0x30405073,
                                               0x30046573,   0x30200073, 0x7c002573};
    static const uint32_t others[] = {0xc0102573, 0x10551073, 0x18001073, 0x10200073,
                                      0x10500073, 0x00000073, 0x00000013, 0};

    (void)state;
    for (unsigned i = 0; i < sizeof(of_machine_mode) / sizeof(of_machine_mode[0]); i++) {
        assert_true(instruction_is_of_machine_mode(of_machine_mode[i]));
    }
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(instruction_is_of_machine_mode(others[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_same_fault_again_and_again, set_up),
        cmocka_unit_test_setup(test_a_handler_that_goes_on, set_up),
        cmocka_unit_test_setup(test_a_new_life_is_told_of_anew, set_up),
        cmocka_unit_test_setup(test_a_handler_that_cannot_begin, set_up),
        cmocka_unit_test_setup(test_a_vhart_that_is_not_loaded, set_up),
        cmocka_unit_test_setup(test_machine_mode, set_up),
        cmocka_unit_test_setup(test_an_interrupt_waits, set_up),
        cmocka_unit_test(test_instructions_of_machine_mode),
    };

    return cmocka_run_group_tests_name("symptoms", tests, NULL, NULL);
}
