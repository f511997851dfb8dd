/* SPDX-License-Identifier: BSD-2-Clause */
/* Guarded devices, with drivers that keep to the rules and drivers that do not. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "guard_bench.h"

#define NET 1
#define BLOCK 2
#define ENTROPY 4
#define GPU 16
#define VERSION_1 (1ul << 32)
#define INDIRECT (1ul << 28)
#define EVENT_INDEX (1ul << 29)
#define NEXT 1
#define WRITE 2
#define LENGTH 512

static int set_up(void **state)
{
    (void)state;
    bench_make(BLOCK);
    assert_true(bench_start(VERSION_1));
    return 0;
}

static bool is_broken(void)
{
    return (bench_load(BENCH_STATUS) & BENCH_NEEDS_RESET) != 0;
}

/* The device has been reset, knows of no queue, and works after the driver has reset it too. */
static void assert_stopped(unsigned resets)
{
    assert_true(is_broken());
    assert_int_equal(bench_device.resets, resets + 1);
    for (uint32_t i = 0; i < GUARD_MOST_QUEUES; i++) {
        assert_false(bench_device.queues[i].ready);
    }
    bench_store(BENCH_NOTIFY, 0);
    bench_store(BENCH_QUEUE_READY, 1);
    bench_store(BENCH_STATUS, 0xf);
    assert_int_equal(bench_device.status, 0);
    assert_true(bench_start(VERSION_1));
    bench_describe(0, 0, bench_page(8), LENGTH, 0, 0);
    bench_offer(0, 0);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_take(0, NULL, 0), 1);
}

static void test_only_what_can_be_guarded_is_offered(void **state)
{
    (void)state;
    assert_int_equal(bench_load(0), 0x74726976);
    assert_int_equal(bench_load(4), 2);
    assert_int_equal(bench_load(BENCH_DEVICE_ID), BLOCK);
    bench_store(BENCH_DEVICE_FEATURES_SELECT, 0);
    assert_int_equal(bench_load(BENCH_DEVICE_FEATURES), 0x16e7e);
    bench_store(BENCH_DEVICE_FEATURES_SELECT, 1);
    assert_int_equal(bench_load(BENCH_DEVICE_FEATURES), 1);
    bench_store(BENCH_DEVICE_FEATURES_SELECT, 2);
    assert_int_equal(bench_load(BENCH_DEVICE_FEATURES), 0);
    /* No shared memory, and nothing behind the registers. */
    assert_int_equal(bench_load(0xb0), UINT32_MAX);
    assert_int_equal(bench_load(0xfc - 4), 0);
    assert_int_equal(bench_load(0x200), 0);
    bench_store(0x200, 1);
    bench_store(0xffc, 1);
}

static void test_features_that_are_not_offered_are_refused(void **state)
{
    (void)state;
    assert_false(bench_start(VERSION_1 | INDIRECT));
    assert_false(bench_start(VERSION_1 | EVENT_INDEX));
    assert_false(bench_start(VERSION_1 << 1 | VERSION_1));
    assert_false(bench_start(0));
    assert_int_equal(bench_device.driver_features, 0);
    bench_store(BENCH_STATUS, 0xf);
    assert_int_equal(bench_device.status & 0xc, 0);
    assert_true(bench_start(VERSION_1 | 1u << 9));
    assert_int_equal(bench_device.driver_features, VERSION_1 | 1u << 9);
    /* Later the driver does not change its mind. */
    bench_store(BENCH_DRIVER_FEATURES_SELECT, 0);
    bench_store(BENCH_DRIVER_FEATURES, (uint32_t)INDIRECT);
    bench_store(BENCH_STATUS, 0xf);
    assert_int_equal(bench_device.driver_features, VERSION_1 | 1u << 9);
}

static void test_types_with_addresses_are_not_there(void **state)
{
    (void)state;
    bench_make(GPU);
    assert_int_equal(bench_load(BENCH_DEVICE_ID), 0);
    bench_store(BENCH_STATUS, 3);
    assert_int_equal(bench_device.status, 0);
    assert_int_equal(bench_load(BENCH_CONFIGURATION), 0);
}

static void test_a_chain_arrives(void **state)
{
    struct bench_descriptor found[3];

    (void)state;
    bench_describe(0, 3, bench_page(8), 16, NEXT, 7);
    bench_describe(0, 7, bench_page(109), LENGTH, NEXT | WRITE, 1);
    bench_describe(0, 1, bench_page(10) - 1, 1, WRITE, 9);
    bench_offer(0, 3);
    assert_int_equal(bench_take(0, found, 3), 0);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_device.queues[0].notified, 1);
    /* What the driver changes now comes too late. */
    bench_describe(0, 7, 0x80000000, UINT32_MAX, NEXT | WRITE, 7);
    bench_rings(0)->available.ring[0] = 1;
    assert_int_equal(bench_take(0, found, 3), 3);
    assert_int_equal(found[0].address, bench_page(8));
    assert_int_equal(found[1].address, bench_page(109));
    assert_int_equal(found[1].length, LENGTH);
    assert_int_equal(found[1].flags, NEXT | WRITE);
    assert_int_equal(found[2].address, bench_page(10) - 1);
    assert_int_equal(found[2].flags, WRITE);
    assert_int_equal(bench_vhart.faults, 0);
}

static void test_descriptors_outside_of_the_memory(void **state)
{
    uint64_t first = bench_page(0);
    uint64_t end = bench_page(BENCH_PAGES);
    const struct {
        uint64_t address;
        uint32_t length;
    } wrong[] = {
        {0x80000000, LENGTH},
        {BENCH_BASE, 4},
        {first - 1, 2},
        {first - 1, 1},
        {end - 1, 2},
        {end, 0},
        {end, 1},
        {end - LENGTH, LENGTH + 1},
        {bench_page(8), UINT32_MAX},
        {first, BENCH_PAGES * BENCH_PAGE + 1},
        {UINT64_MAX, 1},
        {UINT64_MAX - 15, 32},
        {0, UINT32_MAX},
        {0, 0},
        {first - UINT32_MAX, UINT32_MAX},
        {(uintptr_t)&guards[0].queues[0].rings, 16},
        {bench_page(100) - 1, 2},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        for (int behind = 0; behind < 2; behind++) {
            unsigned resets = bench_device.resets;
            uint64_t faults = bench_vhart.faults;

            bench_describe(0, 5, bench_page(9), LENGTH, NEXT, 6);
            bench_describe(0, 6, wrong[i].address, wrong[i].length, WRITE, 0);
            bench_offer(0, behind ? 5 : 6);
            bench_store(BENCH_NOTIFY, 0);
            assert_int_equal(bench_take(0, NULL, 0), 0);
            assert_int_equal(bench_vhart.faults, faults + 1);
            assert_stopped(resets);
        }
    }
    /* To the last byte. */
    bench_describe(0, 5, first, BENCH_PAGES * BENCH_PAGE, NEXT, 6);
    bench_describe(0, 6, bench_page(100 + BENCH_PAGES) - 1, 1, WRITE, 0);
    bench_offer(0, 5);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_take(0, NULL, 0), 2);
}

static void test_rings_that_make_no_sense(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 7; i++) {
        unsigned resets = bench_device.resets;
        struct bench_rings *rings = bench_rings(0);

        bench_describe(0, 0, bench_page(9), LENGTH, 0, 0);
        switch (i) {
        case 0: /* a table behind a descriptor */
            bench_describe(0, 0, bench_page(9), 32, 4, 0);
            bench_offer(0, 0);
            break;
        case 1: /* a circle */
            bench_describe(0, 0, bench_page(9), LENGTH, NEXT, 1);
            bench_describe(0, 1, bench_page(9), LENGTH, NEXT, 0);
            bench_offer(0, 0);
            break;
        case 2: /* no such head */
            bench_offer(0, BENCH_QUEUE_SIZE);
            break;
        case 3: /* no such next */
            bench_describe(0, 0, bench_page(9), LENGTH, NEXT, BENCH_QUEUE_SIZE);
            bench_offer(0, 0);
            break;
        case 4: /* more at once than fits */
            rings->available.index = (uint16_t)(rings->available.index + BENCH_QUEUE_SIZE + 1);
            break;
        case 5: /* backwards */
            rings->available.index--;
            break;
        default:
            bench_describe(0, 0, bench_page(9), LENGTH, NEXT, UINT16_MAX);
            bench_offer(0, 0);
            break;
        }
        bench_store(BENCH_NOTIFY, 0);
        assert_stopped(resets);
    }
}

static void test_queues_outside_of_the_memory(void **state)
{
    const uint64_t wrong[] = {0x80000000,         bench_page(BENCH_PAGES) - 16,
                              bench_page(0) - 16, 0,
                              UINT64_MAX - 15,    bench_page(1) + 1};

    (void)state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        for (uint32_t part = 0; part < 3; part++) {
            bench_store(BENCH_STATUS, 0);
            bench_store(BENCH_STATUS, 3);
            bench_store(BENCH_QUEUE_SIZE_REGISTER, BENCH_QUEUE_SIZE);
            for (uint32_t each = 0; each < 3; each++) {
                uint64_t place = each == part ? wrong[i] : bench_page(each);

                bench_store(BENCH_DESCRIPTORS + 16 * each, (uint32_t)place);
                bench_store(BENCH_DESCRIPTORS + 16 * each + 4, (uint32_t)(place >> 32));
            }
            bench_store(BENCH_QUEUE_READY, 1);
            assert_true(is_broken());
            assert_int_equal(bench_load(BENCH_QUEUE_READY), 0);
            assert_false(bench_device.queues[0].ready);
        }
    }
}

static void test_sizes_of_queues(void **state)
{
    const uint32_t wrong[] = {0, 3, 2 * SHADOW_SIZE, 1u << 31, UINT32_MAX};

    (void)state;
    bench_store(BENCH_QUEUE_SELECT, 0);
    assert_int_equal(bench_load(BENCH_QUEUE_SIZE_MAX), SHADOW_SIZE);
    bench_store(BENCH_QUEUE_SELECT, 1);
    assert_int_equal(bench_load(BENCH_QUEUE_SIZE_MAX), 0);
    bench_place(1, BENCH_QUEUE_SIZE);
    assert_int_equal(bench_load(BENCH_QUEUE_READY), 0);
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        bench_store(BENCH_STATUS, 0);
        bench_store(BENCH_STATUS, 3);
        bench_place(0, wrong[i]);
        assert_true(is_broken());
    }
    bench_device.size_max = 8;
    bench_store(BENCH_STATUS, 0);
    bench_store(BENCH_QUEUE_SELECT, 0);
    assert_int_equal(bench_load(BENCH_QUEUE_SIZE_MAX), 8);
    bench_store(BENCH_STATUS, 3);
    bench_place(0, BENCH_QUEUE_SIZE);
    assert_true(is_broken());
}

static void test_a_queue_is_not_taken_from_a_device_that_has_it(void **state)
{
    unsigned resets = bench_device.resets;

    (void)state;
    bench_store(BENCH_QUEUE_SELECT, 0);
    bench_store(BENCH_QUEUE_READY, 0);
    assert_stopped(resets);
    /* Nor is it moved, or made longer. */
    bench_store(BENCH_QUEUE_SIZE_REGISTER, SHADOW_SIZE);
    bench_store(BENCH_USED, 0x80000000);
    bench_store(BENCH_QUEUE_READY, 1);
    assert_int_equal(guards[0].queues[0].places.size, BENCH_QUEUE_SIZE);
    assert_int_equal(guards[0].queues[0].places.used, (uintptr_t)&bench_rings(0)->used);
}

static void test_what_is_waited_for_is_looked_at_in_between(void **state)
{
    unsigned times = 0;

    (void)state;
    for (uint16_t i = 0; i < BENCH_QUEUE_SIZE; i++) {
        bench_describe(0, i, bench_page(9), LENGTH, i + 1 < BENCH_QUEUE_SIZE ? NEXT : 0, i + 1);
    }
    bench_offer(0, 0);
    csr_file_write("mip", INTERRUPT_MTI);
    while (!bench_store_once(BENCH_NOTIFY, 0)) {
        times++;
        assert_int_equal(bench_take(0, NULL, 0), 0);
    }
    assert_int_equal(times, BENCH_QUEUE_SIZE - 1);
    assert_int_equal(bench_take(0, NULL, 0), BENCH_QUEUE_SIZE);
}

static void test_a_reset_in_the_middle_of_a_chain(void **state)
{
    (void)state;
    for (unsigned end = 0; end < 3; end++) {
        bench_describe(0, 0, bench_page(9), LENGTH, NEXT, 1);
        bench_describe(0, 1, bench_page(9), LENGTH, 0, 0);
        bench_offer(0, 0);
        csr_file_write("mip", INTERRUPT_MTI);
        assert_false(bench_store_once(BENCH_NOTIFY, 0));
        csr_file_write("mip", 0);
        if (end == 0) {
            bench_store(BENCH_STATUS, 0);
        } else if (end == 1) {
            bench_give_back();
        } else {
            bench_store(BENCH_QUEUE_SELECT, 0);
            bench_store(BENCH_QUEUE_READY, 0);
        }
        assert_false(bench_device.queues[0].ready);
        bench_store(BENCH_NOTIFY, 0);
        assert_true(bench_start(VERSION_1));
        assert_int_equal(bench_take(0, NULL, 0), 0);
        bench_describe(0, 2, bench_page(9), LENGTH, 0, 0);
        bench_offer(0, 2);
        bench_store(BENCH_NOTIFY, 0);
        assert_int_equal(bench_take(0, NULL, 0), 1);
    }
}

static void test_a_device_that_wants_no_notifications(void **state)
{
    struct bench_rings *rings;

    (void)state;
    bench_make(NET);
    assert_true(bench_start(VERSION_1));
    rings = bench_rings(1);
    bench_describe(1, 0, bench_page(9), LENGTH, 0, 0);
    /* The driver believes it and does not notify; the interrupt tells that it was meant. */
    rings->used.flags = 1;
    bench_offer(1, 0);
    bench_device.interrupt = 1;
    bench_store(BENCH_ACKNOWLEDGE, bench_load(BENCH_INTERRUPT));
    assert_int_equal(bench_device.interrupt, 0);
    assert_int_equal(rings->used.flags, 0);
    assert_int_equal(bench_device.queues[1].notified, 1);
    assert_int_equal(bench_take(1, NULL, 0), 1);
    /* A notification of one queue is a look at the others. */
    rings->used.flags = 1;
    bench_offer(1, 0);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_take(1, NULL, 0), 1);
    assert_int_equal(bench_device.queues[0].notified, 0);
}

static void test_indices_wrap(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 0x10000 + 2 * BENCH_QUEUE_SIZE; i++) {
        struct bench_descriptor found;

        bench_describe(0, i % BENCH_QUEUE_SIZE, bench_page(8 + i % 8), 1 + i % BENCH_PAGE, WRITE,
                       0);
        bench_offer(0, i % BENCH_QUEUE_SIZE);
        bench_store(BENCH_NOTIFY, 0);
        assert_int_equal(bench_take(0, &found, 1), 1);
        assert_int_equal(found.address, bench_page(8 + i % 8));
        assert_int_equal(found.length, 1 + i % BENCH_PAGE);
    }
}

/*
 * The driver uses a descriptor again that the device has not finished, and may be reading: neither
 * the old length at the new address nor the new one at the old address leaves the memory.
 */
static void test_words_of_different_descriptors(void **state)
{
    uint64_t end = bench_page(BENCH_PAGES);
    unsigned waits = bench_device.waits;

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        bench_describe(0, 0, end - 1 - i, 1, WRITE, 0);
        bench_offer(0, 0);
        bench_store(BENCH_NOTIFY, 0);
    }
    assert_int_equal(bench_device.waits, waits);
    bench_describe(0, 0, bench_page(8), LENGTH, WRITE, 0);
    bench_offer(0, 0);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_device.waits, waits + 2);
    bench_describe(0, 0, end - 1, 1, WRITE, 0);
    bench_offer(0, 0);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_device.waits, waits + 4);
    bench_describe(0, 0, bench_page(8), LENGTH, WRITE, 0);
    bench_offer(0, 0);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_device.waits, waits + 6);
}

static uint64_t access(uint32_t offset, uint32_t size, bool store, uint64_t value)
{
    assert_int_equal(guard_access(&bench_vhart, BENCH_BASE + offset, size, store, &value),
                     MMIO_DONE);
    return value;
}

/*
 * A descriptor that the device has not taken is made available again, with another one behind it
 * that has not been copied yet: the device does not find there what a driver before had, which may
 * have been another tenant's of the group.
 */
static void test_nothing_of_a_driver_before(void **state)
{
    struct bench_descriptor found[2];

    (void)state;
    bench_describe(0, 5, bench_page(9), LENGTH, WRITE, 0);
    bench_offer(0, 5);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_take(0, found, 1), 1);
    bench_give_back();
    assert_true(bench_start(VERSION_1));
    csr_file_write("mip", INTERRUPT_MTI); /* after each descriptor it is to be made again */
    bench_describe(0, 0, bench_page(8), LENGTH, 0, 0);
    bench_offer(0, 0);
    (void)bench_store_once(BENCH_NOTIFY, 0);
    bench_describe(0, 0, bench_page(8), LENGTH, NEXT, 5);
    bench_describe(0, 5, bench_page(10), LENGTH, WRITE, 0);
    bench_offer(0, 0);
    assert_false(bench_store_once(BENCH_NOTIFY, 0));
    assert_int_equal(bench_take(0, found, 2), 2);
    assert_int_equal(found[1].length, 0);
    assert_int_equal(found[1].flags, 0);
    csr_file_write("mip", 0);
    bench_store(BENCH_NOTIFY, 0);
    assert_int_equal(bench_take(0, found, 2), 2);
    assert_int_equal(found[1].address, bench_page(10));
}

/* Whatever the driver has stored to it, and not what it has not; or the reset is not over yet. */
static void test_a_device_that_was_used_is_reset(void **state)
{
    static const uint32_t stores[] = {BENCH_CONFIGURATION + 0x20, BENCH_QUEUE_SELECT,
                                      BENCH_DRIVER_FEATURES, BENCH_STATUS};
    unsigned resets;

    (void)state;
    bench_store(BENCH_STATUS, 0);
    for (unsigned i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
        resets = bench_device.resets;
        bench_give_back();
        assert_int_equal(bench_device.resets, resets);
        bench_store(stores[i], 1);
        bench_give_back();
        assert_int_equal(bench_device.resets, resets + 1);
        assert_false(guards[0].resetting);
    }
    guards[0].resetting = true;
    resets = bench_device.resets;
    bench_give_back();
    assert_int_equal(bench_device.resets, resets + 1);
}

static void test_the_configuration_space(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(bench_device.configuration); i++) {
        bench_device.configuration[i] = (uint8_t)(0x10 + i);
    }
    assert_int_equal(access(0x100, 4, false, 0), 0x13121110);
    assert_int_equal(access(0x106, 2, false, 0), 0x1716);
    assert_int_equal(access(0x1ff, 1, false, 0), 0x0f);
    assert_int_equal(access(0x101, 2, false, 0), 0);
    assert_int_equal(access(0x100, 8, false, 0), 0);
    access(0x120, 1, true, 0xee);
    assert_int_equal(bench_device.configuration[0x20], 0xee);
    access(0x122, 2, true, 0xabcd);
    assert_int_equal(access(0x120, 4, false, 0), 0xabcd31ee);
    access(0x120, 8, true, 0);
    access(0x121, 4, true, 0);
    assert_int_equal(access(0x120, 4, false, 0), 0xabcd31ee);
    /* The segments of a request have to fit into a queue. */
    assert_int_equal(access(0x10c, 4, false, 0), SHADOW_SIZE - 2);
    assert_int_equal(access(0x10c, 1, false, 0), SHADOW_SIZE - 2);
    assert_int_equal(access(0x10e, 2, false, 0), 0);
    memcpy(&bench_device.configuration[12], &(uint32_t){5}, 4);
    assert_int_equal(access(0x10c, 4, false, 0), 5);
    bench_make(NET);
    for (unsigned i = 0; i < sizeof(bench_device.configuration); i++) {
        bench_device.configuration[i] = (uint8_t)(0x10 + i);
        assert_int_equal(access(0x100 + i, 1, false, 0), 0x10 + i - (i >= 0xf0 ? 0x100 : 0));
    }
}

static void test_widths_of_registers(void **state)
{
    (void)state;
    assert_int_equal(access(BENCH_STATUS, 1, false, 0), 0);
    access(BENCH_STATUS, 1, true, 0);
    assert_int_equal(bench_device.status, 0xf);
    access(BENCH_STATUS, 8, true, 0);
    assert_int_equal(bench_device.status, 0xf);
    access(BENCH_STATUS, 4, true, BENCH_NEEDS_RESET);
    assert_int_equal(bench_device.status, 0xf);
}

static void test_whose_device(void **state)
{
    static struct bundle_tenant other;
    struct tenant stranger = {.index = 1, .description = &other};
    uint64_t value = 0;

    (void)state;
    assert_non_null(guard_at(&tenants[0], BENCH_BASE + 0xfff));
    assert_null(guard_at(&tenants[0], BENCH_BASE + 0x1000));
    assert_null(guard_at(&tenants[0], BENCH_BASE - 1));
    assert_null(guard_at(&stranger, BENCH_BASE));
    /* The fast path asks for addresses of any page in which something was found. */
    assert_int_equal(guard_access(&bench_vhart, BENCH_BASE + 0x1000, 4, false, &value), MMIO_FAULT);
    bench_vhart.tenant = &stranger;
    assert_int_equal(guard_access(&bench_vhart, BENCH_BASE, 4, false, &value), MMIO_FAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_only_what_can_be_guarded_is_offered, set_up),
        cmocka_unit_test_setup(test_features_that_are_not_offered_are_refused, set_up),
        cmocka_unit_test_setup(test_types_with_addresses_are_not_there, set_up),
        cmocka_unit_test_setup(test_a_chain_arrives, set_up),
        cmocka_unit_test_setup(test_descriptors_outside_of_the_memory, set_up),
        cmocka_unit_test_setup(test_rings_that_make_no_sense, set_up),
        cmocka_unit_test_setup(test_queues_outside_of_the_memory, set_up),
        cmocka_unit_test_setup(test_sizes_of_queues, set_up),
        cmocka_unit_test_setup(test_a_queue_is_not_taken_from_a_device_that_has_it, set_up),
        cmocka_unit_test_setup(test_what_is_waited_for_is_looked_at_in_between, set_up),
        cmocka_unit_test_setup(test_a_reset_in_the_middle_of_a_chain, set_up),
        cmocka_unit_test_setup(test_a_device_that_wants_no_notifications, set_up),
        cmocka_unit_test_setup(test_indices_wrap, set_up),
        cmocka_unit_test_setup(test_words_of_different_descriptors, set_up),
        cmocka_unit_test_setup(test_nothing_of_a_driver_before, set_up),
        cmocka_unit_test_setup(test_a_device_that_was_used_is_reset, set_up),
        cmocka_unit_test_setup(test_the_configuration_space, set_up),
        cmocka_unit_test_setup(test_widths_of_registers, set_up),
        cmocka_unit_test_setup(test_whose_device, set_up),
    };

    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
