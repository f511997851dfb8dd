/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/bundle.h"
#include "cmocka_tests.h"
#include "device/reset.h"
#include "mmio_recorder.h"

#define BASE 0x100000

static int setup(void **state)
{
    (void)state;
    mmio_recorder_reset();
    return 0;
}

static void test_sifive_test_command(void **state)
{
    struct reset reset = {.kind = COTENANT_RESET_SIFIVE_TEST, .base = BASE};

    (void)state;
    reset_power_off(&reset);
    assert_int_equal(mmio_recorder_count(), 1);
    assert_mmio_write(0, 32, BASE, 0x5555);
}

static void test_board_without_a_reset_device(void **state)
{
    struct reset reset = {.kind = COTENANT_RESET_NONE, .base = BASE};

    (void)state;
    reset_power_off(&reset);
    assert_int_equal(mmio_recorder_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_sifive_test_command, setup),
        cmocka_unit_test_setup(test_board_without_a_reset_device, setup),
    };

    return cmocka_run_group_tests_name("reset", tests, NULL, NULL);
}
