/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_tests.h"
#include "device/virtio_reset.h"
#include "mmio_recorder.h"

#define BASE 0x10001000
#define STATUS (BASE + 0x70)
#define MAGIC 0x74726976

static int setup(void **state)
{
    (void)state;
    mmio_recorder_reset();
    return 0;
}

static void test_status_becomes_zero(void **state)
{
    (void)state;
    mmio_recorder_set(BASE, MAGIC);
    mmio_recorder_set(STATUS, 0xf);
    assert_true(virtio_reset(BASE));
    assert_mmio_write(1, 32, STATUS, 0);
}

static void test_something_else_is_left_alone(void **state)
{
    (void)state;
    mmio_recorder_set(BASE, 0);
    assert_false(virtio_reset(BASE));
    assert_int_equal(mmio_recorder_count(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_status_becomes_zero, setup),
        cmocka_unit_test_setup(test_something_else_is_left_alone, setup),
    };

    return cmocka_run_group_tests_name("virtio reset", tests, NULL, NULL);
}
