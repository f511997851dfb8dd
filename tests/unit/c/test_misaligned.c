/* SPDX-License-Identifier: BSD-2-Clause */
/* Misaligned loads and stores, done in software against page tables in the test's own memory. */
#include "core/misaligned.h"

#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/tenant.h"
#include "features/misaligned/fp_register.h"
#include "random.h"

#define PAGE 4096
#define PAGES 16
#define ROOT 0
#define MIDDLE 1
#define LEAVES 2
#define CODE 3
#define DATA 4 /* three pages of data, and what lies behind them */

/* Virtual address of page n: identity of the index, in reverse order for data. */
#define VIRTUAL 0x40000000ul
#define SV39 (8ul << SATP_MODE_SHIFT)

#define PTE_VALID 0x01
#define PTE_READ 0x02
#define PTE_WRITE 0x04
#define PTE_EXECUTE 0x08
#define PTE_USER 0x10
#define PTE_ACCESSED 0x40
#define PTE_DIRTY 0x80
#define PTE_ALL (PTE_VALID | PTE_READ | PTE_WRITE | PTE_ACCESSED | PTE_DIRTY)

#define T0 5
#define T1 6

static uint8_t memory[PAGES][PAGE] __attribute__((aligned(PAGE)));
static struct bundle_tenant description;
static struct tenant tenant;
static struct vhart vhart;
static uint64_t fp[32];
static uint64_t satp;

/* Stand-ins for what the code under test reaches of the rest. */
uint64_t fp_read_register(uint64_t number)
{
    return fp[number];
}

void fp_write_register(uint64_t number, uint64_t value)
{
    fp[number] = value;
}

static uint64_t *table(unsigned page)
{
    return (uint64_t *)memory[page];
}

static uint64_t entry(unsigned page, uint64_t flags)
{
    return (uint64_t)(uintptr_t)memory[page] >> 12 << 10 | flags;
}

/* Virtual page n of the window leads to physical page `page`. */
static void map(unsigned n, unsigned page, uint64_t flags)
{
    table(LEAVES)[n] = entry(page, flags);
}

static int setup(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    memset(&description, 0, sizeof(description));
    memset(&vhart, 0, sizeof(vhart));
    memset(fp, 0, sizeof(fp));
    /* The last two pages are not the tenant's. */
    description.memory[0] = (struct bundle_range){(uintptr_t)memory, (PAGES - 2) * PAGE};
    tenant.description = &description;
    description.flags = COTENANT_TENANT_FP;
    vhart.tenant = &tenant;
    vhart.world.mstatus = MSTATUS_MPP_S | MSTATUS_FS_INITIAL;
    table(ROOT)[1] = entry(MIDDLE, PTE_VALID);
    table(MIDDLE)[0] = entry(LEAVES, PTE_VALID);
    map(CODE, CODE, PTE_VALID | PTE_READ | PTE_EXECUTE | PTE_ACCESSED | PTE_USER);
    /* Neighbours in virtual memory that are none in physical memory. */
    map(DATA, DATA + 2, PTE_ALL);
    map(DATA + 1, DATA, PTE_ALL);
    satp = SV39 | (uintptr_t)memory[ROOT] >> 12;
    return 0;
}

static uint64_t virtual_address(unsigned page, unsigned offset)
{
    return VIRTUAL + (uint64_t)page * PAGE + offset;
}

/* Executes `instruction`, whose address operand is `address`. */
static bool execute(uint32_t instruction, uint64_t cause, uint64_t address,
                    struct misaligned_fault *fault)
{
    memcpy(memory[CODE], &instruction, sizeof(instruction));
    vhart.world.registers[REGISTER_PC] =
        satp == 0 ? (uintptr_t)memory[CODE] : virtual_address(CODE, 0);
    csr_file_write("satp", satp);
    *fault = (struct misaligned_fault){cause, address};
    return misaligned_emulate(&vhart, satp, fault);
}

static uint64_t moved(void)
{
    return vhart.world.registers[REGISTER_PC] & (PAGE - 1);
}

/* funct3, rd and rs1 = t1 of a load; funct3, rs2 and rs1 = t1 of a store. */
static uint32_t load(unsigned funct3, unsigned rd)
{
    return T1 << 15 | funct3 << 12 | rd << 7 | 0x03;
}

static uint32_t store(unsigned funct3, unsigned rs2)
{
    return rs2 << 20 | T1 << 15 | funct3 << 12 | 0x23;
}

#define assert_faults(call, expected_cause, expected_address)                                      \
    do {                                                                                           \
        uint64_t pc_before;                                                                        \
        assert_false(call);                                                                        \
        pc_before = satp == 0 ? (uintptr_t)memory[CODE] : virtual_address(CODE, 0);                \
        assert_int_equal(vhart.world.registers[REGISTER_PC], pc_before);                           \
        assert_int_equal(fault.cause, expected_cause);                                             \
        assert_int_equal(fault.address, expected_address);                                         \
    } while (0)

static void test_loads_of_every_size_and_offset(void **state)
{
    struct misaligned_fault fault;

    (void)state;
    satp = 0;
    for (unsigned i = 0; i < 32; i++) {
        memory[DATA][i] = (uint8_t)(0x75 + 37 * i);
    }
    for (unsigned offset = 1; offset < 16; offset++) {
        int16_t half;
        int32_t word;
        int64_t twice;
        const uint8_t *bytes = &memory[DATA][offset];
        uint64_t address = (uintptr_t)bytes;

        memcpy(&half, bytes, sizeof(half));
        memcpy(&word, bytes, sizeof(word));
        memcpy(&twice, bytes, sizeof(twice));
        assert_true(execute(load(1, T0), CAUSE_LOAD_MISALIGNED, address, &fault));
        assert_int_equal(vhart.world.registers[T0], half);
        assert_int_equal(moved(), 4);
        assert_true(execute(load(5, T0), CAUSE_LOAD_MISALIGNED, address, &fault));
        assert_int_equal(vhart.world.registers[T0], (uint16_t)half);
        assert_true(execute(load(2, T0), CAUSE_LOAD_MISALIGNED, address, &fault));
        assert_int_equal(vhart.world.registers[T0], word);
        assert_true(execute(load(6, T0), CAUSE_LOAD_MISALIGNED, address, &fault));
        assert_int_equal(vhart.world.registers[T0], (uint32_t)word);
        assert_true(execute(load(3, T0), CAUSE_LOAD_MISALIGNED, address, &fault));
        assert_int_equal(vhart.world.registers[T0], twice);
    }
}

static void test_stores_write_their_bytes_and_no_others(void **state)
{
    static const unsigned sizes[] = {1, 2, 4, 8};
    struct misaligned_fault fault;

    (void)state;
    satp = 0;
    for (unsigned funct3 = 1; funct3 <= 3; funct3++) {
        for (unsigned offset = 1; offset < 16; offset++) {
            uint8_t expected[32];
            uint64_t value = 0x0102030405060708ul * offset;

            memset(memory[DATA], 0xa5, sizeof(expected));
            memset(expected, 0xa5, sizeof(expected));
            memcpy(&expected[offset], &value, sizes[funct3]);
            vhart.world.registers[T0] = value;
            assert_true(execute(store(funct3, T0), CAUSE_STORE_MISALIGNED,
                                (uintptr_t)&memory[DATA][offset], &fault));
            assert_memory_equal(memory[DATA], expected, sizeof(expected));
            assert_int_equal(moved(), 4);
        }
    }
}

static void test_x0_reads_as_zero_and_stays_zero(void **state)
{
    struct misaligned_fault fault;

    (void)state;
    satp = 0;
    memset(memory[DATA], 0xff, 16);
    assert_true(execute(load(3, 0), CAUSE_LOAD_MISALIGNED, (uintptr_t)&memory[DATA][1], &fault));
    assert_int_equal(moved(), 4); /* the pc is kept in the place of x0 */
    assert_true(execute(store(3, 0), CAUSE_STORE_MISALIGNED, (uintptr_t)&memory[DATA][1], &fault));
    for (unsigned i = 1; i < 9; i++) {
        assert_int_equal(memory[DATA][i], 0);
    }
}

static void test_an_access_across_pages_takes_both_translations(void **state)
{
    struct misaligned_fault fault;
    uint64_t value = 0x1122334455667788;

    (void)state;
    vhart.world.registers[T0] = value;
    assert_true(
        execute(store(3, T0), CAUSE_STORE_MISALIGNED, virtual_address(DATA, PAGE - 3), &fault));
    assert_memory_equal(&memory[DATA + 2][PAGE - 3], &value, 3);
    assert_memory_equal(&memory[DATA][0], (uint8_t *)&value + 3, 5);
    assert_true(
        execute(load(3, T1), CAUSE_LOAD_MISALIGNED, virtual_address(DATA, PAGE - 3), &fault));
    assert_int_equal(vhart.world.registers[T1], value);
}

static void test_the_second_page_faults_before_anything_is_written(void **state)
{
    struct misaligned_fault fault;
    uint64_t address = virtual_address(DATA + 1, PAGE - 3);

    (void)state;
    vhart.world.registers[T0] = UINT64_MAX;
    assert_faults(execute(store(3, T0), CAUSE_STORE_MISALIGNED, address, &fault), CAUSE_STORE_PAGE,
                  virtual_address(DATA + 2, 0));
    assert_faults(execute(load(3, T0), CAUSE_LOAD_MISALIGNED, address, &fault), CAUSE_LOAD_PAGE,
                  virtual_address(DATA + 2, 0));
    assert_int_equal(memory[DATA][PAGE - 1], 0);
}

static void test_an_address_that_is_not_mapped_faults_as_a_page(void **state)
{
    struct misaligned_fault fault;
    uint64_t elsewhere = 0x7ffffffffful;

    (void)state;
    assert_faults(execute(load(3, T0), CAUSE_LOAD_MISALIGNED, elsewhere, &fault), CAUSE_LOAD_PAGE,
                  elsewhere);
    /* The same page by the bits that the tables translate, but no address of Sv39. */
    elsewhere = virtual_address(DATA, 1) | 1ul << 39;
    assert_faults(execute(load(3, T0), CAUSE_LOAD_MISALIGNED, elsewhere, &fault), CAUSE_LOAD_PAGE,
                  elsewhere);
    elsewhere = virtual_address(DATA, 1) | 1ul << 63;
    assert_faults(execute(store(3, T0), CAUSE_STORE_MISALIGNED, elsewhere, &fault),
                  CAUSE_STORE_PAGE, elsewhere);
}

/* One access to a page with `flags`, made under mstatus `status`: is it done? */
static bool permitted(uint64_t flags, uint64_t status, bool is_store)
{
    struct misaligned_fault fault;
    uint64_t address = virtual_address(DATA, 1);

    map(DATA, DATA, flags);
    vhart.world.mstatus = status;
    if (execute(is_store ? store(3, T0) : load(3, T0),
                is_store ? CAUSE_STORE_MISALIGNED : CAUSE_LOAD_MISALIGNED, address, &fault)) {
        return true;
    }
    assert_int_equal(fault.cause, is_store ? CAUSE_STORE_PAGE : CAUSE_LOAD_PAGE);
    assert_int_equal(fault.address, address);
    return false;
}

static void test_page_permissions_are_those_of_the_hart(void **state)
{
    const uint64_t s = MSTATUS_MPP_S;
    const uint64_t u = 0;

    (void)state;
    assert_true(permitted(PTE_ALL, s, false));
    assert_true(permitted(PTE_ALL, s, true));
    /* A process must not reach its kernel's pages. */
    assert_false(permitted(PTE_ALL, u, false));
    assert_false(permitted(PTE_ALL, u, true));
    assert_true(permitted(PTE_ALL | PTE_USER, u, false));
    assert_true(permitted(PTE_ALL | PTE_USER, u, true));
    /* A kernel reaches its processes' pages only when it says so. */
    assert_false(permitted(PTE_ALL | PTE_USER, s, false));
    assert_false(permitted(PTE_ALL | PTE_USER, s, true));
    assert_true(permitted(PTE_ALL | PTE_USER, s | MSTATUS_SUM, true));
    assert_false(permitted(PTE_ALL & ~(uint64_t)PTE_WRITE, s, true));
    assert_true(permitted(PTE_ALL & ~(uint64_t)PTE_WRITE, s, false));
    /* Executable only. */
    assert_false(permitted(PTE_VALID | PTE_EXECUTE | PTE_ACCESSED, s, false));
    assert_true(permitted(PTE_VALID | PTE_EXECUTE | PTE_ACCESSED, s | MSTATUS_MXR, false));
    assert_false(
        permitted(PTE_VALID | PTE_EXECUTE | PTE_ACCESSED | PTE_DIRTY, s | MSTATUS_MXR, true));
    /* Writable and not readable is reserved. */
    assert_false(permitted(PTE_ALL & ~(uint64_t)PTE_READ, s, true));
    assert_false(permitted(PTE_ALL & ~(uint64_t)PTE_ACCESSED, s, false));
    assert_true(permitted(PTE_ALL & ~(uint64_t)PTE_DIRTY, s, false));
    assert_false(permitted(PTE_ALL & ~(uint64_t)PTE_DIRTY, s, true));
}

static void test_memory_of_others_gives_an_access_fault(void **state)
{
    struct misaligned_fault fault;
    uint64_t last = (uintptr_t)memory[PAGES - 2];

    (void)state;
    map(DATA, PAGES - 1, PTE_ALL);
    assert_faults(execute(store(3, T0), CAUSE_STORE_MISALIGNED, virtual_address(DATA, 1), &fault),
                  CAUSE_STORE_ACCESS, virtual_address(DATA, 1));
    satp = 0;
    /* The first bytes are the tenant's, the others are not. */
    assert_faults(execute(load(3, T0), CAUSE_LOAD_MISALIGNED, last - 3, &fault), CAUSE_LOAD_ACCESS,
                  last);
    assert_faults(execute(store(3, T0), CAUSE_STORE_MISALIGNED, last - 3, &fault),
                  CAUSE_STORE_ACCESS, last);
    assert_faults(execute(load(3, T0), CAUSE_LOAD_MISALIGNED, UINT64_MAX - 2, &fault),
                  CAUSE_LOAD_ACCESS, UINT64_MAX - 2);
}

static void test_what_must_be_aligned_keeps_its_exception(void **state)
{
    const uint32_t amoadd_d = T0 << 20 | T1 << 15 | 3 << 12 | T0 << 7 | 0x2f;
    const uint32_t lr_w = 2u << 27 | T1 << 15 | 2 << 12 | T0 << 7 | 0x2f;
    struct misaligned_fault fault;
    uint64_t address = virtual_address(DATA, 1);

    (void)state;
    assert_faults(execute(amoadd_d, CAUSE_STORE_MISALIGNED, address, &fault),
                  CAUSE_STORE_MISALIGNED, address);
    assert_faults(execute(lr_w, CAUSE_LOAD_MISALIGNED, address, &fault), CAUSE_LOAD_MISALIGNED,
                  address);
    /* Another hart of the tenant has put a store where the load was. */
    assert_faults(execute(store(3, T0), CAUSE_LOAD_MISALIGNED, address, &fault),
                  CAUSE_LOAD_MISALIGNED, address);
}

static void test_compressed_forms(void **state)
{
    /* c.ld a5, 0(a5); c.sd a4, 0(a5); c.lwsp t0, 0(sp); c.sdsp t0, 0(sp) */
    struct misaligned_fault fault;
    uint64_t address = virtual_address(DATA, 9);
    uint64_t value = 0x8182838485868788;

    (void)state;
    memcpy(&memory[DATA + 2][9], &value, sizeof(value));
    assert_true(execute(0x639c, CAUSE_LOAD_MISALIGNED, address, &fault));
    assert_int_equal(vhart.world.registers[15], value);
    assert_int_equal(moved(), 2);
    vhart.world.registers[14] = 0x1234;
    assert_true(execute(0xe398, CAUSE_STORE_MISALIGNED, address, &fault));
    value = 0x1234;
    assert_memory_equal(&memory[DATA + 2][9], &value, sizeof(value));
    assert_true(execute(0x4282, CAUSE_LOAD_MISALIGNED, address, &fault));
    assert_int_equal(vhart.world.registers[T0], 0x1234);
    vhart.world.registers[T0] = 0x5678;
    assert_true(execute(0xe016, CAUSE_STORE_MISALIGNED, address, &fault));
    assert_int_equal(memory[DATA + 2][9], 0x78);
}

/* The instruction is executed again. */
static void test_a_hart_that_is_wanted_does_nothing_yet(void **state)
{
    uint64_t address = (uintptr_t)&memory[DATA][1];
    struct misaligned_fault fault;

    (void)state;
    satp = 0;
    memset(memory[DATA], 0x5a, 16);
    vhart.world.registers[T0] = 0x1234;
    csr_file_write("mip", INTERRUPT_MEI);
    assert_true(execute(load(2, T0), CAUSE_LOAD_MISALIGNED, address, &fault));
    assert_int_equal(moved(), 0);
    assert_int_equal(vhart.world.registers[T0], 0x1234);
    assert_true(execute(store(2, T0), CAUSE_STORE_MISALIGNED, address, &fault));
    assert_int_equal(moved(), 0);
    assert_int_equal(memory[DATA][1], 0x5a);
    csr_file_write("mip", 0);
    assert_true(execute(load(2, T0), CAUSE_LOAD_MISALIGNED, address, &fault));
    assert_int_equal(moved(), 4);
    assert_int_equal(vhart.world.registers[T0], 0x5a5a5a5a);
}

static void test_floating_point(void **state)
{
    const uint32_t flw = T1 << 15 | 2 << 12 | 7 << 7 | 0x07;
    const uint32_t fld = T1 << 15 | 3 << 12 | 31 << 7 | 0x07;
    const uint32_t fsw = 7u << 20 | T1 << 15 | 2 << 12 | 0x27;
    const uint32_t c_fsd = 0xa398; /* c.fsd fa4, 0(a5) */
    struct misaligned_fault fault;
    uint64_t address = virtual_address(DATA, 5);
    uint64_t value = 0x4009216872b020c5;

    (void)state;
    memcpy(&memory[DATA + 2][5], &value, sizeof(value));
    assert_true(execute(fld, CAUSE_LOAD_MISALIGNED, address, &fault));
    assert_int_equal(fp[31], value);
    assert_int_equal(vhart.world.mstatus & MSTATUS_FS, MSTATUS_FS); /* dirty */
    assert_true(execute(flw, CAUSE_LOAD_MISALIGNED, address, &fault));
    assert_int_equal(fp[7], 0xffffffff00000000 | (uint32_t)value);
    fp[7] = 0xffffffff12345678;
    assert_true(execute(fsw, CAUSE_STORE_MISALIGNED, address, &fault));
    assert_int_equal(memory[DATA + 2][5], 0x78);
    assert_int_equal(memory[DATA + 2][9], (uint8_t)(value >> 32));
    fp[14] = 0x1122334455667788;
    assert_true(execute(c_fsd, CAUSE_STORE_MISALIGNED, address, &fault));
    assert_memory_equal(&memory[DATA + 2][5], &fp[14], sizeof(fp[14]));
    assert_int_equal(moved(), 2);
}

static void test_floating_point_only_for_tenants_that_have_it(void **state)
{
    const uint32_t fld = T1 << 15 | 3 << 12 | 31 << 7 | 0x07;
    struct misaligned_fault fault;
    uint64_t address = virtual_address(DATA, 5);

    (void)state;
    description.flags = 0;
    assert_faults(execute(fld, CAUSE_LOAD_MISALIGNED, address, &fault), CAUSE_LOAD_MISALIGNED,
                  address);
    description.flags = COTENANT_TENANT_FP;
    vhart.world.mstatus = MSTATUS_MPP_S; /* switched off */
    assert_faults(execute(fld, CAUSE_LOAD_MISALIGNED, address, &fault), CAUSE_LOAD_MISALIGNED,
                  address);
}

/* Whatever the instruction, the address and the tables are: nothing outside of the tenant moves. */
static void test_random_accesses_stay_in_the_tenant(void **state)
{
    struct random random = {7};
    static uint8_t others[2][PAGE];
    struct misaligned_fault fault;

    (void)state;
    memset(memory[PAGES - 2], 0xc3, sizeof(others));
    memset(others, 0xc3, sizeof(others));
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t instruction = (uint32_t)random_next(&random);
        bool is_store = (random_next(&random) & 1) != 0;
        uint64_t address = virtual_address(DATA, (unsigned)random_below(&random, 2 * PAGE + 64));

        if (random_below(&random, 4) == 0) {
            map(DATA + (unsigned)random_below(&random, 3),
                (unsigned)random_below(&random, PAGES - DATA) + DATA, random_next(&random) & 0xff);
        }
        if (random_below(&random, 64) == 0) {
            table(MIDDLE)[0] = entry(random_below(&random, 2) ? LEAVES : PAGES - 1, PTE_VALID);
        }
        vhart.world.mstatus = random_next(&random);
        execute(instruction, is_store ? CAUSE_STORE_MISALIGNED : CAUSE_LOAD_MISALIGNED, address,
                &fault);
    }
    assert_memory_equal(memory[PAGES - 2], others, sizeof(others));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_loads_of_every_size_and_offset, setup),
        cmocka_unit_test_setup(test_stores_write_their_bytes_and_no_others, setup),
        cmocka_unit_test_setup(test_x0_reads_as_zero_and_stays_zero, setup),
        cmocka_unit_test_setup(test_an_access_across_pages_takes_both_translations, setup),
        cmocka_unit_test_setup(test_the_second_page_faults_before_anything_is_written, setup),
        cmocka_unit_test_setup(test_an_address_that_is_not_mapped_faults_as_a_page, setup),
        cmocka_unit_test_setup(test_page_permissions_are_those_of_the_hart, setup),
        cmocka_unit_test_setup(test_memory_of_others_gives_an_access_fault, setup),
        cmocka_unit_test_setup(test_what_must_be_aligned_keeps_its_exception, setup),
        cmocka_unit_test_setup(test_compressed_forms, setup),
        cmocka_unit_test_setup(test_a_hart_that_is_wanted_does_nothing_yet, setup),
        cmocka_unit_test_setup(test_floating_point, setup),
        cmocka_unit_test_setup(test_floating_point_only_for_tenants_that_have_it, setup),
        cmocka_unit_test_setup(test_random_accesses_stay_in_the_tenant, setup),
    };

    return cmocka_run_group_tests_name("misaligned", tests, NULL, NULL);
}
