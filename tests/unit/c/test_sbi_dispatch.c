/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the handler of an SBI call, passing its result back, and hart masks. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/shared_lock.h"
#include "message_storm.h"
#include "random.h"
#include "sbi/sbi.h"

#define NOWHERE 0x8000

static struct tenant tenant;
static struct vhart vhart;
static uint64_t *const registers = vhart.world.registers;
/* What the called handler saw, and what it answers. */
static struct {
    sbi_handler *handler;
    uint64_t function;
    uint64_t arguments[6];
    uint64_t pc;
} seen;
static struct sbi_result answer;

#define STAND_IN(id, name, beginning)                                                              \
    static struct sbi_result name(struct vhart *caller, uint64_t function,                         \
                                  const uint64_t *arguments)                                       \
    {                                                                                              \
        seen.handler = name;                                                                       \
        seen.function = function;                                                                  \
        seen.pc = caller->world.registers[REGISTER_PC];                                            \
        memcpy(seen.arguments, arguments, sizeof(seen.arguments));                                 \
        return answer;                                                                             \
    }                                                                                              \
    SBI_EXTENSION(id, name, beginning)

STAND_IN(0x10, sbi_basic, SBI_AT_ONCE);
STAND_IN(0x54494d45, sbi_time, SBI_AT_ONCE);
STAND_IN(0x735049, sbi_ipi, SBI_AT_ONCE);
STAND_IN(0x52464e43, sbi_rfence, SBI_AT_ONCE);
STAND_IN(0x48534d, sbi_hsm, SBI_SHARED);
STAND_IN(0x53525354, sbi_srst, SBI_SHARED);
STAND_IN(0x4442434e, sbi_dbcn, SBI_SHARED);
STAND_IN(0x53555350, sbi_susp, SBI_SHARED);
STAND_IN(0x46574654, sbi_fwft, SBI_GIVES_WAY);
STAND_IN(0x535441, sbi_sta, SBI_GIVES_WAY);
STAND_IN(0x504d55, sbi_pmu, SBI_GIVES_WAY);
STAND_IN(0x535345, sbi_sse, SBI_SHARED);
STAND_IN(0x44425452, sbi_dbtr, SBI_GIVES_WAY);
STAND_IN(COTENANT_SBI_EXT, sbi_cotenant, SBI_SHARED);

/* It would need the place of SBI PMU. */
static const struct sbi_extension collides = {0x504d55 + 64, sbi_pmu, SBI_AT_ONCE};

static const struct {
    uint64_t extension;
    sbi_handler *handler;
} offered[] = {
    {0x10, sbi_basic},      {0x54494d45, sbi_time},
    {0x735049, sbi_ipi},    {0x52464e43, sbi_rfence},
    {0x48534d, sbi_hsm},    {0x53525354, sbi_srst},
    {0x4442434e, sbi_dbcn}, {0x53555350, sbi_susp},
    {0x46574654, sbi_fwft}, {0x535441, sbi_sta},
    {0x504d55, sbi_pmu},    {0x535345, sbi_sse},
    {0x44425452, sbi_dbtr}, {COTENANT_SBI_EXT, sbi_cotenant},
};

#define OFFERED (sizeof(offered) / sizeof(offered[0]))

static struct hart hart = {.features = HART_ALONE};
static bool lock_is_free;
static bool lock_is_held;

bool shared_lock_take(struct hart *taker, bool give_up)
{
    assert_ptr_equal(taker, &hart);
    assert_true(give_up);
    lock_is_held = lock_is_free;
    return lock_is_free;
}

void shared_lock_pass_on(struct hart *holder)
{
    assert_ptr_equal(holder, &hart);
    assert_true(lock_is_held);
    lock_is_held = false;
}

static int set_up(void **state)
{
    (void)state;
    (void)sbi_init();
    hart.features = HART_ALONE;
    memset(&seen, 0, sizeof(seen));
    memset(&vhart, 0, sizeof(vhart));
    vhart.world.hart = &hart;
    vhart.tenant = &tenant;
    vhart.calls = sbi_slots;
    for (uint64_t i = 0; i < 32; i++) {
        registers[i] = 0x1000 + i;
    }
    registers[REGISTER_PC] = NOWHERE;
    answer = sbi_value(0);
    return 0;
}

static void test_each_extension_is_found(void **state)
{
    for (size_t i = 0; i < OFFERED; i++) {
        set_up(state);
        registers[REGISTER_A7] = offered[i].extension;
        registers[REGISTER_A6] = 0xf00000000f;
        sbi_dispatch(&vhart);
        assert_ptr_equal(seen.handler, offered[i].handler);
        assert_true(sbi_is_offered(offered[i].extension));
        assert_int_equal(seen.function, 0xf00000000f);
        for (uint64_t each = 0; each < 6; each++) {
            assert_int_equal(seen.arguments[each], 0x1000 + REGISTER_A0 + each);
        }
    }
}

/* A guest's calls are its own, in the same places. */
static void test_a_vhart_with_calls_of_its_own(void **state)
{
    static const struct sbi_extension other = {0x10, sbi_ipi, SBI_AT_ONCE};
    static const struct sbi_extension *calls[SBI_SLOTS];

    (void)state;
    for (size_t i = 0; i < SBI_SLOTS; i++) {
        calls[i] = sbi_slots[i] != NULL && sbi_slots[i]->id == 0x10 ? &other : NULL;
    }
    vhart.calls = calls;
    registers[REGISTER_A7] = 0x10;
    sbi_dispatch(&vhart);
    assert_ptr_equal(seen.handler, sbi_ipi);
    registers[REGISTER_A7] = 0x735049;
    sbi_dispatch(&vhart);
    assert_int_equal(registers[REGISTER_A0], -2);
}

static void test_nothing_else_is_found(void **state)
{
    struct random random = {.state = 0x736269};

    (void)state;
    for (int round = 0; round < 100000; round++) {
        uint64_t extension = round < 0x10000 ? (uint64_t)round : random_next(&random);
        bool known = false;

        for (size_t i = 0; i < OFFERED; i++) {
            known |= offered[i].extension == extension;
        }
        assert_int_equal(sbi_is_offered(extension), known);
    }
    /* Probing uses all 64 bits. */
    assert_false(sbi_is_offered(0x10 | 1ul << 32));
}

/*
 * A timer or device interrupts before the call begins: it waits, but for those that are short.
 * Other harts send messages all the time: it begins.
 */
static void test_call_gives_way(void **state)
{
    static sbi_handler *const at_once[] = {sbi_basic, sbi_time, sbi_ipi, sbi_rfence};
    const uint64_t interrupts[] = {INTERRUPT_MTI, INTERRUPT_MEI, INTERRUPT_MSI};

    for (size_t i = 0; i < OFFERED * 3; i++) {
        sbi_handler *handler = offered[i / 3].handler;
        bool begins = interrupts[i % 3] == INTERRUPT_MSI;

        for (size_t j = 0; j < sizeof(at_once) / sizeof(at_once[0]); j++) {
            begins |= handler == at_once[j];
        }
        set_up(state);
        registers[REGISTER_A7] = offered[i / 3].extension;
        message_storm_begin(&hart);
        csr_file_write("mip", interrupts[i % 3]);
        sbi_dispatch(&vhart);
        message_storm_end(&hart);
        assert_ptr_equal(seen.handler, begins ? handler : NULL);
        assert_int_equal(registers[REGISTER_PC], begins ? NOWHERE + 4 : NOWHERE);
        if (!begins) {
            assert_int_equal(registers[REGISTER_A0], 0x1000 + REGISTER_A0);
            sbi_dispatch(&vhart);
            assert_ptr_equal(seen.handler, handler);
        }
    }
}

/* Somebody has the lock and the hart is wanted: the call waits in the tenant, unchanged. */
static void test_call_is_made_again(void **state)
{
    const uint64_t locked[] = {0x48534d, 0x53525354, 0x4442434e, 0x53555350, 0x535345};

    for (size_t i = 0; i < sizeof(locked) / sizeof(locked[0]); i++) {
        set_up(state);
        hart.features = 0;
        registers[REGISTER_A7] = locked[i];
        lock_is_free = false;
        seen.handler = NULL;
        sbi_dispatch(&vhart);
        assert_null(seen.handler);
        assert_int_equal(registers[REGISTER_PC], NOWHERE);
        assert_int_equal(registers[REGISTER_A0], 0x1000 + REGISTER_A0);
        lock_is_free = true;
        sbi_dispatch(&vhart);
        assert_non_null(seen.handler);
        assert_false(lock_is_held);
        assert_int_equal(registers[REGISTER_PC], NOWHERE + 4);
    }
    set_up(state);
    registers[REGISTER_A7] = 0x53555350;
    answer = sbi_repeat();
    sbi_dispatch(&vhart);
    assert_int_equal(registers[REGISTER_PC], NOWHERE);
    assert_int_equal(registers[REGISTER_A0], 0x1000 + REGISTER_A0);
}

/* Section 3: extension ids are 32-bit integers; a7 with another upper half names none. */
static void test_upper_half_of_the_extension(void **state)
{
    (void)state;
    registers[REGISTER_A7] = 0xffffffff00000010;
    sbi_dispatch(&vhart);
    assert_null(seen.handler);
    assert_int_equal(registers[REGISTER_A0], -2);
}

static void test_two_extensions_of_one_place(void **state)
{
    (void)state;
    assert_false(sbi_offer(&collides));
    assert_true(sbi_is_offered(0x504d55));
    assert_false(sbi_is_offered(collides.id));
    assert_null(sbi_init()); /* those that are there may be offered again */
}

/* Last: it is gone for good. */
static void test_withdrawn_extension(void **state)
{
    (void)state;
    assert_true(sbi_is_offered(0x44425452));
    sbi_withdraw(0x44425452);
    assert_false(sbi_is_offered(0x44425452));
    registers[REGISTER_A7] = 0x44425452;
    sbi_dispatch(&vhart);
    assert_null(seen.handler);
    assert_int_equal(registers[REGISTER_A0], -2);
}

static void assert_others_kept(void)
{
    for (uint64_t i = 1; i < 32; i++) {
        if (i < REGISTER_A0 || i > REGISTER_A7) {
            assert_int_equal(registers[i], 0x1000 + i);
        }
    }
    assert_int_equal(registers[12], 0x100c);
}

static void test_unknown_extension(void **state)
{
    (void)state;
    registers[REGISTER_A7] = 0x0a000000;
    sbi_dispatch(&vhart);
    assert_null(seen.handler);
    assert_int_equal(registers[REGISTER_PC], NOWHERE + 4);
    assert_int_equal(registers[REGISTER_A0], -2);
    assert_int_equal(registers[REGISTER_A1], 0);
    assert_others_kept();
}

static void test_results(void **state)
{
    (void)state;
    registers[REGISTER_A7] = SBI_EXT_HSM;
    answer = sbi_value(0x123456789abcdef);
    sbi_dispatch(&vhart);
    assert_int_equal(seen.pc, NOWHERE + 4); /* a handler may set the pc itself */
    assert_int_equal(registers[REGISTER_PC], NOWHERE + 4);
    assert_int_equal(registers[REGISTER_A0], 0);
    assert_int_equal(registers[REGISTER_A1], 0x123456789abcdef);
    assert_others_kept();

    set_up(state);
    registers[REGISTER_A7] = SBI_EXT_HSM;
    answer = sbi_error(SBI_ERR_ALREADY_AVAILABLE);
    sbi_dispatch(&vhart);
    assert_int_equal(registers[REGISTER_A0], -6);
    assert_int_equal(registers[REGISTER_A1], 0);
}

static void test_a_call_that_does_not_return(void **state)
{
    (void)state;
    registers[REGISTER_A7] = SBI_EXT_SRST;
    answer = sbi_no_return();
    sbi_dispatch(&vhart);
    assert_int_equal(registers[REGISTER_A0], 0x1000 + REGISTER_A0);
    assert_int_equal(registers[REGISTER_A1], 0x1000 + REGISTER_A1);
}

/* Section 3.1, one bit after the other. */
static bool model(uint32_t count, uint64_t mask, uint64_t base, uint64_t *targets)
{
    *targets = 0;
    if (base == UINT64_MAX) {
        for (uint32_t id = 0; id < count; id++) {
            *targets |= 1ul << id;
        }
        return true;
    }
    for (uint64_t bit = 0; bit < 64; bit++) {
        if ((mask >> bit & 1) != 0) {
            if (base >= count || bit + base >= count) {
                return false;
            }
            *targets |= 1ul << (bit + base);
        }
    }
    return true;
}

static void compare(uint64_t mask, uint64_t base)
{
    uint64_t targets = UINT64_MAX;
    uint64_t expected;
    bool good = model(tenant.vhart_count, mask, base, &expected);
    long error = sbi_hart_mask(&tenant, mask, base, &targets);

    assert_int_equal(error, good ? SBI_SUCCESS : SBI_ERR_INVALID_PARAM);
    assert_true(!good || targets == expected);
}

static void test_hart_masks(void **state)
{
    static const uint64_t bases[] = {UINT64_MAX, UINT64_MAX - 1, 1ul << 63, 1ul << 32, 64, 63};
    struct random random = {.state = 0x6d61736b};

    (void)state;
    for (tenant.vhart_count = 1; tenant.vhart_count <= COTENANT_MAX_VHARTS; tenant.vhart_count++) {
        for (uint64_t base = 0; base <= 33; base++) {
            for (uint64_t mask = 0; mask < 16; mask++) {
                compare(mask, base);
            }
            for (unsigned bit = 0; bit < 64; bit++) {
                compare(1ul << bit, base);
            }
            compare(UINT64_MAX, base);
            compare((uint64_t)random_next(&random) << 32 | random_next(&random), base);
        }
        for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
            compare(0, bases[i]);
            compare(1, bases[i]);
            compare(UINT64_MAX, bases[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_each_extension_is_found, set_up),
        cmocka_unit_test_setup(test_a_vhart_with_calls_of_its_own, set_up),
        cmocka_unit_test(test_call_gives_way),
        cmocka_unit_test(test_call_is_made_again),
        cmocka_unit_test_setup(test_nothing_else_is_found, set_up),
        cmocka_unit_test_setup(test_upper_half_of_the_extension, set_up),
        cmocka_unit_test_setup(test_unknown_extension, set_up),
        cmocka_unit_test_setup(test_results, set_up),
        cmocka_unit_test_setup(test_a_call_that_does_not_return, set_up),
        cmocka_unit_test_setup(test_hart_masks, set_up),
        cmocka_unit_test_setup(test_two_extensions_of_one_place, set_up),
        cmocka_unit_test_setup(test_withdrawn_extension, set_up),
    };

    return cmocka_run_group_tests_name("sbi_dispatch", tests, NULL, NULL);
}
