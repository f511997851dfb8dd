/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/limits.h"
#include "cmocka_tests.h"
#include "features/plic/plic_words.h"
#include "mmio_recorder.h"

#define BASE 0x0c000000

static int setup(void **state)
{
    (void)state;
    mmio_recorder_reset();
    return 0;
}

static struct plic make_plic(uint32_t source_count)
{
    struct plic plic;

    plic_init(&plic, BASE, source_count);
    mmio_recorder_clear();
    return plic;
}

static void test_init_silences_every_source(void **state)
{
    struct plic plic;

    (void)state;
    plic_init(&plic, BASE, 96);
    assert_int_equal(mmio_recorder_count(), 95);
    assert_mmio_write(0, 32, BASE + 4, 0);
    assert_mmio_write(94, 32, BASE + 4 * 95, 0);
}

static void test_init_is_bounded(void **state)
{
    struct plic plic;

    (void)state;
    plic_init(&plic, BASE, UINT32_MAX);
    assert_int_equal(mmio_recorder_count(), COTENANT_MAX_SOURCES - 1);
    assert_int_equal(plic.source_count, COTENANT_MAX_SOURCES);
}

static void test_disable_context(void **state)
{
    struct plic plic = make_plic(96);

    (void)state;
    plic_disable_context(&plic, 3);
    assert_int_equal(mmio_recorder_count(), 4);
    assert_mmio_write(0, 32, BASE + 0x2180, 0);
    assert_mmio_write(1, 32, BASE + 0x2184, 0);
    assert_mmio_write(2, 32, BASE + 0x2188, 0);
    assert_mmio_write(3, 32, BASE + 0x203000, 0);
}

static void test_enable_changes_one_bit(void **state)
{
    struct plic plic = make_plic(96);

    (void)state;
    mmio_recorder_set(BASE + 0x2084, 0x80000001);
    plic_set_enable(&plic, 1, 33, true);
    assert_mmio_write(1, 32, BASE + 0x2084, 0x80000003);
    plic_set_enable(&plic, 1, 63, false);
    assert_mmio_write(3, 32, BASE + 0x2084, 0x00000003);
    assert_int_equal(plic_read_enable_word(&plic, 1, 1), 3);
    plic_write_enable_word(&plic, 1, 2, 0xdeadbeef);
    assert_mmio_write(5, 32, BASE + 0x2088, 0xdeadbeef);
}

static void test_priority_threshold_pending(void **state)
{
    struct plic plic = make_plic(96);

    (void)state;
    plic_set_priority(&plic, 10, 7);
    plic_set_threshold(&plic, 1, 5);
    assert_mmio_write(0, 32, BASE + 40, 7);
    assert_mmio_write(1, 32, BASE + 0x201000, 5);
    mmio_recorder_set(BASE + 0x1004, 0x12);
    assert_int_equal(plic_read_pending_word(&plic, 1), 0x12);
}

static void test_claim_and_complete_use_one_register(void **state)
{
    struct plic plic = make_plic(96);

    (void)state;
    mmio_recorder_set(BASE + 0x202004, 42);
    assert_int_equal(plic_claim(&plic, 2), 42);
    plic_complete(&plic, 2, 42);
    assert_mmio_write(1, 32, BASE + 0x202004, 42);
}

static void test_a_word_is_silenced_and_released(void **state)
{
    struct plic plic = make_plic(96);

    (void)state;
    plic_silence_word(&plic, 1, 0x80000002);
    assert_int_equal(mmio_recorder_count(), 2);
    assert_mmio_write(0, 32, BASE + 4 * 33, 0);
    assert_mmio_write(1, 32, BASE + 4 * 63, 0);
    plic_release_word(&plic, 2, 1, 0x80000002);
    assert_int_equal(mmio_recorder_count(), 6);
    assert_mmio_write(2, 32, BASE + 0x2104, 0x80000002); /* else completions do not count */
    assert_mmio_write(3, 32, BASE + 0x202004, 33);
    assert_mmio_write(4, 32, BASE + 0x202004, 63);
    assert_mmio_write(5, 32, BASE + 0x2104, 0);
    plic_silence_word(&plic, 0, 0);
    plic_release_word(&plic, 2, 0, 0);
    assert_int_equal(mmio_recorder_count(), 7);
    assert_mmio_write(6, 32, BASE + 0x2100, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_init_silences_every_source, setup),
        cmocka_unit_test_setup(test_init_is_bounded, setup),
        cmocka_unit_test_setup(test_disable_context, setup),
        cmocka_unit_test_setup(test_enable_changes_one_bit, setup),
        cmocka_unit_test_setup(test_priority_threshold_pending, setup),
        cmocka_unit_test_setup(test_claim_and_complete_use_one_register, setup),
        cmocka_unit_test_setup(test_a_word_is_silenced_and_released, setup),
    };

    return cmocka_run_group_tests_name("plic", tests, NULL, NULL);
}
