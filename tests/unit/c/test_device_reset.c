/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/csr.h"
#include "arch/mmio.h"
#include "cmocka_tests.h"
#include "core/give_back.h"
#include "core/hart.h"
#include "core/shared_lock.h"
#include "features/device_reset/device_reset.h"
#include "features/device_reset/pci_reset.h"
#include "features/device_reset/virtio_reset.h"
#include "mmio_recorder.h"

#define BASE 0x10001000
#define STATUS (BASE + 0x70)
#define MAGIC 0x74726976
#define ECAM 0x30000000
#define CARDS 32
/* Accesses to a device in a step. */
#define MOST_ACCESSES 120

static struct hart hart;
static bool lock_is_wanted;
static const struct bundle_reset bus = {.base = ECAM, .kind = COTENANT_DEVICE_RESET_PCI};

bool shared_lock_has_waiting(void)
{
    return lock_is_wanted;
}

/* All steps, each of which is bounded. */
static void reset_all(const struct bundle_reset *reset)
{
    uint32_t step = 0;

    do {
        size_t before = mmio_recorder_count();

        step = device_reset(reset, step);
        assert_in_range(mmio_recorder_count() - before, 0, MOST_ACCESSES);
    } while (step != 0);
}

static int setup(void **state)
{
    (void)state;
    mmio_recorder_reset();
    lock_is_wanted = false;
    csr_file_write("mip", 0);
    csr_file_write("tp", (uint64_t)&hart);
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
    reset_all(&rtc);
    assert_int_equal(mmio_recorder_count(), 3);
    assert_mmio_write(0, 32, 0x101010, 0);
    assert_mmio_write(1, 32, 0x101014, 1);
    assert_mmio_write(2, 32, 0x10101c, 1);
}

static void test_each_kind_has_its_way(void **state)
{
    struct bundle_reset reset = {.base = BASE, .kind = COTENANT_DEVICE_RESET_NONE};

    (void)state;
    reset_all(&reset);
    assert_int_equal(mmio_recorder_count(), 0);
    mmio_recorder_set(BASE, MAGIC);
    reset.kind = COTENANT_DEVICE_RESET_VIRTIO_MMIO;
    reset_all(&reset);
    assert_mmio_write(1, 32, STATUS, 0);
}

static uint64_t function_at(unsigned card, unsigned number)
{
    return ECAM + (card << 15) + (number << 12);
}

static void set_empty_bus(void)
{
    for (unsigned card = 0; card < CARDS; card++) {
        for (unsigned number = 0; number < 8; number++) {
            mmio_recorder_set(function_at(card, number), 0xffffffff);
        }
    }
}

/* As an operating system leaves it: on, with addresses and a list of capabilities. */
static void set_function(uint64_t base, uint32_t header)
{
    mmio_recorder_set(base, 0x11111234);
    mmio_recorder_set(base + 0x04, 0x00100007);
    mmio_recorder_set(base + 0x0c, header);
    for (unsigned place = 0x10; place < 0x28; place += 4) {
        mmio_recorder_set(base + place, 0x40000008);
    }
    mmio_recorder_set(base + 0x30, 0x41000001);
    mmio_recorder_set(base + 0x34, 0x40);
    mmio_recorder_set(base + 0x3c, 0x0120);
    mmio_recorder_set(base + 0x40, 0x00e35005); /* MSI, on; next at 0x50 */
    mmio_recorder_set(base + 0x50, 0x80037009); /* of a maker's own */
    mmio_recorder_set(base + 0x70, 0x80030011); /* MSI-X, on; the last */
}

static void assert_is_off(uint64_t base)
{
    assert_int_equal(mmio_read32(base + 0x04), 0xffff0400);
    for (unsigned place = 0x10; place < 0x28; place += 4) {
        assert_int_equal(mmio_read32(base + place), 0);
    }
    assert_int_equal(mmio_read32(base + 0x30), 0);
    assert_int_equal(mmio_read32(base + 0x3c), 0);
    assert_int_equal(mmio_read32(base + 0x40), 0x00e25005);
    assert_int_equal(mmio_read32(base + 0x50), 0x80037009);
    assert_int_equal(mmio_read32(base + 0x70), 0x00030011);
}

static void test_a_part_is_four_and_guarded_ones_are_for_their_guard(void **state)
{
    struct bundle_tenant description = {.flags = 0};
    struct tenant tenant = {.description = &description};
    uint16_t next = 0;
    unsigned room = GIVE_BACK_ROOM;

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        description.resets[i] = (struct bundle_reset){.base = 0x101000 + 0x1000 * i,
                                                      .kind = COTENANT_DEVICE_RESET_GOLDFISH_RTC};
    }
    description.resets[5].kind = COTENANT_DEVICE_RESET_VIRTIO_MMIO;
    assert_false((*__start_gives_back[0])(&tenant, &next, &room));
    assert_int_equal(mmio_recorder_count(), 4 * 3);
    assert_mmio_write(3, 32, 0x102010, 0);
    assert_int_equal(room, 0);
    room = GIVE_BACK_ROOM;
    assert_true((*__start_gives_back[0])(&tenant, &next, &room));
    assert_int_equal(mmio_recorder_count(), 5 * 3);
    assert_int_equal(room, GIVE_BACK_ROOM - 1);
}

/* Whatever waits for the hart comes after one device, and the parts come to their end all the same.
 */
static void check_part_of_one_device(bool by_lock)
{
    struct bundle_tenant description = {.flags = 0};
    struct tenant tenant = {.description = &description};
    uint16_t next = 0;

    for (unsigned i = 0; i < 3; i++) {
        description.resets[i] = (struct bundle_reset){.base = 0x101000 + 0x1000 * i,
                                                      .kind = COTENANT_DEVICE_RESET_NS16550};
    }
    csr_file_write("mip", by_lock ? 0 : INTERRUPT_MTI);
    lock_is_wanted = by_lock;
    for (unsigned i = 1; i <= 3; i++) {
        unsigned room = GIVE_BACK_ROOM;

        assert_int_equal((*__start_gives_back[0])(&tenant, &next, &room), i == 3);
        assert_int_equal(mmio_recorder_count(), i * 9);
    }
}

static void test_a_part_is_one_device_when_the_hart_is_wanted(void **state)
{
    (void)state;
    check_part_of_one_device(false);
}

static void test_a_part_is_one_device_when_another_hart_waits_for_the_lock(void **state)
{
    (void)state;
    check_part_of_one_device(true);
}

/* A part is not longer than a function, whatever is on the bus, and a device behind it has its
 * turn.
 */
static void test_a_bus_is_reset_by_functions(void **state)
{
    struct bundle_tenant description = {
        .resets = {bus, {.base = 0x101000, .kind = COTENANT_DEVICE_RESET_GOLDFISH_RTC}}};
    struct tenant tenant = {.description = &description};
    unsigned parts = 0;
    uint16_t next = 0;
    bool all;

    (void)state;
    set_empty_bus();
    for (unsigned number = 0; number < 8; number++) {
        set_function(function_at(2, number), 0x00800000);
    }
    do {
        unsigned room = GIVE_BACK_ROOM;
        size_t before = mmio_recorder_count();

        all = (*__start_gives_back[0])(&tenant, &next, &room);
        assert_in_range(mmio_recorder_count() - before, 0, MOST_ACCESSES);
        parts++;
    } while (!all);
    assert_in_range(parts, 8, 1000);
    for (unsigned number = 0; number < 8; number++) {
        assert_is_off(function_at(2, number));
    }
    assert_int_equal(mmio_read32(0x10101c), 1);
}

/* It is looked at for so long, and in each step a few times. */
static void test_a_device_that_does_not_come_to_its_end(void **state)
{
    struct bundle_reset reset = {.base = BASE, .kind = COTENANT_DEVICE_RESET_VIRTIO_MMIO};
    uint32_t step;

    (void)state;
    mmio_recorder_set(BASE, MAGIC);
    step = device_reset(&reset, 0);
    assert_int_equal(step, 0);
    mmio_recorder_set(STATUS, 0xf);
    assert_int_equal(device_reset(&reset, 1), 2);
    assert_in_range(mmio_recorder_count(), 10, MOST_ACCESSES);
    mmio_recorder_set(STATUS, 0);
    assert_int_equal(device_reset(&reset, 2), 0);
    mmio_recorder_set(STATUS, 0xf);
    for (step = 1; step != 0; step = device_reset(&reset, step)) {
        assert_in_range(step, 1, 100);
    }
}

static void test_every_function_on_a_bus_is_off(void **state)
{
    struct bundle_reset reset = {.base = ECAM, .kind = COTENANT_DEVICE_RESET_PCI};

    (void)state;
    set_empty_bus();
    set_function(function_at(1, 0), 0);
    set_function(function_at(5, 0), 0x00800000);
    set_function(function_at(5, 7), 0);
    set_function(function_at(31, 0), 0x00010000);
    reset_all(&reset);
    assert_is_off(function_at(1, 0));
    assert_is_off(function_at(5, 0));
    assert_is_off(function_at(5, 7));
    assert_is_off(function_at(31, 0));
}

static void test_bus_mastering_ends_first(void **state)
{
    size_t first = 0;

    (void)state;
    set_empty_bus();
    set_function(function_at(0, 0), 0);
    reset_all(&bus);
    while (!mmio_recorder_get(first).write) {
        first++;
    }
    assert_mmio_write(first, 32, function_at(0, 0) + 0x04, 0xffff0400);
}

static void test_nobody_is_looked_for_behind_an_absent_card(void **state)
{
    (void)state;
    set_empty_bus();
    reset_all(&bus);
    assert_int_equal(mmio_recorder_count(), CARDS);
    for (unsigned card = 0; card < CARDS; card++) {
        assert_int_equal(mmio_recorder_get(card).address, function_at(card, 0));
    }
}

static void test_capabilities_in_a_circle_come_to_an_end(void **state)
{
    uint64_t card = function_at(3, 0);

    (void)state;
    set_empty_bus();
    set_function(card, 0);
    mmio_recorder_set(card + 0x40, 0x00004005);
    reset_all(&bus);
    assert_true(mmio_recorder_count() < 200);
}

static void test_a_uart_forgets_everything_but_its_speed(void **state)
{
    static const struct {
        uint32_t number;
        uint8_t value;
    } writes[] = {
        {3, 0},    /* LCR */
        {1, 0},    /* IER: no interrupt */
        {3, 0x80}, /* DLAB */
        {0, 0x34}, {1, 0x12}, {3, 0}, {4, 0}, {2, 7}, {2, 0}, {7, 0},
    };
    struct bundle_reset reset = {.base = BASE,
                                 .kind = COTENANT_DEVICE_RESET_NS16550,
                                 .register_shift = 2,
                                 .divisor = 0x1234};

    (void)state;
    reset_all(&reset);
    for (unsigned i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        assert_mmio_write(i, 8, BASE + 4 * writes[i].number, writes[i].value);
    }
    assert_int_equal(mmio_recorder_count(), 13); /* and three reads, which clear what they tell */
    mmio_recorder_clear();
    reset.divisor = 0;
    reset_all(&reset);
    assert_mmio_write(1, 8, BASE + 4, 0);
    assert_mmio_write(2, 8, BASE + 16, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_status_becomes_zero, setup),
        cmocka_unit_test_setup(test_something_else_is_left_alone, setup),
        cmocka_unit_test_setup(test_an_alarm_is_taken_back_and_the_time_stays, setup),
        cmocka_unit_test_setup(test_each_kind_has_its_way, setup),
        cmocka_unit_test_setup(test_a_part_is_four_and_guarded_ones_are_for_their_guard, setup),
        cmocka_unit_test_setup(test_a_part_is_one_device_when_the_hart_is_wanted, setup),
        cmocka_unit_test_setup(test_a_part_is_one_device_when_another_hart_waits_for_the_lock,
                               setup),
        cmocka_unit_test_setup(test_a_bus_is_reset_by_functions, setup),
        cmocka_unit_test_setup(test_a_device_that_does_not_come_to_its_end, setup),
        cmocka_unit_test_setup(test_every_function_on_a_bus_is_off, setup),
        cmocka_unit_test_setup(test_bus_mastering_ends_first, setup),
        cmocka_unit_test_setup(test_nobody_is_looked_for_behind_an_absent_card, setup),
        cmocka_unit_test_setup(test_capabilities_in_a_circle_come_to_an_end, setup),
        cmocka_unit_test_setup(test_a_uart_forgets_everything_but_its_speed, setup),
    };

    return cmocka_run_group_tests_name("device reset", tests, NULL, NULL);
}
