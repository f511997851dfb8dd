/* SPDX-License-Identifier: BSD-2-Clause */
/* The control protocol: frames, what each verb answers, and who may ask for what. */
#include <string.h>

#include "arch/csr.h"
#include "arch/instruction.h"
#include "cmocka_tests.h"
#include "control_bench.h"
#include "core/clock.h"
#include "core/hart.h"
#include "core/monitor_log.h"
#include "core/work.h"
#include "features/control/control.h"
#include "features/plic/vuart_registers.h"

#define ALL 0x7
#define TAG 0x1234

/* The only one that is linked. */
#define work_of_idle (&__start_works[0])

static struct control_link link;
static struct {
    struct control_answer header;
    uint8_t data[COTENANT_CONTROL_MOST_DATA];
} answer;

static bool lock_is_wanted;

bool shared_lock_has_waiting(void)
{
    return lock_is_wanted;
}

static int setup(void **state)
{
    (void)state;
    lock_is_wanted = false;
    control_bench_init();
    control_init(&link, CONTROL_OUTSIDE, ALL, ALL);
    return 0;
}

/* Hands over all bytes, in pieces of at most `piece`. */
static void put(const void *bytes, uint32_t length, uint32_t piece)
{
    uint32_t done = 0;

    while (done < length) {
        uint32_t count = length - done < piece ? length - done : piece;
        uint32_t taken = control_take(&link, (const uint8_t *)bytes + done, count);

        assert_true(taken > 0 && taken <= count);
        done += taken;
    }
}

/* Takes the answer, which must be a whole one, in pieces of at most `piece`; returns the status. */
static uint16_t get(uint32_t piece)
{
    uint32_t length = 0;

    while (control_waiting(&link) != 0) {
        uint32_t count = control_give(&link, (uint8_t *)&answer + length, piece);

        assert_true(count > 0 && count <= piece);
        length += count;
        assert_true(length <= sizeof(answer));
    }
    assert_true(length >= sizeof(answer.header));
    assert_int_equal(length, sizeof(answer.header) + answer.header.length);
    assert_int_equal(answer.header.magic, COTENANT_CONTROL_MAGIC);
    assert_int_equal(answer.header.version, COTENANT_CONTROL_VERSION);
    return answer.header.status;
}

static struct control_request request_of(uint8_t verb, uint32_t tenant, uint32_t item,
                                         uint64_t position, uint32_t length)
{
    return (struct control_request){
        .magic = COTENANT_CONTROL_MAGIC,
        .version = COTENANT_CONTROL_VERSION,
        .verb = verb,
        .tag = TAG,
        .length = length,
        .tenant = tenant,
        .item = item,
        .position = position,
    };
}

static uint16_t ask_with(uint8_t verb, uint32_t tenant, uint32_t item, uint64_t position,
                         const void *data, uint32_t length)
{
    struct control_request request = request_of(verb, tenant, item, position, length);

    put(&request, sizeof(request), 1000);
    put(data, length, 1000);
    get(1000);
    assert_int_equal(answer.header.tag, TAG);
    assert_int_equal(answer.header.verb, verb);
    return answer.header.status;
}

static uint16_t ask(uint8_t verb, uint32_t tenant, uint32_t item, uint64_t position)
{
    return ask_with(verb, tenant, item, position, NULL, 0);
}

static uint64_t memory_of(uint32_t tenant)
{
    return (uint64_t)bench_memory[tenant];
}

static void test_version(void **state)
{
    const struct control_version *version = (const void *)answer.data;

    (void)state;
    bench_time = 25000000;
    assert_int_equal(ask(COTENANT_CONTROL_VERSION_GET, 0, 0, 0), COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.length, sizeof(*version));
    assert_int_equal(version->tenants, 3);
    assert_int_equal(version->harts, 1);
    assert_int_equal(version->time_ns, 2500000000);
    assert_int_equal(version->trace_size, BENCH_TRACE);
}

static void test_tenant(void **state)
{
    const struct control_tenant *tenant = (const void *)answer.data;

    (void)state;
    control_init(&link, 0, 1 << 1, 1 << 1 | 1 << 2);
    assert_int_equal(ask(COTENANT_CONTROL_TENANT_GET, 1, 0, 0), COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.length, sizeof(*tenant));
    assert_string_equal(tenant->name, "freertos");
    assert_int_equal(tenant->state, COTENANT_STATE_DORMANT);
    assert_int_equal(tenant->rights, COTENANT_RIGHT_SEE | COTENANT_RIGHT_CONTROL);
    assert_int_equal(tenant->group, bundle->tenants[1].group);
    assert_int_equal(tenant->memory[1].base, memory_of(1));
    assert_int_equal(tenant->memory[1].size, BENCH_MEMORY);
    assert_int_equal(ask(COTENANT_CONTROL_TENANT_GET, 0, 0, 0), COTENANT_CONTROL_OK);
    assert_int_equal(tenant->rights, COTENANT_RIGHT_SEE | COTENANT_RIGHT_SELF);
}

static void test_vhart(void **state)
{
    const struct control_vhart *vhart = (const void *)answer.data;

    (void)state;
    bench_time = 30000000;
    vharts[0].schedulable.run_time = 10000000;
    vharts[0].schedulable.switches = 17;
    vharts[0].schedulable.lateness = 3;
    vharts[0].world.interrupts = 18;
    vharts[0].world.hart->scheduler.running = &vharts[0].schedulable;
    vharts[0].world.hart->scheduler.charged = 20000000;
    assert_int_equal(ask(COTENANT_CONTROL_VHART_GET, 0, 0, 0), COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.length, sizeof(*vhart));
    assert_int_equal(vhart->hart, 4);
    assert_int_equal(vhart->schedule, COTENANT_SCHEDULE_RUNNING);
    assert_int_equal(vhart->time_ns, 3000000000);
    assert_int_equal(vhart->cpu_ns, 2000000000);
    assert_int_equal(vhart->switches, 17);
    assert_int_equal(vhart->lateness_ns, nanoseconds_from_ticks(3));
    assert_int_equal(vhart->interrupts, 18);
    assert_int_equal(ask(COTENANT_CONTROL_VHART_GET, 0, 1, 0), COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(ask(COTENANT_CONTROL_VHART_GET, 3, 0, 0), COTENANT_CONTROL_NO_TENANT);
}

static uint64_t computed_at(uint64_t seconds)
{
    const struct control_vhart *vhart = (const void *)answer.data;

    bench_time = seconds * 10000000;
    assert_int_equal(ask(COTENANT_CONTROL_VHART_GET, 0, 0, 0), COTENANT_CONTROL_OK);
    return vhart->cpu_ns / 1000000000;
}

static void test_waiting_is_not_computing(void **state)
{
    struct vhart *vhart = &vharts[0];
    struct hart *hart = vhart->world.hart;
    uint64_t before;

    (void)state;
    (void)work_of_idle->step(TIME_NEVER - 1); /* no one looks any more of those of other tests */
    hart->loaded = vhart;
    hart->scheduler.running = &vhart->schedulable;
    vhart->world.mstatus = MSTATUS_MPP_S;
    vhart->world.registers[REGISTER_PC] = 0x1004;
    bench_instruction = INSTRUCTION_WFI;
    before = computed_at(100); /* until now no one looked */
    assert_int_equal(computed_at(101), before);
    assert_int_equal(bench_fetched, 0x1000);
    bench_time += 37000;
    assert_int_equal(work_of_idle->step(bench_time), WORK_NOTHING);
    assert_int_equal(computed_at(102), before);
    bench_instruction = 0x13; /* it computes */
    assert_int_equal(computed_at(104), before + 2);
    bench_instruction = INSTRUCTION_WFI;
    vhart->world.mstatus = 0; /* a process does not wait */
    assert_int_equal(computed_at(105), before + 3);
    vhart->world.mstatus = MSTATUS_MPP_S;
    hart->loaded = NULL; /* what it does is not known: that comes with the next look */
    assert_int_equal(computed_at(106), before + 3);
    hart->loaded = vhart;
    assert_int_equal(computed_at(107), before + 3);
    /* A minute later no one looks any more, and all counts. */
    bench_time += 61 * 10000000ul;
    (void)work_of_idle->step(bench_time);
    assert_int_equal(work_of_idle->deadline(), TIME_NEVER);
    assert_int_equal(computed_at(200), before + 3 + 32);
}

static void test_commands(void **state)
{
    (void)state;
    assert_int_equal(ask(COTENANT_CONTROL_COMMAND, 2, COTENANT_COMMAND_START, 0),
                     COTENANT_CONTROL_OK);
    assert_ptr_equal(bench_commanded, &tenants[2]);
    assert_int_equal(bench_command, COMMAND_START);
    bench_accepts = false;
    assert_int_equal(ask(COTENANT_CONTROL_COMMAND, 0, COTENANT_COMMAND_LOAD, 0),
                     COTENANT_CONTROL_REFUSED);
    assert_int_equal(answer.header.length, 4);
    assert_int_equal(answer.data[0], COTENANT_STATE_RUNNING);
    assert_int_equal(bench_commands, 2);
    assert_int_equal(ask(COTENANT_CONTROL_COMMAND, 0, COMMAND_COUNT, 0),
                     COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(ask(COTENANT_CONTROL_COMMAND, 0, UINT32_MAX, 0),
                     COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(bench_commands, 2);
}

static void assert_text(uint32_t position, uint32_t end, const char *text)
{
    struct control_text header;

    memcpy(&header, answer.data, sizeof(header));
    assert_int_equal(header.position, position);
    assert_int_equal(header.end, end);
    assert_int_equal(answer.header.length, sizeof(header) + strlen(text));
    assert_memory_equal(answer.data + sizeof(header), text, strlen(text));
}

static void test_console(void **state)
{
    const char hello[] = "hello\n";
    const char long_text[VUART_TRANSMIT_SIZE + 1] = {[0 ... VUART_TRANSMIT_SIZE - 1] = 'x'};

    (void)state;
    vuart_console_write(&tenants[0].uart, (const uint8_t *)hello, 6);
    while (vuart_transmit_next(&tenants[0].uart) >= 0) {
    }
    assert_int_equal(ask(COTENANT_CONTROL_CONSOLE_READ, 0, 0, 0), COTENANT_CONTROL_OK);
    assert_text(0, 6, "hello\n");
    assert_int_equal(ask(COTENANT_CONTROL_CONSOLE_READ, 0, 0, 4), COTENANT_CONTROL_OK);
    assert_text(4, 6, "o\n");
    assert_int_equal(ask(COTENANT_CONTROL_CONSOLE_READ, 0, 0, 6), COTENANT_CONTROL_OK);
    assert_text(6, 6, "");
    vuart_console_write(&tenants[0].uart, (const uint8_t *)long_text, VUART_TRANSMIT_SIZE);
    assert_int_equal(ask(COTENANT_CONTROL_CONSOLE_READ, 0, 0, 0), COTENANT_CONTROL_OK);
    assert_text(6, 6 + VUART_TRANSMIT_SIZE, long_text + VUART_TRANSMIT_SIZE - CONTROL_TEXT_BYTES);
    assert_int_equal(ask_with(COTENANT_CONTROL_CONSOLE_WRITE, 0, 0, 0, "ls\n", 3),
                     COTENANT_CONTROL_OK);
    assert_int_equal(answer.data[0], 3);
    assert_int_equal(vuart_read(&tenants[0].uart, 0), 'l');
    assert_int_equal(ask_with(COTENANT_CONTROL_CONSOLE_WRITE, 1, 0, 0, "ls\n", 3),
                     COTENANT_CONTROL_REFUSED);
}

static void test_console_write_tells_what_found_room(void **state)
{
    static const uint8_t text[VUART_RECEIVE_SIZE + 100];
    uint32_t taken;

    (void)state;
    assert_int_equal(ask_with(COTENANT_CONTROL_CONSOLE_WRITE, 0, 0, 0, text, sizeof(text)),
                     COTENANT_CONTROL_OK);
    memcpy(&taken, answer.data, sizeof(taken));
    assert_int_equal(taken, VUART_RECEIVE_SIZE);
    assert_int_equal(tenants[0].uart.receive_dropped, 0);
}

static void test_log(void **state)
{
    (void)state;
    monitor_puts("monitor: one\n");
    assert_int_equal(ask(COTENANT_CONTROL_LOG_READ, 0, 0, 0), COTENANT_CONTROL_OK);
    assert_text(0, 13, "monitor: one\n");
    control_init(&link, 0, ALL & ~4u, 0);
    assert_int_equal(ask(COTENANT_CONTROL_LOG_READ, 0, 0, 0), COTENANT_CONTROL_DENIED);
}

static void test_trace(void **state)
{
    (void)state;
    memset(bench_trace, 0x77, sizeof(bench_trace));
    assert_int_equal(ask(COTENANT_CONTROL_TRACE_READ, 0, 1000, BENCH_TRACE - 10),
                     COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.length, 10);
    assert_int_equal(answer.data[9], 0x77);
    assert_int_equal(ask(COTENANT_CONTROL_TRACE_READ, 0, 10, BENCH_TRACE), COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.length, 0);
    assert_int_equal(ask(COTENANT_CONTROL_TRACE_READ, 0, 10, BENCH_TRACE + 1),
                     COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(ask(COTENANT_CONTROL_TRACE_READ, 0, COTENANT_CONTROL_MOST_DATA + 1, 0),
                     COTENANT_CONTROL_BAD_ARGUMENT);
    control_init(&link, 0, 0, ALL & ~2u);
    assert_int_equal(ask(COTENANT_CONTROL_TRACE_READ, 0, 10, 0), COTENANT_CONTROL_DENIED);
}

static void test_memory_of_who_rests(void **state)
{
    uint8_t data[COTENANT_CONTROL_MOST_DATA];

    (void)state;
    for (uint32_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 7 + i / 256);
    }
    assert_int_equal(ask_with(COTENANT_CONTROL_MEMORY_WRITE, BENCH_EMPTY, 0,
                              memory_of(BENCH_EMPTY) + 100, data, sizeof(data)),
                     COTENANT_CONTROL_OK);
    assert_memory_equal(bench_memory[BENCH_EMPTY] + 100, data, sizeof(data));
    assert_int_equal(bench_memory[BENCH_EMPTY][99], 0);
    assert_int_equal(bench_memory[BENCH_EMPTY][100 + sizeof(data)], 0);
    assert_true(tenants[BENCH_EMPTY].used);
    assert_int_equal(
        ask(COTENANT_CONTROL_MEMORY_READ, BENCH_EMPTY, sizeof(data), memory_of(BENCH_EMPTY) + 100),
        COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.length, sizeof(data));
    assert_memory_equal(answer.data, data, sizeof(data));
}

static void test_memory_is_refused(void **state)
{
    static const struct {
        uint32_t tenant, item;
        int64_t offset; /* of the tenant's memory */
        uint16_t status;
    } cases[] = {
        {BENCH_RUNNING, 8, 0, COTENANT_CONTROL_REFUSED},
        {BENCH_DORMANT, 8, -1, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, 8, BENCH_MEMORY - 7, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, 8, BENCH_MEMORY, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, 8, INT64_MIN, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, 0, 0, COTENANT_CONTROL_BAD_LENGTH},
        {BENCH_DORMANT, COTENANT_CONTROL_MOST_DATA + 1, 0, COTENANT_CONTROL_BAD_LENGTH},
        {BENCH_DORMANT, UINT32_MAX, 0, COTENANT_CONTROL_BAD_LENGTH},
        {BENCH_DORMANT, 8, BENCH_MEMORY - 8, COTENANT_CONTROL_OK},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t address = memory_of(cases[i].tenant) + (uint64_t)cases[i].offset;

        assert_int_equal(ask(COTENANT_CONTROL_MEMORY_READ, cases[i].tenant, cases[i].item, address),
                         cases[i].status);
    }
    assert_int_equal(
        ask_with(COTENANT_CONTROL_MEMORY_WRITE, BENCH_RUNNING, 0, memory_of(BENCH_RUNNING), "x", 1),
        COTENANT_CONTROL_REFUSED);
    assert_int_equal(bench_memory[BENCH_RUNNING][0], 0);
}

static void assert_found(uint64_t position, uint32_t count)
{
    const struct control_found *found = (const struct control_found *)answer.data;

    assert_int_equal(answer.header.length, sizeof(*found) + count);
    assert_int_equal(found->position, position);
    assert_memory_equal(answer.data + sizeof(*found), (const void *)position, count);
}

static void test_zeros_are_told_as_a_number(void **state)
{
    uint64_t base = memory_of(BENCH_EMPTY);
    uint8_t *memory = bench_memory[BENCH_EMPTY];

    (void)state;
    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_FIND, BENCH_EMPTY, BENCH_MEMORY, base),
                     COTENANT_CONTROL_OK);
    assert_found(base + BENCH_MEMORY, 0);
    memory[3001] = 1;
    memory[BENCH_MEMORY - 1] = 2;
    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_FIND, BENCH_EMPTY, BENCH_MEMORY - 8, base + 8),
                     COTENANT_CONTROL_OK);
    assert_found(base + 3000, COTENANT_CONTROL_MOST_FOUND);
    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_FIND, BENCH_EMPTY, 3008, base),
                     COTENANT_CONTROL_OK);
    assert_found(base + 3000, 8);
    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_FIND, BENCH_EMPTY, 3000, base),
                     COTENANT_CONTROL_OK);
    assert_found(base + 3000, 0);
    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_FIND, BENCH_EMPTY, 4096, base + 3008),
                     COTENANT_CONTROL_OK);
    assert_found(base + 3008 + 4096, 0);
    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_FIND, BENCH_EMPTY, 8, base + BENCH_MEMORY - 8),
                     COTENANT_CONTROL_OK);
    assert_found(base + BENCH_MEMORY - 8, 8);
    assert_false(tenants[BENCH_EMPTY].used);
}

static void test_memory_is_cleared(void **state)
{
    uint8_t *memory = bench_memory[BENCH_EMPTY];

    (void)state;
    memset(memory, 0x55, BENCH_MEMORY);
    assert_int_equal(
        ask(COTENANT_CONTROL_MEMORY_CLEAR, BENCH_EMPTY, 5000, memory_of(BENCH_EMPTY) + 8),
        COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.length, 4);
    assert_int_equal(*(const uint32_t *)answer.data, 5000);
    assert_int_equal(memory[7], 0x55);
    for (uint32_t i = 8; i < 5008; i++) {
        assert_int_equal(memory[i], 0);
    }
    assert_int_equal(memory[5008], 0x55);
    assert_true(tenants[BENCH_EMPTY].used);
}

/* What was done is said, and it is something. */
static void work_on_some_zeros(void)
{
    uint64_t base = memory_of(BENCH_EMPTY);
    uint32_t cleared;

    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_FIND, BENCH_EMPTY, BENCH_MEMORY, base),
                     COTENANT_CONTROL_OK);
    assert_found(base + 512, 0);
    bench_memory[BENCH_EMPTY][512] = 1;
    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_CLEAR, BENCH_EMPTY, BENCH_MEMORY, base),
                     COTENANT_CONTROL_OK);
    cleared = *(const uint32_t *)answer.data;
    assert_int_equal(cleared, 512);
    assert_int_equal(bench_memory[BENCH_EMPTY][512], 1);
}

static void test_an_interrupt_ends_a_work_on_zeros(void **state)
{
    (void)state;
    csr_file_write("mip", INTERRUPT_MTI);
    work_on_some_zeros();
    csr_file_write("mip", 0);
}

static void test_a_hart_that_waits_for_the_lock_ends_a_work_on_zeros(void **state)
{
    (void)state;
    lock_is_wanted = true;
    work_on_some_zeros();
}

static void test_work_on_zeros_is_refused(void **state)
{
    static const struct {
        uint32_t tenant, item;
        int64_t offset; /* of the tenant's memory */
        uint16_t status;
    } cases[] = {
        {BENCH_RUNNING, 8, 0, COTENANT_CONTROL_REFUSED},
        {BENCH_DORMANT, 8, -8, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, 8, BENCH_MEMORY, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, BENCH_MEMORY + 8, 0, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, 8, INT64_MIN, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, 0, 0, COTENANT_CONTROL_BAD_LENGTH},
        {BENCH_DORMANT, COTENANT_CONTROL_MOST_ZEROS + 8, 0, COTENANT_CONTROL_BAD_LENGTH},
        {BENCH_DORMANT, UINT32_MAX - 7, 0, COTENANT_CONTROL_BAD_LENGTH},
        {BENCH_DORMANT, 8, 4, COTENANT_CONTROL_BAD_ARGUMENT},
        {BENCH_DORMANT, 12, 0, COTENANT_CONTROL_BAD_ARGUMENT},
    };

    (void)state;
    memset(bench_memory, 0x55, sizeof(bench_memory));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t address = memory_of(cases[i].tenant) + (uint64_t)cases[i].offset;

        assert_int_equal(ask(COTENANT_CONTROL_MEMORY_FIND, cases[i].tenant, cases[i].item, address),
                         cases[i].status);
        assert_int_equal(
            ask(COTENANT_CONTROL_MEMORY_CLEAR, cases[i].tenant, cases[i].item, address),
            cases[i].status);
    }
    for (uint32_t i = 0; i < BENCH_CONTROL_TENANTS * BENCH_MEMORY; i++) {
        assert_int_equal(bench_memory[i / BENCH_MEMORY][i % BENCH_MEMORY], 0x55);
    }
}

/* A request has been checked, and before it is carried out its tenant is started. */
static void test_work_on_zeros_of_a_tenant_that_starts_in_between(void **state)
{
    static const uint8_t verbs[] = {COTENANT_CONTROL_MEMORY_FIND, COTENANT_CONTROL_MEMORY_CLEAR};

    (void)state;
    memset(bench_memory[BENCH_DORMANT], 0x55, BENCH_MEMORY);
    for (uint32_t i = 0; i < sizeof(verbs); i++) {
        struct control_request request =
            request_of(verbs[i], BENCH_DORMANT, 8, memory_of(BENCH_DORMANT), 0);

        tenants[BENCH_DORMANT].state = TENANT_DORMANT;
        assert_int_equal(control_accept(&link, (const uint8_t *)&request, sizeof(request)),
                         sizeof(request));
        tenants[BENCH_DORMANT].state = TENANT_RUNNING;
        assert_true(control_carry_out(&link));
        assert_int_equal(control_waiting(&link), 0);
        assert_int_equal(control_accept(&link, (const uint8_t *)&request, sizeof(request)), 0);
        assert_true(control_carry_out(&link)); /* now the answer */
        assert_false(control_carry_out(&link));
        assert_int_equal(get(1000), COTENANT_CONTROL_REFUSED);
        assert_int_equal(answer.header.length, 0);
    }
    assert_int_equal(bench_memory[BENCH_DORMANT][0], 0x55);
}

/* The rest of what was promised is zeros, and nothing of a tenant that runs is written. */
static void test_a_tenant_that_starts_in_between(void **state)
{
    struct control_request request =
        request_of(COTENANT_CONTROL_MEMORY_READ, BENCH_DORMANT, 1000, memory_of(BENCH_DORMANT), 0);
    uint8_t bytes[100] = {0};

    (void)state;
    memset(bench_memory[BENCH_DORMANT], 0x55, BENCH_MEMORY);
    put(&request, sizeof(request), 1000);
    assert_int_equal(control_give(&link, bytes, 100), 100);
    assert_int_equal(bytes[99], 0x55);
    tenants[BENCH_DORMANT].state = TENANT_RUNNING;
    assert_int_equal(control_waiting(&link), 1000 + sizeof(struct control_answer) - 100);
    assert_int_equal(control_give(&link, bytes, 100), 100);
    assert_int_equal(bytes[0], 0);
    control_reset(&link);
    tenants[BENCH_DORMANT].state = TENANT_DORMANT;
    request =
        request_of(COTENANT_CONTROL_MEMORY_WRITE, BENCH_DORMANT, 0, memory_of(BENCH_DORMANT), 2);
    put(&request, sizeof(request), 1000);
    put("a", 1, 1);
    tenants[BENCH_DORMANT].state = TENANT_LOADING;
    put("b", 1, 1);
    assert_int_equal(get(1000), COTENANT_CONTROL_REFUSED);
    assert_int_equal(bench_memory[BENCH_DORMANT][0], 'a');
    assert_int_equal(bench_memory[BENCH_DORMANT][1], 0x55);
}

static void test_state_of_who_is_dormant(void **state)
{
    struct dormant_state dormant = {.version = 1, .address = 0x80200000, .argument = 5};
    struct control_request request =
        request_of(COTENANT_CONTROL_STATE_SET, BENCH_EMPTY, 0, 0, sizeof(dormant));

    (void)state;
    assert_int_equal(ask(COTENANT_CONTROL_STATE_GET, BENCH_RUNNING, 0, 0),
                     COTENANT_CONTROL_REFUSED);
    assert_int_equal(ask(COTENANT_CONTROL_STATE_GET, BENCH_DORMANT, 0, 0), COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.length, sizeof(dormant));
    assert_int_equal(((struct dormant_state *)answer.data)->address, 0x1234);
    put(&request, sizeof(request), 1000);
    put(&dormant, sizeof(dormant), 5);
    assert_int_equal(get(1000), COTENANT_CONTROL_OK);
    assert_memory_equal(&bench_restored, &dormant, sizeof(dormant));
    bench_accepts = false;
    assert_int_equal(
        ask_with(COTENANT_CONTROL_STATE_SET, BENCH_EMPTY, 0, 0, &dormant, sizeof(dormant)),
        COTENANT_CONTROL_REFUSED);
    assert_int_equal(
        ask_with(COTENANT_CONTROL_STATE_SET, BENCH_EMPTY, 0, 0, &dormant, sizeof(dormant) - 1),
        COTENANT_CONTROL_BAD_LENGTH);
    control_init(&link, 0, 1 << BENCH_DORMANT, 0);
    assert_int_equal(ask(COTENANT_CONTROL_STATE_GET, BENCH_DORMANT, 0, 0), COTENANT_CONTROL_DENIED);
    assert_int_equal(
        ask_with(COTENANT_CONTROL_STATE_SET, BENCH_DORMANT, 0, 0, &dormant, sizeof(dormant)),
        COTENANT_CONTROL_DENIED);
}

static void test_watch(void **state)
{
    const struct control_tenant *tenant = (const void *)answer.data;

    (void)state;
    assert_int_equal(ask(COTENANT_CONTROL_WATCH, 0, COTENANT_WATCH_RESTART, 5000),
                     COTENANT_CONTROL_OK);
    assert_int_equal(ask(COTENANT_CONTROL_TENANT_GET, 0, 0, 0), COTENANT_CONTROL_OK);
    assert_int_equal(tenant->watch_policy, COTENANT_WATCH_RESTART);
    assert_int_equal(tenant->watch_within_us, 5000);
    assert_int_equal(ask(COTENANT_CONTROL_WATCH, 0, 4, 5000), COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(ask(COTENANT_CONTROL_WATCH, 0, 1, 999), COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(ask(COTENANT_CONTROL_WATCH, 0, 1, 1ul << 32), COTENANT_CONTROL_BAD_ARGUMENT);
    bench_accepts = false;
    assert_int_equal(ask(COTENANT_CONTROL_WATCH, 0, 1, 0), COTENANT_CONTROL_REFUSED);
    control_init(&link, 0, ALL, 0);
    assert_int_equal(ask(COTENANT_CONTROL_WATCH, 0, 1, 0), COTENANT_CONTROL_DENIED);
}

static void test_rights(void **state)
{
    static const uint8_t controlling[] = {
        COTENANT_CONTROL_COMMAND,
        COTENANT_CONTROL_CONSOLE_READ,
        COTENANT_CONTROL_MEMORY_READ,
    };

    (void)state;
    control_init(&link, 0, 1 << BENCH_DORMANT, 0);
    for (uint32_t i = 0; i < sizeof(controlling); i++) {
        assert_int_equal(ask(controlling[i], BENCH_DORMANT, 1, 0),
                         controlling[i] == COTENANT_CONTROL_CONSOLE_READ
                             ? COTENANT_CONTROL_BAD_ARGUMENT
                             : COTENANT_CONTROL_DENIED);
        assert_int_equal(ask(controlling[i], BENCH_DORMANT, 0, 0), COTENANT_CONTROL_DENIED);
        assert_int_equal(ask(controlling[i], BENCH_EMPTY, 0, 0), COTENANT_CONTROL_NO_TENANT);
        assert_int_equal(ask(controlling[i], UINT32_MAX, 0, 0), COTENANT_CONTROL_NO_TENANT);
        assert_int_equal(ask(controlling[i], 0, 0, 0), COTENANT_CONTROL_DENIED);
    }
    assert_int_equal(ask_with(COTENANT_CONTROL_CONSOLE_WRITE, BENCH_DORMANT, 0, 0, "x", 1),
                     COTENANT_CONTROL_DENIED);
    assert_int_equal(
        ask_with(COTENANT_CONTROL_MEMORY_WRITE, BENCH_DORMANT, 0, memory_of(BENCH_DORMANT), "x", 1),
        COTENANT_CONTROL_DENIED);
    assert_int_equal(bench_memory[BENCH_DORMANT][0], 0);
    assert_int_equal(bench_commands, 0);
    assert_int_equal(ask(COTENANT_CONTROL_TENANT_GET, BENCH_DORMANT, 0, 0), COTENANT_CONTROL_OK);
    assert_int_equal(ask(COTENANT_CONTROL_TENANT_GET, BENCH_EMPTY, 0, 0),
                     COTENANT_CONTROL_NO_TENANT);
}

static void test_what_is_no_request(void **state)
{
    struct control_request request = request_of(COTENANT_CONTROL_VERSION_GET, 0, 0, 0, 0);

    (void)state;
    assert_int_equal(ask(0, 0, 0, 0), COTENANT_CONTROL_BAD_VERB);
    assert_int_equal(ask(COTENANT_CONTROL_MEMORY_CLEAR + 1, 0, 0, 0), COTENANT_CONTROL_BAD_VERB);
    assert_int_equal(ask(255, 0, 0, 0), COTENANT_CONTROL_BAD_VERB);
    assert_int_equal(ask(COTENANT_CONTROL_VERSION_GET, 1, 0, 0), COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(ask(COTENANT_CONTROL_VERSION_GET, 0, 1, 0), COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(ask(COTENANT_CONTROL_TENANT_GET, 0, 0, 1), COTENANT_CONTROL_BAD_ARGUMENT);
    assert_int_equal(ask_with(COTENANT_CONTROL_VERSION_GET, 0, 0, 0, "abc", 3),
                     COTENANT_CONTROL_BAD_LENGTH);
    assert_int_equal(ask(COTENANT_CONTROL_CONSOLE_WRITE, 0, 0, 0), COTENANT_CONTROL_BAD_LENGTH);
    request.reserved = 1;
    put(&request, sizeof(request), 7);
    assert_int_equal(get(1000), COTENANT_CONTROL_BAD_ARGUMENT);
    request.reserved = 0;
    request.version = COTENANT_CONTROL_VERSION + 1;
    request.length = 5;
    put(&request, sizeof(request), 7);
    assert_int_equal(get(1000), COTENANT_CONTROL_BAD_VERSION);
    request.version = COTENANT_CONTROL_VERSION;
    request.length = COTENANT_CONTROL_MOST_DATA + 1;
    put(&request, sizeof(request), 7);
    assert_int_equal(get(1000), COTENANT_CONTROL_BAD_LENGTH);
}

static void test_garbage_in_front(void **state)
{
    struct control_request request = request_of(COTENANT_CONTROL_VERSION_GET, 0, 0, 0, 0);

    (void)state;
    put("CTCTRCCTR\xff", 10, 3);
    put("C", 1, 1); /* the magic number begins behind its own first byte */
    put(&request, sizeof(request), 1);
    assert_int_equal(get(1), COTENANT_CONTROL_OK);
}

static void test_one_request_at_a_time(void **state)
{
    struct control_request requests[2] = {request_of(COTENANT_CONTROL_VERSION_GET, 0, 0, 0, 0),
                                          request_of(COTENANT_CONTROL_TENANT_GET, 1, 0, 0, 0)};
    const uint8_t *bytes = (const uint8_t *)requests;

    (void)state;
    assert_int_equal(control_take(&link, bytes, sizeof(requests)), sizeof(requests[0]));
    assert_int_equal(control_take(&link, bytes + 32, 32), 0);
    assert_int_equal(get(5), COTENANT_CONTROL_OK);
    assert_int_equal(control_take(&link, bytes + 32, 32), 32);
    assert_int_equal(get(5), COTENANT_CONTROL_OK);
    assert_int_equal(answer.header.verb, COTENANT_CONTROL_TENANT_GET);
}

static void test_a_call_moves_a_bounded_piece(void **state)
{
    static const uint8_t data[COTENANT_CONTROL_MOST_DATA];
    struct control_request request = request_of(COTENANT_CONTROL_MEMORY_WRITE, BENCH_EMPTY, 0,
                                                memory_of(BENCH_EMPTY), sizeof(data));

    (void)state;
    put(&request, sizeof(request), 1000);
    assert_int_equal(control_take(&link, data, sizeof(data)), CONTROL_STEP_BYTES);
    control_reset(&link);
    request =
        request_of(COTENANT_CONTROL_MEMORY_READ, BENCH_EMPTY, 4096, memory_of(BENCH_EMPTY), 0);
    put(&request, sizeof(request), 1000);
    assert_int_equal(control_give(&link, answer.data, 4096), CONTROL_STEP_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_version, setup),
        cmocka_unit_test_setup(test_tenant, setup),
        cmocka_unit_test_setup(test_vhart, setup),
        cmocka_unit_test_setup(test_waiting_is_not_computing, setup),
        cmocka_unit_test_setup(test_commands, setup),
        cmocka_unit_test_setup(test_console, setup),
        cmocka_unit_test_setup(test_console_write_tells_what_found_room, setup),
        cmocka_unit_test_setup(test_log, setup),
        cmocka_unit_test_setup(test_trace, setup),
        cmocka_unit_test_setup(test_memory_of_who_rests, setup),
        cmocka_unit_test_setup(test_memory_is_refused, setup),
        cmocka_unit_test_setup(test_a_tenant_that_starts_in_between, setup),
        cmocka_unit_test_setup(test_zeros_are_told_as_a_number, setup),
        cmocka_unit_test_setup(test_memory_is_cleared, setup),
        cmocka_unit_test_setup(test_an_interrupt_ends_a_work_on_zeros, setup),
        cmocka_unit_test_setup(test_a_hart_that_waits_for_the_lock_ends_a_work_on_zeros, setup),
        cmocka_unit_test_setup(test_work_on_zeros_is_refused, setup),
        cmocka_unit_test_setup(test_work_on_zeros_of_a_tenant_that_starts_in_between, setup),
        cmocka_unit_test_setup(test_state_of_who_is_dormant, setup),
        cmocka_unit_test_setup(test_watch, setup),
        cmocka_unit_test_setup(test_rights, setup),
        cmocka_unit_test_setup(test_what_is_no_request, setup),
        cmocka_unit_test_setup(test_garbage_in_front, setup),
        cmocka_unit_test_setup(test_one_request_at_a_time, setup),
        cmocka_unit_test_setup(test_a_call_moves_a_bounded_piece, setup),
    };

    return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
