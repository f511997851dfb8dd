/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug triggers, SBI section 19, of two vharts on a hart of four triggers made of variables. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/attended.h"
#include "core/hart.h"
#include "features/dbtr/triggers.h"
#include "message_storm.h"
#include "random.h"
#include "sbi/sbi.h"
#include "sbi_table.h"

#define COUNT 4
#define VHARTS 2
#define TWO (2ul << 60)
#define SIX (6ul << 60)
#define EXECUTE 0x4
#define HIT (1ul << 20)
/* A bit of tdata1 that this hart does not implement. */
#define ABSENT 0x80
#define ROUNDS 300
#define STEPS 300

static struct bundle_tenant description;
static struct tenant tenant;
struct hart_triggers hart_triggers[COTENANT_MAX_HARTS];
static struct hart hart;
static struct entry {
    uint64_t head;
    uint64_t tdata1;
    uint64_t tdata2;
    uint64_t tdata3;
} memory[COUNT];

/* The hart. Trigger 3 can have type 2 only. */
static struct {
    uint64_t tdata1;
    uint64_t tdata2;
} real[COUNT];

bool trigger_set(uint32_t number, uint64_t tdata1, uint64_t tdata2)
{
    assert_true(number < COUNT);
    assert_int_equal(tdata1 & (TDATA1_M | TDATA1_DMODE | TDATA1_ACTION), 0);
    assert_true(tdata1 >> 60 == 2 || (tdata1 >> 60 == 6 && number != 3));
    real[number].tdata1 = tdata1 & ~(uint64_t)ABSENT;
    real[number].tdata2 = tdata2;
    return (tdata1 & ABSENT) == 0;
}

/* Only at boot. */
void sbi_withdraw(uint64_t extension)
{
    (void)extension;
}

void triggers_probe(struct hart *of)
{
    (void)of;
}

uint64_t trigger_read(uint32_t number)
{
    return real[number].tdata1;
}

void trigger_clear(const struct hart_triggers *of, uint32_t number)
{
    assert_ptr_equal(of, triggers_in(&hart));
    real[number].tdata1 = TWO;
    real[number].tdata2 = 0;
}

void triggers_take_out(const struct hart_triggers *of)
{
    for (uint32_t i = 0; i < of->count; i++) {
        if (of->each[i].mapped) {
            of->each[i].tdata1 = real[i].tdata1;
            trigger_clear(of, i);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&hart, 0, sizeof(hart));
    memset(&tenant, 0, sizeof(tenant));
    memset(vharts, 0, sizeof(vharts[0]) * VHARTS);
    memset(vhart_triggers, 0, sizeof(vhart_triggers));
    memset(hart_triggers, 0, sizeof(hart_triggers));
    memset(memory, 0, sizeof(memory));
    description.memory[0] = (struct bundle_range){(uint64_t)memory, sizeof(memory)};
    tenant.description = &description;
    hart_triggers[0].count = COUNT;
    for (uint32_t i = 0; i < COUNT; i++) {
        hart_triggers[0].types[i] = i == 3 ? 0x4 : 0x44;
        trigger_clear(triggers_in(&hart), i);
    }
    for (unsigned i = 0; i < VHARTS; i++) {
        vharts[i].world.hart = &hart;
        vharts[i].tenant = &tenant;
        vharts[i].index = i;
    }
    return 0;
}

static struct sbi_result call(unsigned id, uint64_t function, uint64_t a0, uint64_t a1)
{
    const uint64_t arguments[6] = {a0, a1, 0};
    struct sbi_result result = call_extension(SBI_EXT_DBTR, &vharts[id], function, arguments);

    if (hart.reschedule) { /* as the scheduler does */
        hart.reschedule = false;
        triggers_enter(&vharts[id]);
    }
    return result;
}

static void expect(unsigned id, uint64_t function, uint64_t a0, uint64_t a1, long error,
                   uint64_t value)
{
    struct sbi_result result = call(id, function, a0, a1);

    assert_int_equal(result.error, error);
    assert_int_equal(result.value, value);
}

static void share(unsigned id)
{
    expect(id, SBI_DBTR_SET_SHMEM, (uint64_t)memory, 0, 0, 0);
}

static void put(unsigned i, uint64_t tdata1, uint64_t tdata2)
{
    memory[i] = (struct entry){0xdead, tdata1, tdata2, 0};
}

static void test_types(void **state)
{
    (void)state;
    expect(0, SBI_DBTR_NUM_TRIGGERS, 0, 0, 0, COUNT);
    expect(0, SBI_DBTR_NUM_TRIGGERS, TWO, 0, 0, COUNT);
    expect(0, SBI_DBTR_NUM_TRIGGERS, SIX | TDATA1_U, 0, 0, COUNT - 1);
    expect(0, SBI_DBTR_NUM_TRIGGERS, SIX | TDATA1_M, 0, 0, 0);
    expect(0, SBI_DBTR_NUM_TRIGGERS, 3ul << 60, 0, 0, 0);
    share(0);
    for (unsigned i = 0; i < COUNT; i++) {
        put(i, SIX | TDATA1_S, 0);
    }
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 4, 0, SBI_ERR_FAILED, 3);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 3, 0, 0, 0);
    put(0, SIX, 0);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 1, 0, SBI_ERR_FAILED, 0);
    put(0, TWO, 0);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0, 0);
    assert_int_equal(memory[0].head, 3);
}

/* Contiguous indices, which the lowest free one does not have. */
static void test_chains(void **state)
{
    (void)state;
    share(0);
    for (unsigned i = 0; i < 2; i++) {
        put(i, TWO | TDATA1_S, i);
    }
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 2, 0, 0, 0);
    expect(0, SBI_DBTR_UNINSTALL_TRIGGERS, 0, 1, 0, 0);
    put(0, TWO | TDATA1_S | TDATA1_CHAIN, 7);
    put(1, TWO | TDATA1_S, 8);
    put(2, TWO | TDATA1_S, 9);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 3, 0, 0, 0);
    assert_int_equal(memory[0].head, 2);
    assert_int_equal(memory[1].head, 3);
    assert_int_equal(memory[2].head, 0);
    assert_int_equal(real[2].tdata2, 7);
    expect(0, SBI_DBTR_UNINSTALL_TRIGGERS, 0, 3, 0, 0);
    put(0, TWO, 0);
    put(1, TWO | TDATA1_CHAIN, 0);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 2, 0, SBI_ERR_INVALID_PARAM, 1);
    assert_false(vhart_triggers[0].each[0].mapped);
    put(0, TWO | TDATA1_CHAIN, 0);
    put(1, TWO | TDATA1_CHAIN, 0);
    put(2, TWO, 0);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 3, 0, SBI_ERR_FAILED, 0);
    /* An update changes neither the chain nor the type. */
    memory[0] = (struct entry){2, TWO, 0, 0};
    expect(0, SBI_DBTR_UPDATE_TRIGGERS, 1, 0, SBI_ERR_INVALID_PARAM, 0);
    memory[0] = (struct entry){2, SIX | TDATA1_CHAIN, 0, 0};
    expect(0, SBI_DBTR_UPDATE_TRIGGERS, 1, 0, SBI_ERR_INVALID_PARAM, 0);
}

/* The hart cannot do what the second of two asks for: all is as before. */
static void test_what_the_hart_lacks(void **state)
{
    (void)state;
    share(0);
    put(0, TWO | TDATA1_U | EXECUTE, 0x100);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0, 0);
    put(0, TWO | TDATA1_U, 0x200);
    put(1, TWO | TDATA1_U | ABSENT, 0x300);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 2, 0, SBI_ERR_NOT_SUPPORTED, 1);
    assert_int_equal(memory[0].head, 0xdead);
    memory[0] = (struct entry){0, TWO | ABSENT, 0x400, 0};
    expect(0, SBI_DBTR_UPDATE_TRIGGERS, 1, 0, SBI_ERR_NOT_SUPPORTED, 0);
    assert_int_equal(real[0].tdata1, TWO | TDATA1_U | EXECUTE);
    assert_int_equal(real[0].tdata2, 0x100);
    assert_int_equal(real[1].tdata1, TWO);
    assert_int_equal(real[2].tdata1, TWO);
}

/* OpenSBI's choices: have_hw_trig (bit 5) is 0, and what is not installed can be enabled. */
static void test_enable(void **state)
{
    (void)state;
    share(0);
    for (unsigned i = 0; i < 2; i++) {
        put(i, TWO | TDATA1_S | TDATA1_U, i);
    }
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 2, 0, 0, 0);
    expect(0, SBI_DBTR_READ_TRIGGERS, 0, 2, 0, 0);
    assert_int_equal(memory[0].head, 0x7);
    assert_int_equal(memory[1].head, 0x107);
    expect(0, SBI_DBTR_UNINSTALL_TRIGGERS, 0, 1, 0, 0);
    expect(0, SBI_DBTR_DISABLE_TRIGGERS, 0, 0xf, 0, 0);
    assert_int_equal(real[1].tdata1, TWO);
    expect(0, SBI_DBTR_ENABLE_TRIGGERS, 0, 0xf, 0, 0);
    assert_int_equal(real[1].tdata1, TWO | TDATA1_S | TDATA1_U);
    assert_int_equal(real[0].tdata1, TWO);
    assert_false(vhart_triggers[0].each[0].mapped || vhart_triggers[0].each[2].mapped);
    expect(0, SBI_DBTR_ENABLE_TRIGGERS, 0, 0x10, SBI_ERR_INVALID_PARAM, 0);
    expect(0, SBI_DBTR_UNINSTALL_TRIGGERS, 0, 3, SBI_ERR_INVALID_PARAM, 0);
    assert_true(vhart_triggers[0].each[1].mapped);
}

static void test_hit_is_kept(void **state)
{
    (void)state;
    share(0);
    put(0, TWO | TDATA1_U, 0x100);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0, 0);
    real[0].tdata1 |= HIT;
    triggers_leave(&vharts[0]);
    assert_int_equal(real[0].tdata1, TWO);
    assert_int_equal(real[0].tdata2, 0);
    triggers_enter(&vharts[0]);
    expect(0, SBI_DBTR_READ_TRIGGERS, 0, 1, 0, 0);
    assert_int_equal(memory[0].tdata1, TWO | TDATA1_U | HIT);
    assert_int_equal(memory[0].tdata2, 0x100);
}

/* A call finds what the vhart has out of the hart, and another vhart may come right after it. */
static void test_an_update_leaves_nothing_to_the_next(void **state)
{
    (void)state;
    share(0);
    put(0, TWO | TDATA1_U, 0x100);
    expect(0, SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0, 0);
    attended_leave(&hart);
    assert_int_equal(real[0].tdata1, TWO);
    memory[0] = (struct entry){0, TWO | TDATA1_S, 0x200, 0};
    expect(0, SBI_DBTR_UPDATE_TRIGGERS, 1, 0, 0, 0);
    attended_leave(&hart);
    assert_int_equal(real[0].tdata1, TWO);
    assert_int_equal(real[0].tdata2, 0);
    triggers_enter(&vharts[0]);
    assert_int_equal(real[0].tdata1, TWO | TDATA1_S);
    assert_int_equal(real[0].tdata2, 0x200);
}

/* Random calls of both vharts, which take turns. */

static struct random source = {.state = 0x64627472};
static unsigned running;

static uint64_t random_tdata1(void)
{
    static const uint64_t types[] = {TWO, TWO, SIX, SIX, SIX, 3ul << 60, 0, UINT64_MAX};
    uint64_t bits = random_below(&source, 2) == 0 ? TDATA1_S | TDATA1_U : TDATA1_U;

    if (random_below(&source, 3) == 0) {
        bits |= TDATA1_CHAIN;
    }
    if (random_below(&source, 8) == 0) {
        bits |= 1ul << random_below(&source, 60);
    }
    return types[random_below(&source, 8)] | bits;
}

static uint64_t random_number(void)
{
    uint32_t choice = random_below(&source, 16);

    return choice < 12 ? choice % (COUNT + 1) : UINT64_MAX >> random_below(&source, 64);
}

/* The hart has the triggers of the vhart that runs, as that one was told, and no others. */
static void check_hart(void)
{
    const struct triggers *own = &vhart_triggers[running];
    bool any = false;

    for (uint32_t i = 0; i < COUNT; i++) {
        const struct trigger *trigger = &own->each[i];

        any |= trigger->mapped;
        assert_int_equal(real[i].tdata1 & ~HIT, trigger->mapped ? trigger->tdata1 & ~HIT : TWO);
        assert_int_equal(real[i].tdata2, trigger->mapped ? trigger->tdata2 : 0);
    }
    assert_int_equal(vhart_triggers[running].attended, any);
    assert_ptr_equal(hart_triggers[0].user, any ? &vharts[running] : NULL);
    assert_int_equal(hart.attended_vharts, (vharts[0].attended != 0) + (vharts[1].attended != 0));
}

static void step(void)
{
    uint64_t function = random_below(&source, SBI_DBTR_DISABLE_TRIGGERS + 2);
    struct triggers before = vhart_triggers[running];
    struct sbi_result result;
    uint64_t base;
    uint64_t mask;

    if (random_below(&source, 8) == 0) {
        triggers_leave(&vharts[running]);
        running = 1 - running;
        triggers_enter(&vharts[running]);
        return;
    }
    if (random_below(&source, 100) == 0) {
        triggers_end(&vharts[random_below(&source, VHARTS)]);
        return;
    }
    for (unsigned i = 0; i < COUNT; i++) {
        memory[i] = (struct entry){random_below(&source, COUNT + 1), random_tdata1(),
                                   random_number(), random_below(&source, 16) == 0};
    }
    if (function == SBI_DBTR_SET_SHMEM) {
        share(running);
        return;
    }
    base = random_number();
    mask = random_number();
    /* Now and then the hart is wanted: the call changes nothing, and is made again. */
    csr_file_write("mip", random_below(&source, 4) == 0 ? INTERRUPT_MTI : 0);
    result = call(running, function, base, mask);
    csr_file_write("mip", 0);
    if (result.error != SBI_SUCCESS) {
        assert_memory_equal(&before, &vhart_triggers[running], sizeof(before));
    }
    if (result.error == SBI_REPEAT) {
        (void)call(running, function, base, mask);
    }
}

static void test_random_calls(void **state)
{
    unsigned busy = 0;

    for (int round = 0; round < ROUNDS; round++) {
        set_up(state);
        running = 0;
        for (int i = 0; i < STEPS; i++) {
            step();
            check_hart();
            busy += vharts[0].attended != 0 && vharts[1].attended != 0;
        }
    }
    assert_true(busy > ROUNDS * STEPS / 20);
}

/* Other harts send messages all the time: no call is put off. */
static void test_messages_put_nothing_off(void **state)
{
    (void)state;
    message_storm_begin(&hart);
    share(0);
    memory[0] = (struct entry){0, TWO | EXECUTE | 0x8, 0x4000, 0};
    for (uint64_t function = SBI_DBTR_INSTALL_TRIGGERS; function <= SBI_DBTR_DISABLE_TRIGGERS;
         function++) {
        memory[0].head = 0;
        assert_int_not_equal(call(0, function, 1, 0).error, SBI_REPEAT);
    }
    message_storm_end(&hart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_types, set_up),
        cmocka_unit_test_setup(test_chains, set_up),
        cmocka_unit_test_setup(test_what_the_hart_lacks, set_up),
        cmocka_unit_test_setup(test_enable, set_up),
        cmocka_unit_test_setup(test_hit_is_kept, set_up),
        cmocka_unit_test_setup(test_an_update_leaves_nothing_to_the_next, set_up),
        cmocka_unit_test_setup(test_messages_put_nothing_off, set_up),
        cmocka_unit_test(test_random_calls),
    };

    return cmocka_run_group_tests_name("triggers", tests, NULL, NULL);
}
