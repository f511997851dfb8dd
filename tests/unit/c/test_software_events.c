/* SPDX-License-Identifier: BSD-2-Clause */
/* Supervisor software events, SBI section 17, on a tenant of three harts made of variables. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/messages.h"
#include "features/sse/software_events.h"
#include "features/susp/suspend.h"
#include "message_storm.h"
#include "random.h"
#include "sbi/sbi.h"
#include "sbi_table.h"

#define HARTS 3
#define LOCAL 0xffff0000
#define GLOBAL 0xffff8000
#define SPP 0x100
#define SPIE 0x20
#define SIE 0x2
#define MPP 0x1800
#define MPP_S 0x800

static const struct bundle_range no_range;
static struct bundle_tenant description;
static struct bundle_vhart yielding = {.flags = COTENANT_VHART_WFI_YIELDS};
static struct hart hart_of[HARTS];
static struct vhart vhart_of_tenant[HARTS];
static struct tenant tenant;
static uint64_t mtime;
static bool mail[HARTS];
static uint64_t memory[16];

void messages_send(struct vhart *vhart, uint32_t requests)
{
    assert_int_equal(requests, REQUEST_EVENTS);
    mail[vhart - vhart_of_tenant] = true;
}

void vhart_nap(void);

void vhart_nap(void)
{
}

static struct vhart *vhart(unsigned id)
{
    return &vhart_of_tenant[id];
}

/* A hart is started as SBI HSM does it. */
static void start(unsigned id)
{
    struct vhart *started = vhart(id);

    memset(&started->world.registers, 0, sizeof(started->world.registers));
    started->world.registers[REGISTER_PC] = 0x1000 * (id + 1);
    started->world.mstatus = MPP_S;
    started->state = VHART_STARTED;
}

static int set_up(void **state)
{
    (void)state;
    description.memory[0] = (struct bundle_range){(uint64_t)memory, sizeof(memory)};
    for (unsigned i = 1; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        description.memory[i] = no_range;
    }
    memset(hart_of, 0, sizeof(hart_of));
    memset(vhart_of_tenant, 0, sizeof(vhart_of_tenant));
    memset(&tenant, 0, sizeof(tenant));
    memset(vhart_events, 0, sizeof(vhart_events));
    memset(global_events, 0, sizeof(global_events));
    memset(mail, 0, sizeof(mail));
    tenant.description = &description;
    tenant.vharts = vhart_of_tenant;
    tenant.vhart_count = HARTS;
    for (unsigned id = 0; id < HARTS; id++) {
        hart_of[id].mtime = &mtime;
        scheduler_init(&hart_of[id].scheduler, mtime);
        vhart(id)->world.hart = &hart_of[id];
        vhart(id)->world.vhart_id = id;
        vhart(id)->index = id;
        vhart(id)->tenant = &tenant;
        vhart(id)->description = &yielding;
        start(id);
    }
    /* The first one is loaded: what is not in its world is in the hart. */
    hart_of[0].loaded = vhart(0);
    csr_file_write("sepc", 0);
    return 0;
}

static struct sbi_result call5(unsigned id, uint64_t function, uint64_t a0, uint64_t a1,
                               uint64_t a2, uint64_t a3, uint64_t a4)
{
    const uint64_t arguments[6] = {a0, a1, a2, a3, a4, 0};

    return call_extension(SBI_EXT_SSE, vhart(id), function, arguments);
}

static long call(unsigned id, uint64_t function, uint64_t a0, uint64_t a1, uint64_t a2)
{
    return call5(id, function, a0, a1, a2, 0, 0).error;
}

static uint64_t attribute(unsigned id, uint32_t event, uint32_t number)
{
    uint64_t address = (uint64_t)&memory[3];

    assert_int_equal(call5(id, SBI_SSE_READ_ATTRS, event, number, 1, address, 0).error, 0);
    return memory[3];
}

static long set_attribute(unsigned id, uint32_t event, uint32_t number, uint64_t value)
{
    memory[3] = value;
    return call5(id, SBI_SSE_WRITE_ATTRS, event, number, 1, (uint64_t)&memory[3], 0).error;
}

static uint64_t state_of(unsigned id, uint32_t event)
{
    return attribute(id, event, SBI_SSE_ATTR_STATUS) & SBI_SSE_STATUS_STATE;
}

static bool is_pending(unsigned id, uint32_t event)
{
    return (attribute(id, event, SBI_SSE_ATTR_STATUS) & SBI_SSE_STATUS_PENDING) != 0;
}

static uint64_t reg(unsigned id, unsigned number)
{
    return vhart(id)->world.registers[number];
}

static uint64_t pc(unsigned id)
{
    return reg(id, REGISTER_PC);
}

static void take_mail(unsigned id)
{
    assert_true(mail[id]);
    mail[id] = false;
    software_events_deliver(vhart(id));
}

/* Ready to be injected: registered with entry `entry` and argument entry + 1. */
static void prepare(unsigned id, uint32_t event, uint64_t entry)
{
    assert_int_equal(call(id, SBI_SSE_REGISTER, event, entry, entry + 1), 0);
    assert_int_equal(call(id, SBI_SSE_ENABLE, event, 0, 0), 0);
}

static void unmask(unsigned id)
{
    assert_int_equal(call(id, SBI_SSE_HART_UNMASK, 0, 0, 0), 0);
}

static void test_reset_values(void **state)
{
    (void)state;
    for (unsigned id = 0; id < HARTS; id++) {
        for (uint32_t number = 0; number < SBI_SSE_ATTR_COUNT; number++) {
            uint64_t status = number == SBI_SSE_ATTR_STATUS ? SBI_SSE_STATUS_INJECTABLE : 0;
            uint64_t hart = number == SBI_SSE_ATTR_PREFERRED_HART ? id : 0;

            assert_int_equal(attribute(id, LOCAL, number), status | hart);
            assert_int_equal(attribute(id, GLOBAL, number), status);
        }
        /* Masked initially. */
        assert_int_equal(call(id, SBI_SSE_HART_MASK, 0, 0, 0), SBI_ERR_ALREADY_STOPPED);
        unmask(id);
        assert_int_equal(call(id, SBI_SSE_HART_UNMASK, 0, 0, 0), SBI_ERR_ALREADY_STARTED);
    }
}

static void test_which_events_there_are(void **state)
{
    static const struct {
        uint32_t event;
        long error;
    } events[] = {
        {0x00000000, SBI_ERR_NOT_SUPPORTED}, {0x00000001, SBI_ERR_NOT_SUPPORTED},
        {0x00000002, SBI_ERR_INVALID_PARAM}, {0x00003fff, SBI_ERR_INVALID_PARAM},
        {0x00004000, SBI_ERR_INVALID_PARAM}, {0x00007fff, SBI_ERR_INVALID_PARAM},
        {0x00008000, SBI_ERR_NOT_SUPPORTED}, {0x00008001, SBI_ERR_INVALID_PARAM},
        {0x0000c000, SBI_ERR_INVALID_PARAM}, {0x0000ffff, SBI_ERR_INVALID_PARAM},
        {0x00010000, SBI_ERR_NOT_SUPPORTED}, {0x00010001, SBI_ERR_INVALID_PARAM},
        {0x00018000, SBI_ERR_INVALID_PARAM}, {0x00020000, SBI_ERR_INVALID_PARAM},
        {0x00100000, SBI_ERR_NOT_SUPPORTED}, {0x00108000, SBI_ERR_NOT_SUPPORTED},
        {0x00108001, SBI_ERR_INVALID_PARAM}, {0xffff0001, SBI_ERR_INVALID_PARAM},
        {0xffff4000, SBI_ERR_INVALID_PARAM}, {0xffff8001, SBI_ERR_INVALID_PARAM},
        {0xffffc000, SBI_ERR_INVALID_PARAM}, {0xffffffff, SBI_ERR_INVALID_PARAM},
    };
    static const uint64_t functions[] = {SBI_SSE_READ_ATTRS, SBI_SSE_WRITE_ATTRS, SBI_SSE_REGISTER,
                                         SBI_SSE_UNREGISTER, SBI_SSE_ENABLE,      SBI_SSE_DISABLE,
                                         SBI_SSE_INJECT};

    (void)state;
    for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        for (unsigned each = 0; each < sizeof(functions) / sizeof(functions[0]); each++) {
            assert_int_equal(call(0, functions[each], events[i].event, 0, 0), events[i].error);
        }
    }
    assert_int_equal(call(0, 10, LOCAL, 0, 0), SBI_ERR_NOT_SUPPORTED);
    assert_int_equal(call(0, UINT64_MAX, LOCAL, 0, 0), SBI_ERR_NOT_SUPPORTED);
    /* An event id is a uint32_t. */
    assert_int_equal(call(0, SBI_SSE_REGISTER, LOCAL | 1ul << 32, 0x10, 0), 0);
}

static void test_states(void **state)
{
    static const uint32_t both[] = {LOCAL, GLOBAL};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t event = both[i];

        assert_int_equal(call(0, SBI_SSE_UNREGISTER, event, 0, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(call(0, SBI_SSE_ENABLE, event, 0, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(call(0, SBI_SSE_DISABLE, event, 0, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(call(0, SBI_SSE_REGISTER, event, 0x11, 0), SBI_ERR_INVALID_PARAM);
        assert_int_equal(call(0, SBI_SSE_REGISTER, event, 0x12, 34), 0);
        assert_int_equal(attribute(0, event, SBI_SSE_ATTR_ENTRY_PC), 0x12);
        assert_int_equal(attribute(0, event, SBI_SSE_ATTR_ENTRY_ARG), 34);
        assert_int_equal(call(0, SBI_SSE_REGISTER, event, 0x12, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(call(0, SBI_SSE_DISABLE, event, 0, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(call(0, SBI_SSE_ENABLE, event, 0, 0), 0);
        assert_int_equal(call(0, SBI_SSE_ENABLE, event, 0, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(call(0, SBI_SSE_UNREGISTER, event, 0, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(state_of(0, event), SBI_SSE_STATE_ENABLED);
        /* The state of a local event is the hart's, that of a global one common to all. */
        assert_int_equal(state_of(1, event),
                         event == LOCAL ? SBI_SSE_STATE_UNUSED : SBI_SSE_STATE_ENABLED);
        assert_int_equal(call(0, SBI_SSE_DISABLE, event, 0, 0), 0);
        assert_int_equal(call(0, SBI_SSE_UNREGISTER, event, 0, 0), 0);
        assert_int_equal(state_of(0, event), SBI_SSE_STATE_UNUSED);
    }
}

/* Sections 17.5 and 17.6, from U-mode and from S-mode, for a loaded vhart and for another. */
static void test_delivery_and_completion(void **state)
{
    (void)state;
    for (unsigned id = 0; id < 2; id++) {
        for (unsigned bits = 0; bits < 16; bits++) {
            struct world *world = &vhart(id)->world;
            uint64_t status = ((bits & 1) != 0 ? MPP_S : 0) | ((bits & 2) != 0 ? SIE : 0) |
                              ((bits & 4) != 0 ? SPP : 0) | ((bits & 8) != 0 ? SPIE : 0) | 0x40000;
            struct sbi_result result;

            set_up(state);
            prepare(id, LOCAL, 0x5000);
            unmask(id);
            world->registers[REGISTER_PC] = 0x4444;
            world->registers[REGISTER_A0] = 0xa0;
            world->registers[REGISTER_A6] = 0xa6;
            world->registers[REGISTER_A7] = 0xa7;
            world->mstatus = status;
            world->sepc = 0x3330;
            csr_file_write("sepc", 0x3330);
            local_event(vhart(id))->pending = true;
            software_events_deliver(vhart(id));

            assert_int_equal(pc(id), 0x5000);
            assert_int_equal(reg(id, REGISTER_A0), 0xa0);
            assert_int_equal(reg(id, REGISTER_A6), id);
            assert_int_equal(reg(id, REGISTER_A7), 0x5001);
            assert_int_equal(world->mstatus, 0x40000 | MPP_S | ((bits & 1) != 0 ? SPP : 0) |
                                                 ((bits & 2) != 0 ? SPIE : 0));
            assert_int_equal(id == 0 ? csr_file_read("sepc") : world->sepc, 0x4444);
            assert_int_equal(attribute(id, LOCAL, SBI_SSE_ATTR_INTERRUPTED_SEPC), 0x3330);
            assert_int_equal(attribute(id, LOCAL, SBI_SSE_ATTR_INTERRUPTED_FLAGS), bits >> 2);
            assert_int_equal(attribute(id, LOCAL, SBI_SSE_ATTR_INTERRUPTED_A6), 0xa6);
            assert_int_equal(attribute(id, LOCAL, SBI_SSE_ATTR_INTERRUPTED_A7), 0xa7);
            assert_int_equal(attribute(id, LOCAL, SBI_SSE_ATTR_STATUS),
                             SBI_SSE_STATE_RUNNING | SBI_SSE_STATUS_INJECTABLE);

            result = call5(id, SBI_SSE_COMPLETE, 0, 0, 0, 0, 0);
            assert_int_equal(result.error, SBI_NO_RETURN);
            assert_int_equal(pc(id), 0x4444);
            assert_int_equal(reg(id, REGISTER_A0), 0xa0);
            assert_int_equal(reg(id, REGISTER_A6), 0xa6);
            assert_int_equal(reg(id, REGISTER_A7), 0xa7);
            assert_int_equal(world->mstatus, status);
            assert_int_equal(id == 0 ? csr_file_read("sepc") : world->sepc, 0x3330);
            assert_int_equal(state_of(id, LOCAL), SBI_SSE_STATE_ENABLED);
        }
    }
}

/* The tenant changes where it goes on: "it can update the event attributes". */
static void test_completion_elsewhere(void **state)
{
    (void)state;
    prepare(0, LOCAL, 0x5000);
    unmask(0);
    assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, 0, 0), 0);
    assert_int_equal(pc(0), 0x5000);
    csr_file_write("sepc", 0x7770);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_INTERRUPTED_SEPC, 0x8880), 0);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_INTERRUPTED_FLAGS, SBI_SSE_FLAGS), 0);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_INTERRUPTED_A6, 66), 0);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_INTERRUPTED_A7, 77), 0);
    vhart(0)->world.mstatus = MPP_S; /* SPP and SPIE 0 */
    call(0, SBI_SSE_COMPLETE, 0, 0, 0);
    assert_int_equal(pc(0), 0x7770);
    assert_int_equal(csr_file_read("sepc"), 0x8880);
    assert_int_equal(vhart(0)->world.mstatus, SPP | SPIE);
    assert_int_equal(reg(0, REGISTER_A6), 66);
    assert_int_equal(reg(0, REGISTER_A7), 77);
}

static void test_completion_of_nothing(void **state)
{
    struct sbi_result result;

    (void)state;
    prepare(0, LOCAL, 0x5000);
    result = call5(0, SBI_SSE_COMPLETE, 0, 0, 0, 0, 0);
    assert_int_equal(result.error, SBI_SUCCESS);
    assert_int_equal(pc(0), 0x1000);
}

static void test_one_shot(void **state)
{
    (void)state;
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_CONFIG, 1), 0);
    prepare(0, LOCAL, 0x5000);
    unmask(0);
    call(0, SBI_SSE_INJECT, LOCAL, 0, 0);
    call(0, SBI_SSE_INJECT, LOCAL, 0, 0);
    assert_true(is_pending(0, LOCAL));
    call(0, SBI_SSE_COMPLETE, 0, 0, 0);
    assert_int_equal(state_of(0, LOCAL), SBI_SSE_STATE_REGISTERED);
    assert_true(is_pending(0, LOCAL));
    assert_int_equal(pc(0), 0x1000);
    assert_int_equal(call(0, SBI_SSE_ENABLE, LOCAL, 0, 0), 0);
    assert_int_equal(pc(0), 0x5000);
}

/* "Taken only after the running event handler completes." */
static void test_again_while_running(void **state)
{
    (void)state;
    prepare(0, LOCAL, 0x5000);
    unmask(0);
    call(0, SBI_SSE_INJECT, LOCAL, 0, 0);
    vhart(0)->world.registers[REGISTER_PC] = 0x5008;
    call(0, SBI_SSE_INJECT, LOCAL, 0, 0);
    assert_int_equal(pc(0), 0x5008);
    call(0, SBI_SSE_COMPLETE, 0, 0, 0);
    assert_int_equal(pc(0), 0x5000);
    assert_int_equal(csr_file_read("sepc"), 0x1000);
    call(0, SBI_SSE_COMPLETE, 0, 0, 0);
    assert_int_equal(pc(0), 0x1000);
}

/* Lower numbers go first, the lower event id breaks a tie, and only the higher one preempts. */
static void test_priorities(void **state)
{
    static const struct {
        uint32_t local;
        uint32_t global;
        bool local_first;
    } cases[] = {{0, 0, true}, {7, 7, true}, {0, 1, true}, {1, 0, false}, {UINT32_MAX, 5, false}};

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t first = cases[i].local_first ? LOCAL : GLOBAL;
        uint32_t second = cases[i].local_first ? GLOBAL : LOCAL;

        set_up(state);
        set_attribute(0, LOCAL, SBI_SSE_ATTR_PRIORITY, cases[i].local);
        set_attribute(0, GLOBAL, SBI_SSE_ATTR_PRIORITY, cases[i].global);
        prepare(0, first, 0x5000);
        prepare(0, second, 0x6000);
        call(0, SBI_SSE_INJECT, second, 0, 0);
        call(0, SBI_SSE_INJECT, first, 0, 0);
        assert_int_equal(pc(0), 0x1000);
        unmask(0);
        assert_int_equal(pc(0), 0x5000);
        call(0, SBI_SSE_COMPLETE, 0, 0, 0);
        assert_int_equal(pc(0), 0x6000);
        call(0, SBI_SSE_INJECT, first, 0, 0); /* preempts */
        assert_int_equal(pc(0), 0x5000);
        assert_int_equal(csr_file_read("sepc"), 0x6000);
        assert_int_equal(state_of(0, second), SBI_SSE_STATE_RUNNING);
        call(0, SBI_SSE_INJECT, second, 0, 0);
        call(0, SBI_SSE_COMPLETE, 0, 0, 0);
        assert_int_equal(pc(0), 0x6000);
        call(0, SBI_SSE_COMPLETE, 0, 0, 0);
        assert_int_equal(pc(0), 0x6000); /* the second time */
        call(0, SBI_SSE_COMPLETE, 0, 0, 0);
        assert_int_equal(pc(0), 0x1000);
    }
}

static void test_local_event_of_another_hart(void **state)
{
    (void)state;
    prepare(2, LOCAL, 0x5000);
    unmask(2);
    assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, HARTS, 0), SBI_ERR_INVALID_PARAM);
    assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, UINT64_MAX, 0), SBI_ERR_INVALID_PARAM);
    assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, 2, 0), 0);
    assert_int_equal(pc(2), 0x3000);
    assert_false(is_pending(0, LOCAL));
    take_mail(2);
    assert_int_equal(pc(2), 0x5000);
    assert_int_equal(reg(2, REGISTER_A6), 2);
    assert_int_equal(pc(0), 0x1000);
    vhart(1)->state = VHART_STOPPED;
    assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, 1, 0), SBI_ERR_FAILED);
    assert_false(mail[1]);
}

static void test_preferred_hart(void **state)
{
    (void)state;
    assert_int_equal(set_attribute(0, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, 2), 0);
    prepare(0, GLOBAL, 0x5000);
    for (unsigned id = 0; id < HARTS; id++) {
        unmask(id);
    }
    /* The hart id that a global event is injected with does not matter. */
    assert_int_equal(call(0, SBI_SSE_INJECT, GLOBAL, 1234, 0), 0);
    assert_int_equal(pc(0), 0x1000);
    take_mail(2);
    assert_int_equal(pc(2), 0x5000);
    assert_int_equal(state_of(1, GLOBAL), SBI_SSE_STATE_RUNNING);
    /* Only the hart that handles it may change what it goes back to, or complete it. */
    assert_int_equal(set_attribute(1, GLOBAL, SBI_SSE_ATTR_INTERRUPTED_A6, 1),
                     SBI_ERR_INVALID_PARAM);
    assert_int_equal(set_attribute(2, GLOBAL, SBI_SSE_ATTR_INTERRUPTED_A6, 1), 0);
    call(1, SBI_SSE_COMPLETE, 0, 0, 0);
    assert_int_equal(state_of(1, GLOBAL), SBI_SSE_STATE_RUNNING);
    call(2, SBI_SSE_COMPLETE, 0, 0, 0);
    assert_int_equal(pc(2), 0x3000);
    /* It waits for the one that masks events, and goes to no other. */
    call(0, SBI_SSE_INJECT, GLOBAL, 0, 0);
    call(2, SBI_SSE_HART_MASK, 0, 0, 0);
    take_mail(2);
    assert_int_equal(pc(2), 0x3000);
    assert_true(is_pending(0, GLOBAL));
    assert_false(mail[0] || mail[1] || mail[2]);
    assert_int_equal(pc(0), 0x1000);
    unmask(2);
    assert_int_equal(pc(2), 0x5000);
}

/* Not enabled: it is not pending afterwards, and only a caller that it is for learns it. */
static void test_injection_of_what_is_not_enabled(void **state)
{
    (void)state;
    set_attribute(0, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, 1);
    unmask(0);
    unmask(1);
    for (unsigned registered = 0; registered < 2; registered++) {
        assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, 0, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, 1, 0), 0);
        assert_int_equal(call(1, SBI_SSE_INJECT, GLOBAL, 0, 0), SBI_ERR_INVALID_STATE);
        assert_int_equal(call(0, SBI_SSE_INJECT, GLOBAL, 0, 0), 0);
        assert_false(is_pending(0, LOCAL) || is_pending(1, LOCAL) || is_pending(0, GLOBAL));
        call(0, SBI_SSE_REGISTER, LOCAL, 0x5000, 0);
        call(1, SBI_SSE_REGISTER, LOCAL, 0x5000, 0);
        call(0, SBI_SSE_REGISTER, GLOBAL, 0x6000, 0);
    }
}

static void test_stop(void **state)
{
    (void)state;
    set_attribute(0, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, 1);
    set_attribute(1, LOCAL, SBI_SSE_ATTR_PRIORITY, 1);
    prepare(1, LOCAL, 0x5000);
    prepare(1, GLOBAL, 0x6000);
    unmask(1);
    unmask(2);
    call(1, SBI_SSE_INJECT, LOCAL, 1, 0);
    call(1, SBI_SSE_INJECT, GLOBAL, 0, 0);
    assert_int_equal(pc(1), 0x6000);
    call(1, SBI_SSE_INJECT, GLOBAL, 0, 0);
    vhart(1)->state = VHART_STOPPED;
    software_events_stop(vhart(1));
    /* The global one was its own as well: nobody has it now, and it is pending still. */
    assert_int_equal(attribute(0, GLOBAL, SBI_SSE_ATTR_STATUS),
                     SBI_SSE_STATE_UNUSED | SBI_SSE_STATUS_PENDING | SBI_SSE_STATUS_INJECTABLE);
    assert_false(mail[0] || mail[2]);
    assert_int_equal(set_attribute(2, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, 1),
                     SBI_ERR_INVALID_PARAM);
    assert_int_equal(set_attribute(2, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, 2), 0);
    prepare(2, GLOBAL, 0x7000);
    assert_int_equal(pc(2), 0x7000);
    start(1);
    assert_int_equal(state_of(1, LOCAL), SBI_SSE_STATE_UNUSED);
    assert_int_equal(attribute(1, LOCAL, SBI_SSE_ATTR_PRIORITY), 0);
    assert_int_equal(attribute(1, LOCAL, SBI_SSE_ATTR_ENTRY_PC), 0);
    assert_int_equal(call(1, SBI_SSE_HART_MASK, 0, 0, 0), SBI_ERR_ALREADY_STOPPED);
    assert_int_equal(pc(1), 0x2000);
}

static void test_waiting_hart_wakes(void **state)
{
    struct scheduler *scheduler = &hart_of[0].scheduler;

    (void)state;
    prepare(0, LOCAL, 0x5000);
    unmask(0);
    schedule_start(scheduler, &vhart(0)->schedulable, 0);
    schedule_wait(scheduler, &vhart(0)->schedulable, TIME_NEVER);
    call(1, SBI_SSE_INJECT, LOCAL, 0, 0);
    take_mail(0);
    assert_int_equal(vhart(0)->schedulable.state, SCHEDULABLE_READY);
    assert_true(hart_of[0].reschedule);
    assert_int_equal(csr_file_read("sepc"), 0x1000);
}

/* A hart that has made no call of SSE itself and stops: it is told of what was enabled for it. */
static void test_enabled_by_another_hart(void **state)
{
    (void)state;
    set_attribute(0, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, 1);
    assert_int_equal(call(0, SBI_SSE_REGISTER, GLOBAL, 0x5000, 0), 0);
    assert_false(vhart(1)->uses_features);
    assert_int_equal(call(0, SBI_SSE_ENABLE, GLOBAL, 0, 0), 0);
    assert_true(vhart(1)->uses_features);
    vhart(1)->state = VHART_STOPPED;
    assert_int_equal(call(0, SBI_SSE_INJECT, GLOBAL, 0, 0), SBI_ERR_FAILED);
    software_events_stop(vhart(1));
    assert_int_equal(state_of(0, GLOBAL), SBI_SSE_STATE_UNUSED);
    assert_false(is_pending(0, GLOBAL));
}

/* One that keeps its hart in a suspend comes out of the nap of nap.S. */
static void test_suspended_hart_wakes(void **state)
{
    static const struct bundle_vhart keeping;

    (void)state;
    prepare(0, LOCAL, 0x5000);
    unmask(0);
    vhart(0)->description = &keeping;
    vhart(0)->world.registers[REGISTER_A0] = 12;
    vhart(0)->world.registers[REGISTER_A1] = 34;
    vhart_suspend(vhart(0), false);
    assert_int_equal(pc(0), (uint64_t)vhart_nap);
    assert_int_equal(vhart(0)->world.mstatus & MPP, MPP);
    vhart(0)->world.registers[REGISTER_A0] = UINT64_MAX; /* the nap's own use */
    vhart(0)->world.registers[REGISTER_A1] = UINT64_MAX;
    call(1, SBI_SSE_INJECT, LOCAL, 0, 0);
    take_mail(0);
    assert_false(vhart_is_suspended(vhart(0)));
    assert_int_equal(pc(0), 0x5000);
    assert_int_equal(csr_file_read("sepc"), 0x1000);
    assert_int_equal(reg(0, REGISTER_A0), 12);
    assert_int_equal(reg(0, REGISTER_A1), 34);
    assert_int_equal(vhart(0)->world.mstatus, MPP_S | SPP);
}

static void test_attribute_ranges(void **state)
{
    const uint64_t end = (uint64_t)&memory[16];
    const uint64_t functions[] = {SBI_SSE_READ_ATTRS, SBI_SSE_WRITE_ATTRS};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t each = functions[i];
        uint64_t good = (uint64_t)memory;

        assert_int_equal(call5(0, each, LOCAL, 0, 0, good, 0).error, SBI_ERR_INVALID_PARAM);
        assert_int_equal(call5(0, each, LOCAL, 99, 0, good, 0).error, SBI_ERR_INVALID_PARAM);
        assert_int_equal(call5(0, each, LOCAL, 10, 1, good, 0).error, SBI_ERR_BAD_RANGE);
        assert_int_equal(call5(0, each, LOCAL, 0, 11, good, 0).error, SBI_ERR_BAD_RANGE);
        assert_int_equal(call5(0, each, LOCAL, 9, 2, good, 0).error, SBI_ERR_BAD_RANGE);
        assert_int_equal(call5(0, each, LOCAL, UINT32_MAX, 2, good, 0).error, SBI_ERR_BAD_RANGE);
        assert_int_equal(call5(0, each, LOCAL, 1, UINT32_MAX, good, 0).error, SBI_ERR_BAD_RANGE);
        assert_int_equal(call5(0, each, LOCAL, 0, 1, good + 4, 0).error, SBI_ERR_INVALID_ADDRESS);
        assert_int_equal(call5(0, each, LOCAL, 0, 1, good, 1).error, SBI_ERR_INVALID_ADDRESS);
        assert_int_equal(call5(0, each, LOCAL, 0, 1, good - 8, 0).error, SBI_ERR_INVALID_ADDRESS);
        assert_int_equal(call5(0, each, LOCAL, 0, 1, end, 0).error, SBI_ERR_INVALID_ADDRESS);
        assert_int_equal(call5(0, each, LOCAL, 0, 10, end - 72, 0).error, SBI_ERR_INVALID_ADDRESS);
        assert_int_equal(call5(0, each, LOCAL, 0, 2, -8ul, 0).error, SBI_ERR_INVALID_ADDRESS);
    }
    memset(memory, 0xee, sizeof(memory));
    assert_int_equal(call5(1, SBI_SSE_READ_ATTRS, LOCAL, 2, 2, end - 16, 0).error, 0);
    assert_int_equal(memory[13], 0xeeeeeeeeeeeeeeee);
    assert_int_equal(memory[14], 0);
    assert_int_equal(memory[15], 1);
}

static void test_attribute_writes(void **state)
{
    static const uint32_t read_only[] = {SBI_SSE_ATTR_STATUS, SBI_SSE_ATTR_ENTRY_PC,
                                         SBI_SSE_ATTR_ENTRY_ARG};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(set_attribute(0, LOCAL, read_only[i], 0), SBI_ERR_DENIED);
        assert_int_equal(set_attribute(0, GLOBAL, read_only[i], 0), SBI_ERR_DENIED);
    }
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_PREFERRED_HART, 0), SBI_ERR_DENIED);
    assert_int_equal(set_attribute(0, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, HARTS),
                     SBI_ERR_INVALID_PARAM);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_PRIORITY, 1ul << 32),
                     SBI_ERR_INVALID_PARAM);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_CONFIG, 2), SBI_ERR_INVALID_PARAM);
    for (uint32_t number = SBI_SSE_ATTR_INTERRUPTED_SEPC; number < SBI_SSE_ATTR_COUNT; number++) {
        assert_int_equal(set_attribute(0, LOCAL, number, 0), SBI_ERR_INVALID_STATE);
    }
    /* The first error in the order of the attributes counts, and nothing is changed. */
    memory[0] = 5;
    memory[1] = 2;
    memory[2] = 0;
    assert_int_equal(call5(0, SBI_SSE_WRITE_ATTRS, LOCAL, 1, 3, (uint64_t)memory, 0).error,
                     SBI_ERR_INVALID_PARAM);
    memory[1] = 1;
    assert_int_equal(call5(0, SBI_SSE_WRITE_ATTRS, LOCAL, 1, 3, (uint64_t)memory, 0).error,
                     SBI_ERR_DENIED);
    assert_int_equal(attribute(0, LOCAL, SBI_SSE_ATTR_PRIORITY), 0);
    memory[0] = 5;
    memory[1] = 1;
    memory[2] = 2;
    assert_int_equal(call5(0, SBI_SSE_WRITE_ATTRS, GLOBAL, 1, 3, (uint64_t)memory, 0).error, 0);
    assert_int_equal(attribute(1, GLOBAL, SBI_SSE_ATTR_PRIORITY), 5);
    assert_int_equal(attribute(1, GLOBAL, SBI_SSE_ATTR_CONFIG), 1);
    assert_int_equal(attribute(1, GLOBAL, SBI_SSE_ATTR_PREFERRED_HART), 2);
    prepare(0, GLOBAL, 0x5000);
    for (uint32_t number = 1; number <= 3; number++) {
        assert_int_equal(set_attribute(0, GLOBAL, number, 1), SBI_ERR_INVALID_STATE);
    }
    prepare(0, LOCAL, 0x5000);
    unmask(0);
    call(0, SBI_SSE_INJECT, LOCAL, 0, 0);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_PRIORITY, 1), SBI_ERR_INVALID_STATE);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_INTERRUPTED_FLAGS, 0x40),
                     SBI_ERR_INVALID_PARAM);
    call(0, SBI_SSE_COMPLETE, 0, 0, 0);
    /* Not in the handler: of the flags, the value counts first. */
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_INTERRUPTED_FLAGS, 0x40),
                     SBI_ERR_INVALID_PARAM);
    assert_int_equal(set_attribute(0, LOCAL, SBI_SSE_ATTR_INTERRUPTED_FLAGS, 0),
                     SBI_ERR_INVALID_STATE);
}

/* The hart is wanted: nothing changes, and the call is made again. */
static void test_wanted_hart_is_let_go(void **state)
{
    const uint64_t functions[] = {SBI_SSE_READ_ATTRS, SBI_SSE_WRITE_ATTRS, SBI_SSE_ENABLE,
                                  SBI_SSE_INJECT,     SBI_SSE_COMPLETE,    SBI_SSE_HART_UNMASK};

    (void)state;
    assert_int_equal(call(0, SBI_SSE_REGISTER, LOCAL, 0x4440, 0), 0);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        uint64_t argument = functions[i] <= SBI_SSE_WRITE_ATTRS ? SBI_SSE_ATTR_PRIORITY : 0;
        struct software_event before;
        bool takes_events;

        if (functions[i] == SBI_SSE_INJECT) {
            assert_int_equal(call(0, SBI_SSE_ENABLE, LOCAL, 0, 0), 0);
        } else if (functions[i] == SBI_SSE_COMPLETE) {
            assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, 0, 0), 0);
            assert_int_equal(call(0, SBI_SSE_HART_UNMASK, 0, 0, 0), 0);
            assert_int_equal(state_of(0, LOCAL), SOFTWARE_EVENT_RUNNING);
        } else if (functions[i] == SBI_SSE_HART_UNMASK) {
            assert_int_equal(call(0, SBI_SSE_HART_MASK, 0, 0, 0), 0);
        }
        before = *local_event(vhart(0));
        takes_events = events_of(vhart(0))->takes;
        memory[3] = 77;
        csr_file_write("mip", INTERRUPT_MTI);
        assert_int_equal(call5(0, functions[i], LOCAL, argument, 1, (uint64_t)&memory[3], 0).error,
                         SBI_REPEAT);
        csr_file_write("mip", 0);
        assert_memory_equal(&before, local_event(vhart(0)), sizeof(before));
        assert_int_equal(events_of(vhart(0))->takes, takes_events);
    }
}

/* Other harts send messages all the time: no call is put off. */
static void test_messages_put_nothing_off(void **state)
{
    uint64_t attributes = (uint64_t)memory;

    (void)state;
    message_storm_begin(&hart_of[0]);
    assert_int_equal(call(0, SBI_SSE_REGISTER, LOCAL, 0x4440, 0), 0);
    assert_int_not_equal(call5(0, SBI_SSE_READ_ATTRS, LOCAL, 0, 4, attributes, 0).error,
                         SBI_REPEAT);
    assert_int_not_equal(
        call5(0, SBI_SSE_WRITE_ATTRS, LOCAL, SBI_SSE_ATTR_PRIORITY, 2, attributes, 0).error,
        SBI_REPEAT);
    assert_int_equal(call(0, SBI_SSE_ENABLE, LOCAL, 0, 0), 0);
    assert_int_equal(call(0, SBI_SSE_INJECT, LOCAL, 0, 0), 0);
    assert_int_equal(call(0, SBI_SSE_HART_UNMASK, 0, 0, 0), 0);
    assert_int_equal(state_of(0, LOCAL), SOFTWARE_EVENT_RUNNING);
    assert_int_not_equal(call5(0, SBI_SSE_COMPLETE, 0, 0, 0, 0, 0).error, SBI_REPEAT);
    assert_int_equal(state_of(0, LOCAL), SOFTWARE_EVENT_ENABLED);
    message_storm_end(&hart_of[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_reset_values, set_up),
        cmocka_unit_test_setup(test_which_events_there_are, set_up),
        cmocka_unit_test_setup(test_states, set_up),
        cmocka_unit_test_setup(test_delivery_and_completion, set_up),
        cmocka_unit_test_setup(test_completion_elsewhere, set_up),
        cmocka_unit_test_setup(test_completion_of_nothing, set_up),
        cmocka_unit_test_setup(test_one_shot, set_up),
        cmocka_unit_test_setup(test_again_while_running, set_up),
        cmocka_unit_test_setup(test_priorities, set_up),
        cmocka_unit_test_setup(test_local_event_of_another_hart, set_up),
        cmocka_unit_test_setup(test_preferred_hart, set_up),
        cmocka_unit_test_setup(test_injection_of_what_is_not_enabled, set_up),
        cmocka_unit_test_setup(test_stop, set_up),
        cmocka_unit_test_setup(test_waiting_hart_wakes, set_up),
        cmocka_unit_test_setup(test_enabled_by_another_hart, set_up),
        cmocka_unit_test_setup(test_suspended_hart_wakes, set_up),
        cmocka_unit_test_setup(test_attribute_ranges, set_up),
        cmocka_unit_test_setup(test_attribute_writes, set_up),
        cmocka_unit_test_setup(test_wanted_hart_is_let_go, set_up),
        cmocka_unit_test_setup(test_messages_put_nothing_off, set_up),
    };

    return cmocka_run_group_tests_name("software_events", tests, NULL, NULL);
}
