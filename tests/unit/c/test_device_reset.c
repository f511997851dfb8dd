/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_tests.h"
#include "device/device_reset.h"
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

static void test_an_alarm_is_taken_back_and_the_time_stays(void **state)
{
    struct bundle_reset rtc = {.base = 0x101000, .kind = COTENANT_DEVICE_RESET_GOLDFISH_RTC};

    (void)state;
    device_reset(&rtc);
    assert_int_equal(mmio_recorder_count(), 3);
    assert_mmio_write(0, 32, 0x101010, 0);
    assert_mmio_write(1, 32, 0x101014, 1);
    assert_mmio_write(2, 32, 0x10101c, 1);
}

static void test_each_kind_has_its_way(void **state)
{
    struct bundle_reset reset = {.base = BASE, .kind = COTENANT_DEVICE_RESET_NONE};

    (void)state;
    device_reset(&reset);
    assert_int_equal(mmio_recorder_count(), 0);
    mmio_recorder_set(BASE, MAGIC);
    reset.kind = COTENANT_DEVICE_RESET_VIRTIO_MMIO;
    device_reset(&reset);
    assert_mmio_write(1, 32, STATUS, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_status_becomes_zero, setup),
        cmocka_unit_test_setup(test_something_else_is_left_alone, setup),
        cmocka_unit_test_setup(test_an_alarm_is_taken_back_and_the_time_stays, setup),
        cmocka_unit_test_setup(test_each_kind_has_its_way, setup),
    };

    return cmocka_run_group_tests_name("device reset", tests, NULL, NULL);
}
