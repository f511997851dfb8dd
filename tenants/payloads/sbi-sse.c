/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what SBI 3.0 says of supervisor software events (section 17), in a tenant of one hart;
 * sbi-sse-harts.c is about several.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/software_event.h"
#include "rt/trap.h"

#define LOCAL SBI_SSE_EVENT_LOCAL_SOFTWARE
#define GLOBAL SBI_SSE_EVENT_GLOBAL_SOFTWARE
#define STACK_SIZE 4096

const char payload_name[] = "sbi-sse";

/* One of the handlers, and what it saw when it ran last. */
struct witness {
    struct software_event_handler handler; /* first */
    uint32_t event;
    uint64_t calls;
    uint64_t order; /* of its last call among those of all of them */
    uint64_t hart;
    uint64_t sepc;
    uint64_t sstatus;
    uint64_t status; /* attribute of the event */
    void (*act)(struct witness *witness);
    uint8_t stack[STACK_SIZE] __attribute__((aligned(16)));
};

static struct witness local = {.event = LOCAL};
static struct witness global = {.event = GLOBAL};
static uint64_t handled;
/* In and out of the calls about attributes. */
static uint64_t words[SBI_SSE_ATTR_COUNT];

static struct sbi_result sse(uint64_t function, uint64_t a0, uint64_t a1, uint64_t a2)
{
    return sbi_call(SBI_EXT_SSE, function, a0, a1, a2);
}

static void expect(const char *what, uint64_t function, uint64_t event, uint64_t a1, uint64_t a2,
                   int64_t error)
{
    struct sbi_result result = sse(function, event, a1, a2);

    check(result.error == error, "%s of 0x%lx: error %ld, expected %ld", what, event, result.error,
          error);
}

static struct sbi_result attributes(uint64_t function, uint64_t event, uint64_t first,
                                    uint64_t count, uint64_t low, uint64_t high)
{
    return sbi_call6(SBI_EXT_SSE, function, event, first, count, low, high, 0);
}

static uint64_t get(uint64_t event, uint64_t attribute)
{
    struct sbi_result result =
        attributes(SBI_SSE_READ_ATTRS, event, attribute, 1, (uintptr_t)words, 0);

    check(result.error == 0, "read attribute %lu of 0x%lx: error %ld", attribute, event,
          result.error);
    return words[0];
}

static void expect_set(uint64_t event, uint64_t attribute, uint64_t value, int64_t error)
{
    struct sbi_result result;

    words[0] = value;
    result = attributes(SBI_SSE_WRITE_ATTRS, event, attribute, 1, (uintptr_t)words, 0);
    check(result.error == error, "write %lu to attribute %lu of 0x%lx: error %ld, expected %ld",
          value, attribute, event, result.error, error);
}

static void expect_state(const char *when, uint64_t event, uint64_t state)
{
    uint64_t status = get(event, SBI_SSE_ATTR_STATUS);

    check(status == (state | SBI_SSE_STATUS_INJECTABLE), "%s: status of 0x%lx is 0x%lx", when,
          event, status);
}

static void handle(uint64_t hart, struct software_event_handler *handler)
{
    struct witness *witness = (struct witness *)handler;

    witness->hart = hart;
    witness->sepc = csr_read(sepc);
    witness->sstatus = csr_read(sstatus);
    witness->status = get(witness->event, SBI_SSE_ATTR_STATUS);
    witness->order = ++handled;
    if (witness->act != NULL) {
        witness->act(witness);
    }
    witness->calls++;
}

static void register_witness(struct witness *witness)
{
    witness->handler.stack_top = witness->stack + STACK_SIZE;
    witness->handler.handle = handle;
    expect("register", SBI_SSE_REGISTER, witness->event, (uintptr_t)software_event_entry,
           (uintptr_t)witness, SBI_SUCCESS);
}

static void prepare(struct witness *witness)
{
    witness->calls = 0;
    witness->act = NULL;
    register_witness(witness);
    expect("enable", SBI_SSE_ENABLE, witness->event, 0, 0, SBI_SUCCESS);
}

static void put_away(struct witness *witness)
{
    expect("disable", SBI_SSE_DISABLE, witness->event, 0, 0, SBI_SUCCESS);
    expect("unregister", SBI_SSE_UNREGISTER, witness->event, 0, 0, SBI_SUCCESS);
}

static void inject(uint64_t event)
{
    expect("inject", SBI_SSE_INJECT, event, platform.hart, 0, SBI_SUCCESS);
}

static void test_reset_values(void)
{
    static const uint64_t both[] = {LOCAL, GLOBAL};

    check(sbi_probe(SBI_EXT_SSE), "extension SSE is missing");
    expect("function 10", 10, LOCAL, 0, 0, SBI_ERR_NOT_SUPPORTED);
    for (unsigned i = 0; i < 2; i++) {
        expect_state("at reset", both[i], SBI_SSE_STATE_UNUSED);
        for (uint64_t attribute = 1; attribute < SBI_SSE_ATTR_COUNT; attribute++) {
            uint64_t value = get(both[i], attribute);

            check(value == 0, "attribute %lu of 0x%lx is %lu at reset", attribute, both[i], value);
        }
    }
    expect("mask at reset", SBI_SSE_HART_MASK, 0, 0, 0, SBI_ERR_ALREADY_STOPPED);
    expect("complete of nothing", SBI_SSE_COMPLETE, 0, 0, 0, SBI_SUCCESS);
}

static void test_other_events(void)
{
    static const uint32_t valid[] = {0x0, 0x1, 0x8000, 0x10000, 0x100000, 0x108000};
    static const uint32_t reserved[] = {0x2,        0x4000,     0x8001,    0xc000,
                                        0x10001,    0x18000,    0x20000,   0xffff0001,
                                        0xffff4000, 0xffff8001, 0xffffc000};

    for (uint64_t function = SBI_SSE_READ_ATTRS; function <= SBI_SSE_INJECT; function++) {
        if (function == SBI_SSE_COMPLETE) {
            continue;
        }
        for (unsigned i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
            expect("a call", function, valid[i], 0, 0, SBI_ERR_NOT_SUPPORTED);
        }
        for (unsigned i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
            expect("a call", function, reserved[i], 0, 0, SBI_ERR_INVALID_PARAM);
        }
    }
}

static void expect_attributes(const char *what, uint64_t first, uint64_t count, uint64_t low,
                              uint64_t high, int64_t error)
{
    for (uint64_t function = SBI_SSE_READ_ATTRS; function <= SBI_SSE_WRITE_ATTRS; function++) {
        struct sbi_result result = attributes(function, LOCAL, first, count, low, high);

        check(result.error == error, "%s, function %lu: error %ld, expected %ld", what, function,
              result.error, error);
    }
}

static void test_attribute_memory(void)
{
    uint64_t good = (uintptr_t)words;
    uint64_t end = platform.memory_base + platform.memory_size;

    expect_attributes("no attributes", 0, 0, good, 0, SBI_ERR_INVALID_PARAM);
    expect_attributes("attribute 10", 10, 1, good, 0, SBI_ERR_BAD_RANGE);
    expect_attributes("11 attributes", 0, 11, good, 0, SBI_ERR_BAD_RANGE);
    expect_attributes("a range that wraps", 0xffffffff, 2, good, 0, SBI_ERR_BAD_RANGE);
    expect_attributes("all ones", 1, 0xffffffff, good, 0, SBI_ERR_BAD_RANGE);
    expect_attributes("misaligned", 0, 1, good + 4, 0, SBI_ERR_INVALID_ADDRESS);
    expect_attributes("upper half", 0, 1, good, 1, SBI_ERR_INVALID_ADDRESS);
    expect_attributes("address 0", 0, 1, 0, 0, SBI_ERR_INVALID_ADDRESS);
    expect_attributes("before its memory", 0, 1, platform.memory_base - 8, 0,
                      SBI_ERR_INVALID_ADDRESS);
    expect_attributes("over the end", 0, 2, end - 8, 0, SBI_ERR_INVALID_ADDRESS);
    expect_attributes("behind its memory", 0, 1, end, 0, SBI_ERR_INVALID_ADDRESS);
    expect_attributes("a device", 0, 1, platform.uart_base, 0, SBI_ERR_INVALID_ADDRESS);
}

static void test_attribute_writes(void)
{
    expect_set(LOCAL, SBI_SSE_ATTR_STATUS, 0, SBI_ERR_DENIED);
    expect_set(LOCAL, SBI_SSE_ATTR_ENTRY_PC, 0, SBI_ERR_DENIED);
    expect_set(LOCAL, SBI_SSE_ATTR_ENTRY_ARG, 0, SBI_ERR_DENIED);
    expect_set(LOCAL, SBI_SSE_ATTR_PREFERRED_HART, 0, SBI_ERR_DENIED);
    expect_set(LOCAL, SBI_SSE_ATTR_PRIORITY, 1ul << 32, SBI_ERR_INVALID_PARAM);
    expect_set(LOCAL, SBI_SSE_ATTR_CONFIG, 2, SBI_ERR_INVALID_PARAM);
    expect_set(GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, 1000, SBI_ERR_INVALID_PARAM);
    expect_set(GLOBAL, SBI_SSE_ATTR_PREFERRED_HART, platform.hart, SBI_SUCCESS);
    expect_set(LOCAL, SBI_SSE_ATTR_INTERRUPTED_SEPC, 0, SBI_ERR_INVALID_STATE);
    expect_set(LOCAL, SBI_SSE_ATTR_INTERRUPTED_A7, 0, SBI_ERR_INVALID_STATE);
    prepare(&local);
    expect_set(LOCAL, SBI_SSE_ATTR_PRIORITY, 0, SBI_ERR_INVALID_STATE);
    expect_set(LOCAL, SBI_SSE_ATTR_CONFIG, 0, SBI_ERR_INVALID_STATE);
    put_away(&local);
}

static void test_states(void)
{
    expect("unregister", SBI_SSE_UNREGISTER, LOCAL, 0, 0, SBI_ERR_INVALID_STATE);
    expect("enable", SBI_SSE_ENABLE, LOCAL, 0, 0, SBI_ERR_INVALID_STATE);
    expect("register, odd", SBI_SSE_REGISTER, LOCAL, 1, 0, SBI_ERR_INVALID_PARAM);
    register_witness(&local);
    expect_state("registered", LOCAL, SBI_SSE_STATE_REGISTERED);
    check(get(LOCAL, SBI_SSE_ATTR_ENTRY_PC) == (uintptr_t)software_event_entry, "ENTRY_PC differs");
    check(get(LOCAL, SBI_SSE_ATTR_ENTRY_ARG) == (uintptr_t)&local, "ENTRY_ARG differs");
    expect("register", SBI_SSE_REGISTER, LOCAL, 0, 0, SBI_ERR_INVALID_STATE);
    expect("disable", SBI_SSE_DISABLE, LOCAL, 0, 0, SBI_ERR_INVALID_STATE);
    expect("enable", SBI_SSE_ENABLE, LOCAL, 0, 0, SBI_SUCCESS);
    expect_state("enabled", LOCAL, SBI_SSE_STATE_ENABLED);
    expect("enable", SBI_SSE_ENABLE, LOCAL, 0, 0, SBI_ERR_INVALID_STATE);
    expect("unregister", SBI_SSE_UNREGISTER, LOCAL, 0, 0, SBI_ERR_INVALID_STATE);
    expect("inject", SBI_SSE_INJECT, LOCAL, platform.hart, 0, SBI_SUCCESS);
    expect_state("injected, masked", LOCAL, SBI_SSE_STATE_ENABLED | SBI_SSE_STATUS_PENDING);
    check(local.calls == 0, "delivered to a hart that masks events");
    expect("unmask", SBI_SSE_HART_UNMASK, 0, 0, 0, SBI_SUCCESS);
    check(local.calls == 1, "not delivered after unmask");
    expect("unmask", SBI_SSE_HART_UNMASK, 0, 0, 0, SBI_ERR_ALREADY_STARTED);
    put_away(&local);
    expect("inject, unused", SBI_SSE_INJECT, LOCAL, platform.hart, 0, SBI_ERR_INVALID_STATE);
    expect_state("injected, unused", LOCAL, SBI_SSE_STATE_UNUSED);
}

/*
 * Injects the local event with marks in the registers, in sepc and in sstatus, which are all
 * expected back; returns the address behind the call.
 */
static uint64_t inject_with_marks(uint64_t status)
{
    register uint64_t a0 __asm__("a0") = LOCAL;
    register uint64_t a1 __asm__("a1") = platform.hart;
    register uint64_t a6 __asm__("a6") = SBI_SSE_INJECT;
    register uint64_t a7 __asm__("a7") = SBI_EXT_SSE;
    register uint64_t t0 __asm__("t0") = 0x1234567;
    register uint64_t s5 __asm__("s5") = 0x7654321;
    uint64_t behind;
    uint64_t after;

    csr_write(sepc, 0x1238);
    csr_clear(sstatus, SSTATUS_SPP | SSTATUS_SPIE);
    csr_set(sstatus, status);
    __asm__ volatile("lla %[behind], 1f\n"
                     "ecall\n"
                     "1: csrr %[after], sstatus\n"
                     : "+r"(a0), "+r"(a1), "+r"(a6), "+r"(a7), "+r"(t0),
                       "+r"(s5), [behind] "=&r"(behind), [after] "=&r"(after)
                     :
                     : "memory");
    csr_clear(sstatus, SSTATUS_SIE);
    check(a0 == 0 && a6 == SBI_SSE_INJECT && a7 == SBI_EXT_SSE && t0 == 0x1234567 &&
              s5 == 0x7654321,
          "registers: a0 %lu a6 0x%lx a7 0x%lx t0 0x%lx s5 0x%lx", a0, a6, a7, t0, s5);
    check(csr_read(sepc) == 0x1238, "sepc is 0x%lx", csr_read(sepc));
    check((after & (SSTATUS_SPP | SSTATUS_SPIE | SSTATUS_SIE)) == status,
          "sstatus is 0x%lx, not 0x%lx", after, status);
    return behind;
}

static void test_delivery(void)
{
    static const uint64_t statuses[] = {0, SSTATUS_SPP, SSTATUS_SPIE, SSTATUS_SIE,
                                        SSTATUS_SPP | SSTATUS_SPIE | SSTATUS_SIE};

    prepare(&local);
    for (unsigned i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        uint64_t status = statuses[i];
        uint64_t behind = inject_with_marks(status);
        uint64_t spie = (status & SSTATUS_SIE) != 0 ? SSTATUS_SPIE : 0;

        check(local.calls == i + 1, "handled %lu times", local.calls);
        check(local.hart == platform.hart, "a6 is %lu", local.hart);
        check(local.status == (SBI_SSE_STATE_RUNNING | SBI_SSE_STATUS_INJECTABLE),
              "status is 0x%lx in the handler", local.status);
        check(local.sepc == behind, "sepc is 0x%lx, the call ends at 0x%lx", local.sepc, behind);
        check((local.sstatus & (SSTATUS_SPP | SSTATUS_SPIE | SSTATUS_SIE)) == (SSTATUS_SPP | spie),
              "sstatus is 0x%lx in the handler", local.sstatus);
        check(get(LOCAL, SBI_SSE_ATTR_INTERRUPTED_SEPC) == 0x1238, "INTERRUPTED_SEPC differs");
        check(get(LOCAL, SBI_SSE_ATTR_INTERRUPTED_A6) == SBI_SSE_INJECT, "INTERRUPTED_A6 differs");
        check(get(LOCAL, SBI_SSE_ATTR_INTERRUPTED_A7) == SBI_EXT_SSE, "INTERRUPTED_A7 differs");
        check(get(LOCAL, SBI_SSE_ATTR_INTERRUPTED_FLAGS) ==
                  (((status & SSTATUS_SPP) != 0 ? SBI_SSE_FLAG_SPP : 0) |
                   ((status & SSTATUS_SPIE) != 0 ? SBI_SSE_FLAG_SPIE : 0)),
              "INTERRUPTED_FLAGS differ");
    }
    expect_state("completed", LOCAL, SBI_SSE_STATE_ENABLED);
    put_away(&local);
}

static uint64_t interrupts;

static void on_software_interrupt(void)
{
    csr_clear(sip, INTERRUPT_SOFTWARE);
    interrupts++;
    inject(LOCAL); /* an event preempts an interrupt's handler as anything else */
}

static void raise_interrupt(struct witness *witness)
{
    if (witness->calls == 0) {
        csr_set(sip, INTERRUPT_SOFTWARE);
    }
    check(interrupts == witness->calls, "interrupted in the handler");
}

static void test_interrupts_wait(void)
{
    trap_set_handler(CAUSE_INTERRUPT_SOFTWARE, on_software_interrupt);
    prepare(&local);
    local.act = raise_interrupt;
    csr_write(sie, INTERRUPT_SOFTWARE);
    interrupts_enable();
    inject(LOCAL);
    interrupts_disable();
    csr_write(sie, 0);
    check(interrupts == 1, "%lu interrupts", interrupts);
    check(local.calls == 2, "%lu events", local.calls);
    put_away(&local);
}

static void inject_other(struct witness *witness)
{
    uint64_t before = handled;

    if (witness == &local) {
        inject(LOCAL);
        check(handled == before, "an event preempts itself");
        witness->act = NULL;
        inject(GLOBAL);
    }
}

/* The event of higher priority preempts at once; the other one waits for it. */
static void test_priorities(void)
{
    for (unsigned local_first = 0; local_first < 2; local_first++) {
        /* At priority 0, which is the default, the lower event id goes first. */
        expect_set(LOCAL, SBI_SSE_ATTR_PRIORITY, local_first != 0 ? 0 : 0xffffffff, SBI_SUCCESS);
        prepare(&local);
        prepare(&global);
        local.act = inject_other;
        handled = 0;
        inject(LOCAL);
        check(local.calls == 2 && global.calls == 1, "%lu local, %lu global events", local.calls,
              global.calls);
        check(global.order == (local_first != 0 ? 3 : 2), "the global event is number %lu",
              global.order);
        check(global.sstatus & SSTATUS_SPP, "sstatus is 0x%lx", global.sstatus);
        put_away(&local);
        put_away(&global);

        expect("mask", SBI_SSE_HART_MASK, 0, 0, 0, SBI_SUCCESS);
        prepare(&local);
        prepare(&global);
        handled = 0;
        inject(GLOBAL);
        inject(LOCAL);
        expect("unmask", SBI_SSE_HART_UNMASK, 0, 0, 0, SBI_SUCCESS);
        check(handled == 2 && global.order == (local_first != 0 ? 2 : 1),
              "the global event is number %lu", global.order);
        put_away(&local);
        put_away(&global);
    }
}

static void test_one_shot(void)
{
    expect_set(LOCAL, SBI_SSE_ATTR_CONFIG, SBI_SSE_CONFIG_ONE_SHOT, SBI_SUCCESS);
    prepare(&local);
    inject(LOCAL);
    expect_state("one-shot, completed", LOCAL, SBI_SSE_STATE_REGISTERED);
    expect("inject", SBI_SSE_INJECT, LOCAL, platform.hart, 0, SBI_ERR_INVALID_STATE);
    check(local.calls == 1, "handled though it was one-shot");
    expect("enable", SBI_SSE_ENABLE, LOCAL, 0, 0, SBI_SUCCESS);
    check(local.calls == 1, "handled after enable, when nothing was pending");
    inject(LOCAL);
    check(local.calls == 2, "not handled after enable");
    expect("unregister", SBI_SSE_UNREGISTER, LOCAL, 0, 0, SBI_SUCCESS);
    expect_set(LOCAL, SBI_SSE_ATTR_CONFIG, 0, SBI_SUCCESS);
}

static void resume_elsewhere(struct witness *witness)
{
    csr_write(sepc, witness->sepc + 4);
    expect_set(LOCAL, SBI_SSE_ATTR_INTERRUPTED_SEPC, 0x4560, SBI_SUCCESS);
    expect_set(LOCAL, SBI_SSE_ATTR_INTERRUPTED_A6, 66, SBI_SUCCESS);
    expect_set(LOCAL, SBI_SSE_ATTR_INTERRUPTED_A7, 77, SBI_SUCCESS);
    expect_set(LOCAL, SBI_SSE_ATTR_INTERRUPTED_FLAGS, 0x40, SBI_ERR_INVALID_PARAM);
    expect_set(LOCAL, SBI_SSE_ATTR_INTERRUPTED_FLAGS, SBI_SSE_FLAG_SPP, SBI_SUCCESS);
}

static void test_completion_elsewhere(void)
{
    register uint64_t a0 __asm__("a0");
    register uint64_t a1 __asm__("a1");
    register uint64_t a6 __asm__("a6");
    register uint64_t a7 __asm__("a7");
    register uint64_t t0 __asm__("t0");

    prepare(&local);
    local.act = resume_elsewhere;
    csr_clear(sstatus, SSTATUS_SPP | SSTATUS_SPIE);
    a0 = LOCAL;
    a1 = platform.hart;
    a6 = SBI_SSE_INJECT;
    a7 = SBI_EXT_SSE;
    t0 = 0;
    __asm__ volatile(".option push\n"
                     ".option norvc\n"
                     "ecall\n"
                     "addi t0, t0, 1\n" /* skipped */
                     "addi t0, t0, 2\n"
                     ".option pop\n"
                     : "+r"(a0), "+r"(a1), "+r"(a6), "+r"(a7), "+r"(t0)
                     :
                     : "memory");
    check(t0 == 2 && a6 == 66 && a7 == 77, "t0 %lu, a6 %lu, a7 %lu", t0, a6, a7);
    check(csr_read(sepc) == 0x4560, "sepc is 0x%lx", csr_read(sepc));
    check((csr_read(sstatus) & (SSTATUS_SPP | SSTATUS_SPIE)) == SSTATUS_SPP, "sstatus is 0x%lx",
          csr_read(sstatus));
    put_away(&local);
}

void main(void)
{
    interrupts_disable();
    test_reset_values();
    test_other_events();
    test_attribute_memory();
    test_attribute_writes();
    test_states();
    test_delivery();
    test_interrupts_wait();
    test_priorities();
    test_one_shot();
    test_completion_elsewhere();
    check_pass();
}
