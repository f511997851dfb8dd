/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The units that confine bus masters, in front of a model of their registers: what each master
 * reaches at each moment of its tenants' lives.
 */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "features/bus_protection/bus_protection.h"
#include "features/bus_protection/registers.h"

#define BASE 0x20005000
#define MASTERS MPFS_MPU_MASTERS
#define ENTRIES MPFS_MPU_ENTRIES
#define LOCKED (1ul << 63)
#define ON (3ul << 59 | 1ul << 57 | 1ul << 56)
#define LOW 0x80000000ul
#define HIGH 0x80400000ul

enum { GEM0 = 4, GEM1 = 5, USB = 6 };

static const uint32_t implemented[MASTERS] = {16, 16, 8, 4, 8, 8, 4, 4, 8, 2};
static uint64_t entries[MASTERS][ENTRIES];
static bool is_there;
static unsigned said;
static struct bundle made;
static struct tenant first = {.index = 0, .description = &made.tenants[0]};
static struct tenant second = {.index = 1, .description = &made.tenants[1]};
static struct tenant guest = {.index = COTENANT_MAX_TENANTS, .description = &made.tenants[2]};

static struct hart hart;
static bool lock_is_wanted;

bool shared_lock_has_waiting(void)
{
    return lock_is_wanted;
}

void monitor_log_begin(void)
{
    said++;
}

void monitor_puts(const char *text)
{
    (void)text;
}

void monitor_put_u64(uint64_t value)
{
    (void)value;
}

/* NULL: an entry that the master has not. */
static uint64_t *entry_at(uint64_t address)
{
    uint64_t master = (address - BASE) / 0x100;
    uint64_t entry = (address - BASE) % 0x100 / 8;

    assert_true(address >= BASE && master < MASTERS && entry < ENTRIES && address % 8 == 0);
    return is_there && entry < implemented[master] ? &entries[master][entry] : NULL;
}

uint64_t mmio_read64(uint64_t address)
{
    const uint64_t *entry = entry_at(address);

    return entry == NULL ? 0 : *entry | 0x1ff;
}

void mmio_write64(uint64_t address, uint64_t value)
{
    uint64_t *entry = entry_at(address);

    if (entry != NULL && (*entry & LOCKED) == 0) {
        *entry = value & 0xff000ffffffffffful;
    }
}

/* What the product does with an address that a master puts on the bus. */
static bool reaches(uint32_t master, uint64_t address)
{
    for (uint32_t i = 0; i < implemented[master]; i++) {
        uint64_t pmp = (entries[master][i] & ((1ul << 36) - 1)) | 0x1ff;
        uint64_t same = ~(pmp ^ (pmp + 1));

        if ((entries[master][i] & ON) == ON && ((address >> 2 ^ pmp) & same) == 0) {
            return true;
        }
    }
    return false;
}

static bool reaches_nothing(uint32_t master)
{
    for (uint32_t i = 0; i < ENTRIES; i++) {
        if ((entries[master][i] & 3ul << 59) != 0) {
            return false;
        }
    }
    return true;
}

static void assert_reaches(uint32_t master, uint64_t base, uint64_t size)
{
    assert_false(reaches(master, base - 1));
    assert_true(reaches(master, base));
    assert_true(reaches(master, base + size - 1));
    assert_false(reaches(master, base + size));
    assert_false(reaches(master, base + 0x40000000)); /* an alias without caches */
    assert_false(reaches(master, base + 0x1000000000));
}

static int set_up(void **state)
{
    (void)state;
    memset(&made, 0, sizeof(made));
    bundle = &made;
    made.tenant_count = 2;
    made.board.bus_kind = COTENANT_BUS_MPFS_MPU;
    made.board.bus_base = BASE;
    made.board.master_count = MASTERS;
    for (uint16_t i = 0; i < MASTERS; i++) {
        /* In another order than the numbers. */
        made.board.masters[i].number = MASTERS - 1 - i;
        made.board.masters[i].entries = (uint16_t)implemented[MASTERS - 1 - i];
        for (uint32_t entry = 0; entry < implemented[i]; entry++) {
            entries[i][entry] = ON | ((1ul << 36) - 1); /* as a first stage leaves it */
        }
    }
    made.board.masters[MASTERS - 1 - GEM0].tenants = 0x1;
    made.board.masters[MASTERS - 1 - GEM1].tenants = 0x2;
    made.board.masters[MASTERS - 1 - USB].tenants = 0x3; /* of a group */
    made.tenants[0].memory[0] = (struct bundle_range){LOW, 0x300000};
    made.tenants[0].memory[2] = (struct bundle_range){LOW + 0x300000, 0x1000};
    made.tenants[1].memory[1] = (struct bundle_range){HIGH, 0x100000};
    is_there = true;
    lock_is_wanted = false;
    csr_file_write("mip", 0);
    csr_file_write("tp", (uint64_t)&hart);
    machine_begins();
    said = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    memset(entries, 0, sizeof(entries)); /* a reset */
    return 0;
}

static void start(struct tenant *tenant)
{
    while (!tenant_open_memory(tenant, true)) {
    }
}

/* It stops, or suspends for another one. */
static void leave(struct tenant *tenant)
{
    while (!tenant_open_memory(tenant, false)) {
    }
}

static void test_at_boot_nothing_is_open_and_what_nobody_owns_is_locked(void **state)
{
    (void)state;
    for (uint32_t master = 0; master < MASTERS; master++) {
        bool owned = master == GEM0 || master == GEM1 || master == USB;

        assert_true(reaches_nothing(master));
        for (uint32_t i = 0; i < implemented[master]; i++) {
            assert_int_equal(entries[master][i] >> 63, !owned);
        }
    }
}

static void test_a_device_reaches_its_tenants_memory_while_it_runs(void **state)
{
    (void)state;
    start(&first);
    assert_reaches(GEM0, LOW, 0x301000);
    assert_reaches(USB, LOW, 0x301000);
    assert_true(reaches_nothing(GEM1));
    assert_int_equal(said, 0);
    leave(&first);
    assert_true(reaches_nothing(GEM0) && reaches_nothing(USB));
    start(&first);
    assert_reaches(GEM0, LOW, 0x301000);
}

static void test_what_a_group_has_follows_the_switch(void **state)
{
    (void)state;
    start(&first);
    leave(&first);
    assert_true(reaches_nothing(USB) && reaches_nothing(GEM0) && reaches_nothing(GEM1));
    start(&second);
    assert_reaches(USB, HIGH, 0x100000);
    assert_reaches(GEM1, HIGH, 0x100000);
    leave(&first); /* one that is dormant is stopped: not its devices */
    assert_reaches(USB, HIGH, 0x100000);
    leave(&second);
    start(&first);
    assert_reaches(USB, LOW, 0x301000);
    assert_true(reaches_nothing(GEM1));
    assert_int_equal(said, 0);
}

static unsigned open_entries(void)
{
    unsigned count = 0;

    for (uint32_t master = 0; master < MASTERS; master++) {
        for (uint32_t i = 0; i < ENTRIES; i++) {
            count += (entries[master][i] & ON) == ON;
        }
    }
    return count;
}

/* The hart is wanted all the time: each call changes one entry at most, and they come to an end. */
static void check_steps(bool by_lock)
{
    unsigned calls = 1;

    csr_file_write("mip", by_lock ? 0 : INTERRUPT_MTI);
    lock_is_wanted = by_lock;
    for (unsigned before = 0; !tenant_open_memory(&first, true); calls++) {
        assert_in_range(open_entries(), before, before + 1);
        assert_true(calls < 100);
        before = open_entries();
    }
    assert_true(calls > open_entries());
    assert_reaches(GEM0, LOW, 0x301000);
    assert_reaches(USB, LOW, 0x301000);
    for (bool done = false; !done;) {
        unsigned before = open_entries();

        done = tenant_open_memory(&first, false);
        assert_in_range(before - open_entries(), done ? 0 : 1, 1);
    }
    assert_true(reaches_nothing(GEM0) && reaches_nothing(USB));
}

static void test_entries_change_one_by_one_when_the_hart_is_wanted(void **state)
{
    (void)state;
    check_steps(false);
}

static void test_entries_change_one_by_one_when_another_hart_waits_for_the_lock(void **state)
{
    (void)state;
    check_steps(true);
}

/* It is stopped, or suspends, before its devices reach all of its memory. */
static void test_what_is_open_in_part_is_closed(void **state)
{
    (void)state;
    csr_file_write("mip", INTERRUPT_MTI);
    for (unsigned i = 0; i < 3; i++) {
        assert_false(tenant_open_memory(&first, true));
    }
    assert_true(open_entries() > 0);
    leave(&first);
    assert_int_equal(open_entries(), 0);
    csr_file_write("mip", 0);
    start(&second);
    assert_reaches(USB, HIGH, 0x100000);
    assert_true(reaches_nothing(GEM0));
}

static void test_a_guest_of_a_tenant_has_no_devices(void **state)
{
    (void)state;
    start(&guest);
    for (uint32_t master = 0; master < MASTERS; master++) {
        assert_true(reaches_nothing(master));
    }
}

static void test_a_board_without_a_unit_is_left_alone(void **state)
{
    (void)state;
    made.board.master_count = 0;
    made.board.bus_base = 0; /* any access would fail the test */
    machine_begins();
    start(&first);
}

static void test_what_the_registers_do_not_hold_is_said(void **state)
{
    (void)state;
    memset(entries, 0, sizeof(entries));
    entries[GEM0][1] = LOCKED; /* of a tenant: it cannot be opened */
    entries[0][0] = LOCKED;    /* of nobody: that is as it should be */
    machine_begins();
    assert_int_equal(said, 1);
    entries[0][0] = LOCKED | ON;
    entries[USB][0] = LOCKED | ON;
    machine_begins();
    assert_int_equal(said, 4);
    is_there = false;
    machine_begins();
    assert_int_equal(said, 7); /* of those that a tenant has */
}

static void test_more_blocks_than_entries_are_not_written(void **state)
{
    (void)state;
    /* The check refuses it. A page less than 256M is 16 blocks, the largest first. */
    made.tenants[0].memory[0] = (struct bundle_range){LOW, 0x10000000 - 0x1000};
    made.tenants[0].memory[2].size = 0;
    start(&first);
    assert_true(reaches(USB, LOW) && reaches(GEM0, LOW));
    assert_false(reaches(USB, LOW + 0xfffe000));
}

static void test_blocks_are_aligned_and_cover_the_memory(void **state)
{
    static const struct bundle_range ranges[] = {
        {0, 0x1000},
        {0x1000, 0xf000},
        {LOW, 0x40000000},
        {LOW + 0x3000, 0x1000},
        {LOW + 0x5000, 0x7000},
        {0x7fffff000, 0x2000},
        {0, 1ul << 38},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        struct bundle_tenant tenant = {.memory = {[3] = ranges[i]}};
        struct bus_blocks blocks = {&tenant, 0, 0};
        uint64_t next = ranges[i].base;

        for (struct bundle_range block = bus_next_block(&blocks); block.size != 0;
             block = bus_next_block(&blocks)) {
            assert_int_equal(block.base, next);
            assert_true(block.size >= 0x1000 && (block.size & (block.size - 1)) == 0);
            assert_int_equal(block.base & (block.size - 1), 0);
            next += block.size;
        }
        assert_int_equal(next, ranges[i].base + ranges[i].size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, end)
        TEST(test_at_boot_nothing_is_open_and_what_nobody_owns_is_locked),
        TEST(test_a_device_reaches_its_tenants_memory_while_it_runs),
        TEST(test_what_a_group_has_follows_the_switch),
        TEST(test_entries_change_one_by_one_when_the_hart_is_wanted),
        TEST(test_entries_change_one_by_one_when_another_hart_waits_for_the_lock),
        TEST(test_what_is_open_in_part_is_closed),
        TEST(test_a_guest_of_a_tenant_has_no_devices),
        TEST(test_a_board_without_a_unit_is_left_alone),
        TEST(test_what_the_registers_do_not_hold_is_said),
        TEST(test_more_blocks_than_entries_are_not_written),
        TEST(test_blocks_are_aligned_and_cover_the_memory),
    };

    return cmocka_run_group_tests_name("bus_protection", tests, NULL, NULL);
}
