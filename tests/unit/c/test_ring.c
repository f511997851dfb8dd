/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_tests.h"
#include "core/ring.h"

static void test_bytes_come_out_in_order(void **state)
{
    uint8_t data[8];
    struct ring ring;

    (void)state;
    ring_init(&ring, data, sizeof(data));
    assert_int_equal(ring_get(&ring), -1);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 5; i++) {
            assert_true(ring_put(&ring, (uint8_t)(round + i)));
        }
        assert_int_equal(ring_used(&ring), 5);
        assert_int_equal(ring_space(&ring), 3);
        for (int i = 0; i < 5; i++) {
            assert_int_equal(ring_get(&ring), (uint8_t)(round + i));
        }
    }
    assert_int_equal(ring_get(&ring), -1);
}

static void test_full_ring_refuses(void **state)
{
    uint8_t data[4];
    struct ring ring;

    (void)state;
    ring_init(&ring, data, sizeof(data));
    for (int i = 0; i < 4; i++) {
        assert_true(ring_put(&ring, 0xff));
    }
    assert_int_equal(ring_space(&ring), 0);
    assert_false(ring_put(&ring, 1));
    assert_int_equal(ring_used(&ring), 4);
    assert_int_equal(ring_get(&ring), 0xff);
}

static void test_counters_wrap_around(void **state)
{
    uint8_t data[4];
    struct ring ring;

    (void)state;
    ring_init(&ring, data, sizeof(data));
    ring.head = ring.tail = UINT32_MAX - 1;
    for (int i = 0; i < 4; i++) {
        assert_true(ring_put(&ring, (uint8_t)i));
    }
    assert_false(ring_put(&ring, 4));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(ring_get(&ring), i);
    }
    assert_int_equal(ring_used(&ring), 0);
}

static void test_drop_takes_at_most_all(void **state)
{
    uint8_t data[8];
    struct ring ring;

    (void)state;
    ring_init(&ring, data, sizeof(data));
    for (int i = 0; i < 6; i++) {
        ring_put(&ring, (uint8_t)i);
    }
    ring_drop(&ring, 2);
    assert_int_equal(ring_get(&ring), 2);
    ring_drop(&ring, 100);
    assert_int_equal(ring_used(&ring), 0);
    assert_int_equal(ring_space(&ring), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_come_out_in_order),
        cmocka_unit_test(test_full_ring_refuses),
        cmocka_unit_test(test_counters_wrap_around),
        cmocka_unit_test(test_drop_takes_at_most_all),
    };

    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
