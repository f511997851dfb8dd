/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random calls of SBI SSE on three harts beside a model that follows the sentences of section 17,
 * with OpenSBI's choice that the preferred hart alone takes the global event:
 * each event is a record in one list, each hart a set of named fields. After every step all harts
 * and all events are compared, and no event waits that some hart could take. The vharts 1 and 2 are
 * not loaded, so that their sepc is in the world.
 */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/messages.h"
#include "features/sse/software_events.h"
#include "random.h"
#include "sbi/sbi.h"
#include "sbi_table.h"

#define HARTS 3
#define EVENTS (HARTS + 1) /* a local one of each hart, and the global one */
#define GLOBAL HARTS
#define LOCAL_ID 0xffff0000
#define GLOBAL_ID 0xffff8000
#define ROUNDS 300
#define STEPS 400
#define NOBODY (-1)

enum {
    UNUSED,
    REGISTERED,
    ENABLED,
    RUNNING,
};

struct model_event {
    int state;
    bool pending;
    uint64_t attributes[SBI_SSE_ATTR_COUNT]; /* all but STATUS */
    int runs_on;
};

/* What a hart executes with. */
struct context {
    uint64_t pc;
    bool supervisor;
    bool sie;
    bool spie;
    bool spp;
    uint64_t sepc;
    uint64_t a6;
    uint64_t a7;
};

static struct model_event model[EVENTS];
static struct context context[HARTS];
static bool started[HARTS];
static bool unmasked[HARTS];
static bool model_mail[HARTS];

static struct bundle_tenant description;
static struct hart hart_of[HARTS];
static struct vhart vhart_of_tenant[HARTS];
static struct tenant tenant;
static uint64_t mtime;
static bool mail[HARTS];
static uint64_t memory[SBI_SSE_ATTR_COUNT];
static struct random source = {.state = 0x737365};

void messages_send(struct vhart *vhart, uint32_t requests)
{
    assert_int_equal(requests, REQUEST_EVENTS);
    mail[vhart - vhart_of_tenant] = true;
}

/* The model. */

/* `a` has the higher priority; of the events of one hart. */
static bool goes_before(int a, int b)
{
    uint64_t left = model[a].attributes[SBI_SSE_ATTR_PRIORITY];
    uint64_t right = model[b].attributes[SBI_SSE_ATTR_PRIORITY];

    return left != right ? left < right : a < b;
}

/* The event of highest priority that runs on the hart. */
static int running_on(int hart)
{
    int highest = NOBODY;

    for (int event = 0; event < EVENTS; event++) {
        if (model[event].state == RUNNING && model[event].runs_on == hart &&
            (highest == NOBODY || goes_before(event, highest))) {
            highest = event;
        }
    }
    return highest;
}

static bool could_take(int hart, int event)
{
    int running = running_on(hart);

    return started[hart] && unmasked[hart] &&
           (event == hart ||
            model[event].attributes[SBI_SSE_ATTR_PREFERRED_HART] == (uint64_t)hart) &&
           model[event].state == ENABLED && model[event].pending &&
           (running == NOBODY || goes_before(event, running));
}

static int hart_for_global(void)
{
    int preferred = (int)model[GLOBAL].attributes[SBI_SSE_ATTR_PREFERRED_HART];

    return could_take(preferred, GLOBAL) ? preferred : NOBODY;
}

/* Section 17.5. */
static void model_enter(int hart, int event)
{
    struct context *now = &context[hart];
    uint64_t *attributes = model[event].attributes;

    model[event].state = RUNNING;
    model[event].pending = false;
    model[event].runs_on = hart;
    attributes[SBI_SSE_ATTR_INTERRUPTED_FLAGS] = (now->spp ? 1u : 0u) + (now->spie ? 2u : 0u);
    attributes[SBI_SSE_ATTR_INTERRUPTED_SEPC] = now->sepc;
    attributes[SBI_SSE_ATTR_INTERRUPTED_A6] = now->a6;
    attributes[SBI_SSE_ATTR_INTERRUPTED_A7] = now->a7;
    now->a6 = (uint64_t)hart;
    now->a7 = attributes[SBI_SSE_ATTR_ENTRY_ARG];
    now->sepc = now->pc;
    now->spp = now->supervisor;
    now->spie = now->sie;
    now->sie = false;
    now->supervisor = true;
    now->pc = attributes[SBI_SSE_ATTR_ENTRY_PC];
}

static void model_finish(int event)
{
    model[event].state = model[event].attributes[SBI_SSE_ATTR_CONFIG] == 1 ? REGISTERED : ENABLED;
}

/* Section 17.6. */
static void model_complete(int hart)
{
    int event = running_on(hart);
    struct context *now = &context[hart];
    const uint64_t *attributes = model[event].attributes;

    model_finish(event);
    now->pc = now->sepc;
    now->supervisor = now->spp;
    now->sie = now->spie;
    now->spie = attributes[SBI_SSE_ATTR_INTERRUPTED_FLAGS] / 2 % 2 == 1;
    now->spp = attributes[SBI_SSE_ATTR_INTERRUPTED_FLAGS] % 2 == 1;
    now->a7 = attributes[SBI_SSE_ATTR_INTERRUPTED_A7];
    now->a6 = attributes[SBI_SSE_ATTR_INTERRUPTED_A6];
    now->sepc = attributes[SBI_SSE_ATTR_INTERRUPTED_SEPC];
}

/* The hart takes what it can, the highest one first; the global event may be for another. */
static void model_deliver(int hart)
{
    for (int left = 2; left > 0; left--) {
        int best = NOBODY;

        if (could_take(hart, hart)) {
            best = hart;
        }
        if (hart_for_global() == hart && (best == NOBODY || goes_before(GLOBAL, best))) {
            best = GLOBAL;
        }
        if (best != NOBODY) {
            model_enter(hart, best);
        }
    }
    if (hart_for_global() != NOBODY) {
        model_mail[hart_for_global()] = true;
    }
}

static long model_write(int hart, int event, uint64_t first, uint64_t count, const uint64_t *values)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = first + i;
        bool is_config = number >= SBI_SSE_ATTR_PRIORITY && number <= SBI_SSE_ATTR_PREFERRED_HART;
        bool is_context = number >= SBI_SSE_ATTR_INTERRUPTED_SEPC;

        if ((!is_config && !is_context) ||
            (number == SBI_SSE_ATTR_PREFERRED_HART && event != GLOBAL)) {
            return SBI_ERR_DENIED;
        }
        if (number == SBI_SSE_ATTR_INTERRUPTED_FLAGS && values[i] >= 64) {
            return SBI_ERR_INVALID_PARAM;
        }
        if (is_config && model[event].state != UNUSED && model[event].state != REGISTERED) {
            return SBI_ERR_INVALID_STATE;
        }
        if (is_context && model[event].state != RUNNING) {
            return SBI_ERR_INVALID_STATE;
        }
        if (is_context && model[event].runs_on != hart) {
            return SBI_ERR_INVALID_PARAM;
        }
        if ((number == SBI_SSE_ATTR_PRIORITY && values[i] >> 32 != 0) ||
            (number == SBI_SSE_ATTR_CONFIG && values[i] > 1) ||
            (number == SBI_SSE_ATTR_PREFERRED_HART &&
             (values[i] >= HARTS || !started[values[i]]))) {
            return SBI_ERR_INVALID_PARAM;
        }
    }
    memcpy(&model[event].attributes[first], values, count * sizeof(*values));
    return SBI_SUCCESS;
}

static long model_attributes(int hart, int event, const uint64_t *arguments)
{
    uint64_t first = (uint32_t)arguments[1];
    uint64_t count = (uint32_t)arguments[2];
    uint64_t low = arguments[3];
    uint64_t base = (uint64_t)memory;

    if (count == 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    if (first + count > SBI_SSE_ATTR_COUNT) {
        return SBI_ERR_BAD_RANGE;
    }
    if (low % 8 != 0 || arguments[4] != 0 || low < base || low >= base + sizeof(memory) ||
        low + 8 * count > base + sizeof(memory)) {
        return SBI_ERR_INVALID_ADDRESS;
    }
    return arguments[5] == SBI_SSE_WRITE_ATTRS
               ? model_write(hart, event, first, count, (const uint64_t *)low)
               : SBI_SUCCESS;
}

static long move(int event, int from, int to)
{
    if (model[event].state != from) {
        return SBI_ERR_INVALID_STATE;
    }
    model[event].state = to;
    return SBI_SUCCESS;
}

static long model_inject(int hart, int event, uint64_t target)
{
    if (event == GLOBAL) {
        target = model[GLOBAL].attributes[SBI_SSE_ATTR_PREFERRED_HART];
    } else if (target >= HARTS) {
        return SBI_ERR_INVALID_PARAM;
    }
    if (!started[target]) {
        return SBI_ERR_FAILED;
    }
    if (event != GLOBAL) {
        event = (int)target;
    }
    if (model[event].state == UNUSED || model[event].state == REGISTERED) {
        return (int)target == hart ? SBI_ERR_INVALID_STATE : SBI_SUCCESS;
    }
    model_mail[target] |= (int)target != hart;
    model[event].pending = true;
    return SBI_SUCCESS;
}

/* arguments[5] is the function. */
static long model_event_call(int hart, int event, const uint64_t *arguments)
{
    switch (arguments[5]) {
    case SBI_SSE_REGISTER:
        if (arguments[1] % 2 != 0) {
            return SBI_ERR_INVALID_PARAM;
        }
        if (move(event, UNUSED, REGISTERED) != SBI_SUCCESS) {
            return SBI_ERR_INVALID_STATE;
        }
        model[event].attributes[SBI_SSE_ATTR_ENTRY_PC] = arguments[1];
        model[event].attributes[SBI_SSE_ATTR_ENTRY_ARG] = arguments[2];
        return SBI_SUCCESS;
    case SBI_SSE_UNREGISTER:
        return move(event, REGISTERED, UNUSED);
    case SBI_SSE_ENABLE:
        return move(event, REGISTERED, ENABLED);
    case SBI_SSE_DISABLE:
        return move(event, ENABLED, REGISTERED);
    case SBI_SSE_INJECT:
        return model_inject(hart, event, arguments[1]);
    default:
        return model_attributes(hart, event, arguments);
    }
}

static long model_mask(int hart, bool mask)
{
    if (unmasked[hart] != mask) {
        return mask ? SBI_ERR_ALREADY_STOPPED : SBI_ERR_ALREADY_STARTED;
    }
    unmasked[hart] = !mask;
    return SBI_SUCCESS;
}

static long model_call(int hart, const uint64_t *arguments)
{
    uint32_t id = (uint32_t)arguments[0];
    long error = SBI_SUCCESS;

    switch (arguments[5]) {
    case SBI_SSE_COMPLETE:
        if (running_on(hart) != NOBODY) {
            model_complete(hart);
        }
        break;
    case SBI_SSE_HART_UNMASK:
    case SBI_SSE_HART_MASK:
        error = model_mask(hart, arguments[5] == SBI_SSE_HART_MASK);
        break;
    default:
        error = model_event_call(hart, id == LOCAL_ID ? hart : GLOBAL, arguments);
        break;
    }
    model_deliver(hart);
    return error;
}

static void model_stop(int hart)
{
    started[hart] = false;
    unmasked[hart] = false;
    model[hart] = (struct model_event){0};
    model[hart].attributes[SBI_SSE_ATTR_PREFERRED_HART] = (uint64_t)hart;
    if (model[GLOBAL].attributes[SBI_SSE_ATTR_PREFERRED_HART] == (uint64_t)hart &&
        (model[GLOBAL].state == ENABLED || model[GLOBAL].state == RUNNING)) {
        model[GLOBAL].state = UNUSED;
    }
}

/* Both of them. */

static void put_sepc(int hart, uint64_t value)
{
    if (hart == 0) {
        csr_file_write("sepc", value);
    } else {
        vhart_of_tenant[hart].world.sepc = value;
    }
}

static void put_context(int hart)
{
    const struct context *now = &context[hart];
    struct world *world = &vhart_of_tenant[hart].world;

    world->registers[REGISTER_PC] = now->pc;
    world->registers[REGISTER_A6] = now->a6;
    world->registers[REGISTER_A7] = now->a7;
    world->mstatus = (now->supervisor ? MSTATUS_MPP_S : 0u) | (now->sie ? MSTATUS_SIE : 0u) |
                     (now->spie ? MSTATUS_SPIE : 0u) | (now->spp ? MSTATUS_SPP : 0u);
    put_sepc(hart, now->sepc);
}

static void compare_contexts(void)
{
    for (int hart = 0; hart < HARTS; hart++) {
        const struct context *now = &context[hart];
        const struct world *world = &vhart_of_tenant[hart].world;

        assert_int_equal(world->registers[REGISTER_PC], now->pc);
        assert_int_equal(world->registers[REGISTER_A6], now->a6);
        assert_int_equal(world->registers[REGISTER_A7], now->a7);
        assert_int_equal(world->mstatus,
                         (now->supervisor ? MSTATUS_MPP_S : 0u) | (now->sie ? MSTATUS_SIE : 0u) |
                             (now->spie ? MSTATUS_SPIE : 0u) | (now->spp ? MSTATUS_SPP : 0u));
        assert_int_equal(hart == 0 ? csr_file_read("sepc") : world->sepc, now->sepc);
    }
    assert_memory_equal(mail, model_mail, sizeof(mail));
}

/* A call that reads them all would deliver what is on its way. */
static void compare_event(int event)
{
    const struct software_event *real =
        event == GLOBAL ? &global_events[0] : local_event(&vhart_of_tenant[event]);
    const uint64_t *expected = model[event].attributes;

    assert_int_equal(real->state, model[event].state);
    assert_int_equal(real->pending, model[event].pending);
    assert_int_equal(real->priority, expected[SBI_SSE_ATTR_PRIORITY]);
    assert_int_equal(real->one_shot, expected[SBI_SSE_ATTR_CONFIG]);
    assert_int_equal(real->entry_pc, expected[SBI_SSE_ATTR_ENTRY_PC]);
    assert_int_equal(real->entry_argument, expected[SBI_SSE_ATTR_ENTRY_ARG]);
    assert_memory_equal(&real->interrupted, &expected[SBI_SSE_ATTR_INTERRUPTED_SEPC],
                        sizeof(real->interrupted));
}

static uint64_t status_of(int event)
{
    return (uint64_t)model[event].state + (model[event].pending ? 4 : 0) + 8;
}

/* Nobody could take anything, unless a message to that effect is on its way. */
static void check_nothing_is_forgotten(void)
{
    for (int event = 0; event < EVENTS; event++) {
        for (int hart = 0; hart < HARTS; hart++) {
            if (could_take(hart, event)) {
                assert_true(event == GLOBAL ? mail[hart_for_global()] : mail[hart]);
            }
        }
    }
}

static void call(int hart, const uint64_t *arguments)
{
    struct sbi_result result;
    bool returns = arguments[5] != SBI_SSE_COMPLETE || running_on(hart) == NOBODY;
    int event = (uint32_t)arguments[0] == LOCAL_ID ? hart : GLOBAL;
    uint64_t expected[SBI_SSE_ATTR_COUNT];
    long error;

    memcpy(expected, model[event].attributes, sizeof(expected));
    expected[SBI_SSE_ATTR_STATUS] = status_of(event);
    error = model_call(hart, arguments);
    result = call_extension(SBI_EXT_SSE, &vhart_of_tenant[hart], arguments[5], arguments);
    assert_int_equal(result.error, returns ? error : SBI_NO_RETURN);
    assert_int_equal(result.value, 0);
    if (arguments[5] == SBI_SSE_READ_ATTRS && error == SBI_SUCCESS) {
        assert_memory_equal((const void *)arguments[3], &expected[(uint32_t)arguments[1]],
                            (uint32_t)arguments[2] * sizeof(*expected));
    }
}

static uint64_t random_word(void)
{
    static const uint64_t interesting[] = {0, 1, 2, 3, UINT32_MAX, 1ul << 32, UINT64_MAX};
    uint32_t choice = random_below(&source, 10);

    return choice < 7 ? interesting[choice] : (uint64_t)random_next(&source) << choice;
}

/* Attribute calls are aimed well most of the time, else nothing would ever be written. */
static void random_attributes(uint64_t *arguments)
{
    arguments[1] = random_below(&source, SBI_SSE_ATTR_COUNT + 1);
    arguments[2] = 1 + random_below(&source, 2);
    arguments[3] = (uint64_t)memory;
    for (unsigned i = 0; i < SBI_SSE_ATTR_COUNT; i++) {
        memory[i] = random_below(&source, 4) != 0 ? random_below(&source, 3) : random_word();
    }
    if (random_below(&source, 8) == 0) {
        unsigned which = 1 + random_below(&source, 4);

        arguments[which] = which == 3 ? arguments[3] + random_below(&source, 100) : random_word();
    }
}

static void random_call(int hart)
{
    uint64_t arguments[6] = {random_below(&source, 2) == 0 ? LOCAL_ID : GLOBAL_ID,
                             random_word(),
                             random_word(),
                             0,
                             0,
                             random_below(&source, 14)};

    if (arguments[5] > SBI_SSE_HART_MASK) {
        arguments[5] = SBI_SSE_INJECT;
    }
    if (arguments[5] <= SBI_SSE_WRITE_ATTRS) {
        random_attributes(arguments);
    }
    if (arguments[5] == SBI_SSE_INJECT && random_below(&source, 4) != 0) {
        arguments[1] = random_below(&source, HARTS);
    }
    /* Masked harts and unused events are dull: the second try is not. */
    if (arguments[5] == SBI_SSE_HART_MASK || arguments[5] == SBI_SSE_DISABLE ||
        arguments[5] == SBI_SSE_UNREGISTER) {
        arguments[5] = random_below(&source, 3) != 0 ? arguments[5] - 1 : arguments[5];
    }
    call(hart, arguments);
}

/* The tenant's own instructions: some that a handler executes before it completes. */
static void random_instructions(int hart)
{
    struct context *now = &context[hart];

    now->pc += 4;
    now->a6 = random_word();
    now->a7 = random_word();
    if (random_below(&source, 3) == 0) {
        now->sepc = random_word();
        now->spp = random_below(&source, 2) != 0;
        now->spie = random_below(&source, 2) != 0;
        now->sie = random_below(&source, 2) != 0;
    }
    put_context(hart);
}

static void start(int hart)
{
    started[hart] = true;
    vhart_of_tenant[hart].state = VHART_STARTED;
    context[hart] = (struct context){.pc = 0x1000, .supervisor = true};
    put_context(hart);
}

static void stop(int hart)
{
    vhart_of_tenant[hart].state = VHART_STOPPED;
    model_stop(hart);
    software_events_stop(&vhart_of_tenant[hart]);
}

static void step(void)
{
    int hart = (int)random_below(&source, HARTS);
    uint32_t choice = random_below(&source, 100);

    if (mail[hart] && choice < 40) {
        mail[hart] = false;
        model_mail[hart] = false;
        model_deliver(hart);
        software_events_deliver(&vhart_of_tenant[hart]);
    } else if (!started[hart]) {
        start(hart);
    } else if (choice < 3) {
        stop(hart);
    } else if (choice < 55) {
        random_instructions(hart);
    } else {
        random_call(hart);
    }
}

static void begin_round(void)
{
    memset(hart_of, 0, sizeof(hart_of));
    memset(vhart_of_tenant, 0, sizeof(vhart_of_tenant));
    memset(&tenant, 0, sizeof(tenant));
    memset(vhart_events, 0, sizeof(vhart_events));
    memset(global_events, 0, sizeof(global_events));
    memset(model, 0, sizeof(model));
    memset(mail, 0, sizeof(mail));
    memset(model_mail, 0, sizeof(model_mail));
    memset(unmasked, 0, sizeof(unmasked));
    description.memory[0] = (struct bundle_range){(uint64_t)memory, sizeof(memory)};
    tenant.description = &description;
    tenant.vharts = vhart_of_tenant;
    tenant.vhart_count = HARTS;
    global_events[0].preferred = random_below(&source, HARTS);
    model[GLOBAL].attributes[SBI_SSE_ATTR_PREFERRED_HART] = global_events[0].preferred;
    for (int hart = 0; hart < HARTS; hart++) {
        model[hart].attributes[SBI_SSE_ATTR_PREFERRED_HART] = (uint64_t)hart;
        hart_of[hart].mtime = &mtime;
        vhart_of_tenant[hart].world.hart = &hart_of[hart];
        vhart_of_tenant[hart].world.vhart_id = (uint32_t)hart;
        vhart_of_tenant[hart].index = (uint32_t)hart;
        vhart_of_tenant[hart].tenant = &tenant;
        start(hart);
    }
    hart_of[0].loaded = &vhart_of_tenant[0];
}

static void test_random_calls(void **state)
{
    unsigned nested = 0;
    unsigned preempted_on[HARTS] = {0};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        begin_round();
        for (int i = 0; i < STEPS; i++) {
            step();
            compare_contexts();
            check_nothing_is_forgotten();
            for (int event = 0; event < EVENTS; event++) {
                compare_event(event);
            }
            for (int hart = 0; hart < HARTS; hart++) {
                if (model[hart].state == RUNNING && model[GLOBAL].state == RUNNING &&
                    model[GLOBAL].runs_on == hart) {
                    nested++;
                    preempted_on[hart]++;
                }
            }
        }
    }
    /* The calls do lead somewhere. */
    assert_true(nested > 1000);
    for (int hart = 0; hart < HARTS; hart++) {
        assert_true(preempted_on[hart] > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_calls),
    };

    return cmocka_run_group_tests_name("software_events_model", tests, NULL, NULL);
}
