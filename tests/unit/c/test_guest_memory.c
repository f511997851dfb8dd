/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walking a tenant's page tables: right ones of every kind, and hostile ones. A read outside of the
 * tenant's memory ends the test, because nothing is mapped there; fuzz_guest_memory.c tries tables
 * of random bytes.
 */
#include <string.h>

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "cmocka_tests.h"
#include "features/plic/device_pages.h"
#include "guest_bench.h"

#define V 0x01
#define R 0x02
#define W 0x04
#define X 0x08
#define U 0x10
#define G 0x20
#define A 0x40
#define D 0x80

/* With a different index at each level: 3, 5, 7, 9, 11 from the top. */
#define ADDRESS (3ul << 48 | 5ul << 39 | 7ul << 30 | 9ul << 21 | 11ul << 12 | 0x678)

static int set_up(void **state)
{
    (void)state;
    guest_reset();
    return 0;
}

static unsigned shift_of(int level)
{
    return 12 + 9 * (unsigned)level;
}

static void set_entry(uint64_t table, int level, uint64_t address, uint64_t entry)
{
    guest_store64(table + (address >> shift_of(level) & 0x1ff) * 8, entry);
}

/* Tables in pages 0.. for `address`, from the top down to a leaf at `level`. Returns satp. */
static uint64_t map_at(uint64_t mode, int level, uint64_t address, uint64_t leaf)
{
    int top = (int)(mode - SV39) + 2;

    for (int each = top; each > level; each--) {
        set_entry(guest_page(top - each), each, address,
                  guest_entry(guest_page(top - each + 1), V));
    }
    set_entry(guest_page(top - level), level, address, leaf);
    return guest_satp(mode, guest_page(0));
}

static void test_bare(void **state)
{
    uint64_t physical;

    (void)state;
    assert_true(guest_translate(&guest, 0, 0x123456789abc, &physical));
    assert_int_equal(physical, 0x123456789abc);
    guest_store16(guest_page(3) + 0x10, 0x0013);
    guest_store16(guest_page(3) + 0x12, 0x1234);
    assert_int_equal(guest_fetch(&guest, 0, guest_page(3) + 0x10), 0x12340013);
    assert_int_equal(guest_fetch(&guest, 0, GUEST_DEVICE), 0);
    assert_int_equal(guest_fetch(&guest, 0, guest_page(-1)), 0);
    assert_int_equal(guest_fetch(&guest, 0, UINT64_MAX - 1), 0);
}

static void test_leaves_at_every_level(void **state)
{
    (void)state;
    for (uint64_t mode = SV39; mode <= SV57; mode++) {
        for (int level = 0; level <= (int)(mode - SV39) + 2; level++) {
            uint64_t inside = (1ul << shift_of(level)) - 1;
            uint64_t frame = 0x5a5a5a5a5a5000 & ~inside;
            uint64_t physical = 0;

            guest_reset();
            assert_true(guest_translate(&guest,
                                        map_at(mode, level, ADDRESS, guest_entry(frame, V | R | A)),
                                        ADDRESS, &physical));
            assert_int_equal(physical, frame | (ADDRESS & inside));
        }
    }
}

/* Low bits of a superpage's frame: the hart would refuse it, so nothing may depend on them. */
static void test_misaligned_superpage(void **state)
{
    uint64_t physical = 0;

    (void)state;
    assert_true(guest_translate(
        &guest, map_at(SV39, 1, ADDRESS, guest_entry(0x80204000, V | R | X)), ADDRESS, &physical));
    assert_int_equal(physical, 0x80200000 | (ADDRESS & 0x1fffff));
}

/* Bits of an entry above the frame number: Svnapot, Svpbmt, reserved. */
static void test_high_bits_of_an_entry(void **state)
{
    uint64_t physical = 0;

    (void)state;
    assert_true(guest_translate(
        &guest, map_at(SV39, 0, ADDRESS, guest_entry(0x80201000, V | R | 0xffc0000000000000)),
        ADDRESS, &physical));
    assert_int_equal(physical, 0x80201678);
}

static void test_modes_that_do_not_exist(void **state)
{
    uint64_t physical;

    (void)state;
    for (uint64_t offset = 0; offset < GUEST_PAGE; offset += 8) {
        guest_store64(guest_page(0) + offset, guest_entry(0x80201000, V | R));
    }
    for (uint64_t mode = 1; mode < 16; mode++) {
        assert_int_equal(
            guest_translate(&guest, guest_satp(mode, guest_page(0)), ADDRESS, &physical),
            mode >= SV39 && mode <= SV57);
    }
}

static void test_invalid_entries(void **state)
{
    uint64_t physical;

    (void)state;
    for (int level = 0; level <= 4; level++) {
        guest_reset();
        assert_false(guest_translate(
            &guest, map_at(SV57, level, ADDRESS, guest_entry(0x80201000, R | W | X)), ADDRESS,
            &physical));
    }
    guest_reset(); /* the last level points to a further table */
    assert_false(guest_translate(&guest, map_at(SV57, 0, ADDRESS, guest_entry(guest_page(0), V)),
                                 ADDRESS, &physical));
}

static void test_tables_outside(void **state)
{
    const uint64_t outside[] = {0,
                                GUEST_DEVICE,
                                guest_page(-1),
                                guest_page(GUEST_PAGES),
                                0x80000000,
                                (1ul << 56) - GUEST_PAGE};
    uint64_t physical;

    (void)state;
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        for (uint64_t mode = SV39; mode <= SV57; mode++) {
            assert_false(guest_translate(&guest, guest_satp(mode, outside[i]), ADDRESS, &physical));
            for (int level = 1; level <= (int)(mode - SV39) + 2; level++) {
                guest_reset();
                assert_false(guest_translate(
                    &guest, map_at(mode, level, ADDRESS, guest_entry(outside[i], V)), ADDRESS,
                    &physical));
            }
        }
    }
}

/* Tables that point to themselves end with the levels. */
static void test_loops(void **state)
{
    uint64_t physical;

    (void)state;
    for (uint64_t offset = 0; offset < GUEST_PAGE; offset += 8) {
        guest_store64(guest_page(5) + offset, guest_entry(guest_page(5), V));
    }
    for (uint64_t mode = SV39; mode <= SV57; mode++) {
        assert_false(guest_translate(&guest, guest_satp(mode, guest_page(5)), ADDRESS, &physical));
    }
}

/* The first byte after its memory, a half in it, and an odd address. */
static void test_fetch_at_the_edges(void **state)
{
    uint64_t end = guest_page(GUEST_PAGES);

    (void)state;
    guest_store16(end - 2, 0x4501);
    assert_int_equal(guest_fetch(&guest, 0, end - 2), 0x4501);
    guest_store16(end - 2, 0x0013);
    assert_int_equal(guest_fetch(&guest, 0, end - 2), 0);
    assert_int_equal(guest_fetch(&guest, 0, end - 1), 0);
    assert_int_equal(guest_fetch(&guest, 0, end), 0);
    assert_int_equal(guest_fetch(&guest, 0, guest_page(0) + 1), 0);
    assert_int_equal(guest_fetch(&guest, 0, guest_page(0) - 2), 0);
}

/* An instruction in two pages that are not neighbours in physical memory. */
static void test_fetch_across_pages(void **state)
{
    uint64_t pc = 0x40200ffe;
    uint64_t satp = map_at(SV39, 0, pc, guest_entry(guest_page(8), V | R | X));

    (void)state;
    set_entry(guest_page(2), 0, pc + 2, guest_entry(guest_page(6), V | R | X));
    guest_store16(guest_page(8) + 0xffe, 0x3083);
    guest_store16(guest_page(6), 0x0105);
    assert_int_equal(guest_fetch(&guest, satp, pc), 0x01053083);
    set_entry(guest_page(2), 0, pc + 2, guest_entry(guest_page(GUEST_PAGES), V | R | X));
    assert_int_equal(guest_fetch(&guest, satp, pc), 0);
    set_entry(guest_page(2), 0, pc + 2, 0);
    assert_int_equal(guest_fetch(&guest, satp, pc), 0);
    guest_store16(guest_page(8) + 0xffe, 0x4501); /* needs the first page only */
    assert_int_equal(guest_fetch(&guest, satp, pc), 0x4501);
}

static void test_compressed_instruction_has_no_high_half(void **state)
{

    (void)state;
    guest_store16(guest_page(1), 0x6288);
    guest_store16(guest_page(1) + 2, 0xffff);
    assert_int_equal(guest_fetch(&guest, 0, guest_page(1)), 0x6288);
}

static bool may(uint64_t leaf, uint64_t status, bool store)
{
    uint64_t physical;

    guest_reset();
    return guest_translate_checked(
        &guest, map_at(SV39, 0, ADDRESS & 0x3fffffffff, guest_entry(0x80201000, leaf)), status,
        store, ADDRESS & 0x3fffffffff, &physical);
}

/* Privileged ISA 4.3.2, for all flags of a leaf and all modes. */
static void test_permissions(void **state)
{
    (void)state;
    for (uint64_t leaf = 0; leaf < 0x100; leaf++) {
        for (int mode = 0; mode < 16; mode++) {
            bool from_s = (mode & 1) != 0;
            bool sum = (mode & 2) != 0;
            bool mxr = (mode & 4) != 0;
            bool store = (mode & 8) != 0;
            uint64_t status =
                (from_s ? MSTATUS_MPP_S : 0) | (sum ? MSTATUS_SUM : 0) | (mxr ? MSTATUS_MXR : 0);
            bool privilege = (leaf & U) == 0 ? from_s : !from_s || sum;
            bool reserved = (leaf & (R | W)) == W;
            bool load = (leaf & R) != 0 || (mxr && (leaf & X) != 0);
            bool expected = (leaf & V) != 0 && (leaf & (R | W | X)) != 0 && !reserved &&
                            privilege && (leaf & A) != 0 &&
                            (store ? (leaf & W) != 0 && (leaf & D) != 0 : load);

            assert_int_equal(may(leaf, status, store), expected);
        }
    }
}

static void test_addresses_that_are_not_canonical(void **state)
{
    uint64_t leaf = guest_entry(0x80201000, V | R | A);
    uint64_t physical;

    (void)state;
    for (uint64_t mode = SV39; mode <= SV57; mode++) {
        uint64_t sign = 1ul << (38 + 9 * (mode - SV39));
        uint64_t low = ADDRESS & (sign - 1);
        uint64_t satp = map_at(mode, 0, low, leaf);

        assert_true(guest_translate_checked(&guest, satp, MSTATUS_MPP_S, false, low, &physical));
        assert_false(guest_translate_checked(&guest, satp, MSTATUS_MPP_S, false, low | sign << 1,
                                             &physical));
        guest_reset();
        satp = map_at(mode, 0, low | sign, leaf);
        assert_false(
            guest_translate_checked(&guest, satp, MSTATUS_MPP_S, false, low | sign, &physical));
        assert_true(
            guest_translate_checked(&guest, satp, MSTATUS_MPP_S, false, low | -sign, &physical));
        guest_reset();
    }
}

static bool finds_device(uint64_t satp, uint64_t address, uint64_t *physical)
{
    return device_translate(&guest_vhart, satp, address, physical);
}

static void test_device_pages_are_remembered(void **state)
{
    uint64_t leaf = guest_entry(GUEST_DEVICE, V | R | W | A | D);
    uint64_t satp = map_at(SV39, 0, ADDRESS & ~0xffful, leaf);
    uint64_t page = ADDRESS & ~0xffful;
    uint64_t physical = 0;

    (void)state;
    for (int time = 0; time < 3; time++) {
        assert_true(finds_device(satp, page + 8 * (uint64_t)time, &physical));
        assert_int_equal(physical, GUEST_DEVICE + 8 * (uint64_t)time);
    }
    /* The leaf points elsewhere now, then nowhere, then to the device again. */
    set_entry(guest_page(2), 0, page, guest_entry(0x80201000, V | R));
    assert_false(finds_device(satp, page, &physical));
    set_entry(guest_page(2), 0, page, 0);
    assert_false(finds_device(satp, page, &physical));
    set_entry(guest_page(2), 0, page, leaf);
    assert_true(finds_device(satp, page, &physical));
    /* Another address space has nothing there. */
    assert_false(finds_device(guest_satp(SV39, guest_page(9)), page, &physical));
    /* And a page that takes the same place in the memory of pages. */
    assert_false(finds_device(satp, page + (uint64_t)DEVICE_PAGES * GUEST_PAGE, &physical));
    assert_true(finds_device(satp, page, &physical));
}

static void test_windows_are_remembered_by_physical_page(void **state)
{
    uint64_t page = ADDRESS & ~0xffful;
    uint64_t satp = map_at(SV39, 0, page, guest_entry(GUEST_DEVICE, V | R | W | A | D));
    uint64_t physical = 0;

    (void)state;
    memset(&guest_plic, 0, sizeof(guest_plic));
    assert_null(device_window(&guest_vhart, page, GUEST_DEVICE));
    assert_true(finds_device(satp, page, &physical));
    assert_ptr_equal(device_window(&guest_vhart, page + 8, GUEST_DEVICE + 8), &guest_window);
    assert_null(device_window(&guest_vhart, page + 8, GUEST_DEVICE + GUEST_PAGE + 8));
    assert_null(device_window(&guest_vhart, page + GUEST_PAGE, GUEST_DEVICE));
    /* A search in vain takes nothing from what is known of the page, and adds nothing to it. */
    assert_false(finds_device(satp, page + (uint64_t)DEVICE_PAGES * GUEST_PAGE, &physical));
    assert_ptr_equal(device_window(&guest_vhart, page, GUEST_DEVICE), &guest_window);
    /* Without translation too, and that is no page of an address space. */
    assert_null(device_window(&guest_vhart, GUEST_DEVICE, GUEST_DEVICE));
    assert_true(finds_device(0, GUEST_DEVICE, &physical));
    assert_ptr_equal(device_window(&guest_vhart, GUEST_DEVICE, GUEST_DEVICE), &guest_window);
    assert_false(finds_device(satp, GUEST_DEVICE, &physical));
}

static void test_only_devices_are_remembered(void **state)
{
    uint64_t satp = map_at(SV39, 0, ADDRESS, guest_entry(GUEST_DEVICE + GUEST_PAGE, V | R));
    uint64_t physical;

    (void)state;
    assert_false(finds_device(satp, ADDRESS, &physical));
    assert_false(finds_device(satp, ADDRESS, &physical));
    assert_true(finds_device(0, GUEST_DEVICE + 4, &physical));
    assert_false(finds_device(0, GUEST_DEVICE + GUEST_DEVICE_SIZE, &physical));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_bare, set_up),
        cmocka_unit_test_setup(test_leaves_at_every_level, set_up),
        cmocka_unit_test_setup(test_misaligned_superpage, set_up),
        cmocka_unit_test_setup(test_high_bits_of_an_entry, set_up),
        cmocka_unit_test_setup(test_modes_that_do_not_exist, set_up),
        cmocka_unit_test_setup(test_invalid_entries, set_up),
        cmocka_unit_test_setup(test_tables_outside, set_up),
        cmocka_unit_test_setup(test_loops, set_up),
        cmocka_unit_test_setup(test_fetch_at_the_edges, set_up),
        cmocka_unit_test_setup(test_fetch_across_pages, set_up),
        cmocka_unit_test_setup(test_compressed_instruction_has_no_high_half, set_up),
        cmocka_unit_test_setup(test_permissions, set_up),
        cmocka_unit_test_setup(test_addresses_that_are_not_canonical, set_up),
        cmocka_unit_test_setup(test_device_pages_are_remembered, set_up),
        cmocka_unit_test_setup(test_windows_are_remembered_by_physical_page, set_up),
        cmocka_unit_test_setup(test_only_devices_are_remembered, set_up),
    };

    return cmocka_run_group_tests_name("guest_memory", tests, NULL, NULL);
}
