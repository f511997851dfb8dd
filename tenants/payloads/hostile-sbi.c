/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A storm of SBI calls with random and edge arguments, to every extension and to none. Each answer
 * has to be an error code of the specification; calls that name memory or harts of others have to
 * be refused as SBI 3.0 says. Calls that would rightly end or stop this tenant are left out.
 *
 * Arguments: calls=N (default 200000)   seed=N
 *            kinds=MASK   of these calls only, a bit for each of main()'s `storms`
 */
#include <stddef.h>

#include "hostile/choose.h"
#include "hostile/limits.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/software_event.h"

#define SBI_EXT_LEGACY_LAST 0x0f
#define GUARD 0x5eedf00dcafebabe

const char payload_name[] = "hostile-sbi";

/* Extensions that this payload does not judge: the answer must be an error code, nothing more. */
static const uint64_t others[] = {
    0x504d55 /* PMU */,    0x53555350 /* SUSP */, 0x43505043 /* CPPC */, 0x4e41434c /* NACL */,
    0x535441 /* STA */,    0x535345 /* SSE */,    0x46574654 /* FWFT */, 0x44425452 /* DBTR */,
    0x4d505859 /* MPXY */, COTENANT_SBI_EXT,
};

static struct {
    uint64_t before;
    char bytes[8]; /* nothing but line ends: the verdict has to begin a line */
    uint64_t after;
} buffer = {.before = GUARD, .bytes = "\n\n\n\n\n\n\n\n", .after = GUARD};

static struct random source;
static uint64_t refused;
static uint64_t events; /* software events handled */

static uint64_t any(void)
{
    uint64_t kind = random_below(&source, 4);

    if (kind == 0) {
        return random_next(&source);
    }
    if (kind == 1) {
        return random_below(&source, 16);
    }
    if (kind == 2) {
        return choose_around(&source);
    }
    return choose_edge(&source);
}

static void expect(struct sbi_result result, int64_t error, const char *what, uint64_t arg0,
                   uint64_t arg1)
{
    check(result.error == error, "%s (0x%lx, 0x%lx): error %ld, expected %ld", what, arg0, arg1,
          result.error, error);
    refused += error != SBI_SUCCESS;
}

/* Extension ids that nobody has: random ones, and the known ones with high bits set. */
static void storm_unknown(void)
{
    uint64_t extension = random_next(&source) | 0x8000000000000000;

    if (random_below(&source, 2) == 0) {
        extension = 1ull << 32 | others[random_below(&source, sizeof(others) / sizeof(others[0]))];
    }
    expect(sbi_call6(extension, any(), any(), any(), any(), any(), any(), any()),
           SBI_ERR_NOT_SUPPORTED, "unknown extension", extension, 0);
}

static void storm_base(void)
{
    uint64_t function = any();
    struct sbi_result result = sbi_call(SBI_EXT_BASE, function, any(), any(), any());

    expect(result, function <= SBI_BASE_GET_MIMPID ? SBI_SUCCESS : SBI_ERR_NOT_SUPPORTED, "base",
           function, 0);
}

static void storm_time(void)
{
    uint64_t function = random_below(&source, 8) == 0 ? any() | 1 : SBI_TIME_SET_TIMER;
    struct sbi_result result = sbi_call(SBI_EXT_TIME, function, any(), any(), any());

    expect(result, function == SBI_TIME_SET_TIMER ? SBI_SUCCESS : SBI_ERR_NOT_SUPPORTED, "timer",
           function, 0);
}

/* Whether a hart mask names this hart, the only one, and nobody else (section 3.1). */
static bool is_own_mask(uint64_t mask, uint64_t base)
{
    uint64_t self = platform.hart;

    if (base == UINT64_MAX) {
        return true;
    }
    return base <= self && self - base < 64 && mask == 1ull << (self - base);
}

static void storm_ipi(void)
{
    uint64_t mask = any();
    uint64_t base = any();

    if (mask == 0) {
        /* Nobody: whether an invalid base then counts is left open. */
        return;
    }
    expect(sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, mask, base, any()),
           is_own_mask(mask, base) ? SBI_SUCCESS : SBI_ERR_INVALID_PARAM, "IPI", mask, base);
    csr_clear(sip, INTERRUPT_SOFTWARE);
}

static void storm_fence(void)
{
    uint64_t function = random_below(&source, 10);
    uint64_t mask = any();
    uint64_t base = mask != 0 ? any() : platform.hart;
    struct sbi_result result =
        sbi_call6(SBI_EXT_RFENCE, function, mask, base, any(), any(), any(), any());

    if (function >= SBI_RFENCE_HFENCE_GVMA_VMID) {
        expect(result, SBI_ERR_NOT_SUPPORTED, "fence", function, 0);
    } else if (mask != 0 && !is_own_mask(mask, base)) {
        expect(result, SBI_ERR_INVALID_PARAM, "fence", mask, base);
    } else {
        /* A start and size that wrap may be called an invalid address. */
        check(result.error == SBI_SUCCESS || result.error == SBI_ERR_INVALID_ADDRESS,
              "fence %lu: error %ld", function, result.error);
    }
}

static void storm_hsm(void)
{
    static const uint64_t functions[] = {SBI_HSM_HART_START, SBI_HSM_HART_GET_STATUS,
                                         SBI_HSM_HART_SUSPEND};
    uint64_t function = functions[random_below(&source, 3)];
    uint64_t hart = any();
    uint64_t address = any();
    struct sbi_result result;

    if (function == SBI_HSM_HART_SUSPEND) {
        /* Reserved types, and a resume address of somebody else. */
        hart = random_below(&source, 2) == 0 ? 1 + random_below(&source, 0x0ffffffe)
                                             : SBI_HSM_SUSPEND_NON_RETENTIVE;
        if (hart == SBI_HSM_SUSPEND_NON_RETENTIVE && choose_is_own(address, 1)) {
            return;
        }
        result = sbi_call(SBI_EXT_HSM, function, hart, address, any());
        check(result.error == SBI_ERR_INVALID_PARAM || result.error == SBI_ERR_INVALID_ADDRESS ||
                  result.error == SBI_ERR_NOT_SUPPORTED,
              "suspend (0x%lx, 0x%lx): error %ld", hart, address, result.error);
        refused++;
        return;
    }
    result = sbi_call(SBI_EXT_HSM, function, hart, address, any());
    if (hart != platform.hart) {
        expect(result, SBI_ERR_INVALID_PARAM, "hart state", function, hart);
    } else if (function == SBI_HSM_HART_GET_STATUS) {
        expect(result, SBI_SUCCESS, "hart status", hart, address);
    } else {
        check(result.error != SBI_SUCCESS, "this hart could be started once more");
        refused++;
    }
}

static void storm_reset(void)
{
    /* Types that are reserved by the specification; the others would work. */
    uint64_t type = 3 + random_below(&source, 0xeffffffd);
    uint64_t function = random_below(&source, 4) == 0 ? 1 + any() / 2 : SBI_SRST_SYSTEM_RESET;

    expect(sbi_call(SBI_EXT_SRST, function, type, any(), any()),
           function == SBI_SRST_SYSTEM_RESET ? SBI_ERR_INVALID_PARAM : SBI_ERR_NOT_SUPPORTED,
           "reset", function, type);
}

static void storm_console(void)
{
    uint64_t function = random_below(&source, 2);
    uint64_t size = any();
    uint64_t address = any();
    uint64_t high = random_below(&source, 4) == 0 ? any() : 0;
    struct sbi_result result;

    if (random_below(&source, 256) == 0) {
        /* What is allowed, so that the buffers are in use as well. */
        function = SBI_DBCN_WRITE;
        size = random_below(&source, sizeof(buffer.bytes) + 1);
        address = (uintptr_t)buffer.bytes;
        high = 0;
    }
    if (high == 0 && size != 0 && choose_is_own(address, size) &&
        (address != (uintptr_t)buffer.bytes || size > sizeof(buffer.bytes))) {
        return;
    }
    result = sbi_call(SBI_EXT_DBCN, function, size, address, high);
    if (high == 0 && choose_is_own(address, size)) {
        expect(result, SBI_SUCCESS, "console", size, address);
        check(result.value <= size, "console: %lu of %lu bytes", result.value, size);
    } else if (size != 0) {
        expect(result, SBI_ERR_INVALID_PARAM, "console", size, address);
    }
}

static void storm_other(void)
{
    uint64_t extension = others[random_below(&source, sizeof(others) / sizeof(others[0]))];
    uint64_t function = random_below(&source, 8) == 0 ? any() : random_below(&source, 16);
    /* Never an address of this tenant: what is written or resumed there would be its own fault. */
    uint64_t address = any();
    struct sbi_result result;

    if (choose_is_own(address, 1)) {
        address += platform.memory_size;
    }
    result = sbi_call6(extension, function, address, address, address, address, address, address);
    check(result.error <= SBI_SUCCESS && result.error >= SBI_ERR_LOWEST,
          "extension 0x%lx function 0x%lx: error %ld", extension, function, result.error);
    refused += result.error != SBI_SUCCESS;
}

/* What a call with arguments that mean something may answer. */
static void judge(struct sbi_result result, const char *what, uint64_t function)
{
    check(result.error <= SBI_SUCCESS && result.error >= SBI_ERR_LOWEST,
          "%s, function %lu: error %ld", what, function, result.error);
    refused += result.error != SBI_SUCCESS;
}

/* Numbers that get further than any(): counters, flags and events that may exist. */
static void storm_counters(void)
{
    uint64_t function = random_below(&source, SBI_PMU_COUNTER_FW_READ_HI + 1);
    uint64_t base = random_below(&source, 2) == 0 ? any() : random_below(&source, MOST_COUNTERS);
    uint64_t mask = random_below(&source, 2) == 0 ? any() : random_next(&source) & 0x3ffffff;
    uint64_t flags = random_below(&source, 4) == 0 ? any() : random_below(&source, 8);
    uint64_t event = random_below(&source, EVENT_TYPES) << 16 | random_below(&source, 16);
    struct sbi_result result =
        sbi_call6(SBI_EXT_PMU, function, base, mask, flags,
                  random_below(&source, 4) == 0 ? any() : event, any(), any());

    judge(result, "counters", function);
}

/* Shared memory: `own` or, as often, somebody else's. */
static uint64_t memory_at(const volatile void *own)
{
    uint64_t address = any();

    return choose_is_own(address, 1) || random_below(&source, 2) == 0 ? (uintptr_t)own : address;
}

static void handle_event(uint64_t hart, struct software_event_handler *handler)
{
    check(hart == platform.hart && handler != NULL, "an event of hart %lu", hart);
    events++;
}

/* Both software events, registered and injected in any order. */
static void storm_events(void)
{
    static uint8_t stacks[2][EVENT_STACK] __attribute__((aligned(16)));
    static struct software_event_handler handlers[2];
    static volatile uint64_t words[SBI_SSE_ATTR_COUNT];
    static const uint64_t ids[] = {SBI_SSE_EVENT_LOCAL_SOFTWARE, SBI_SSE_EVENT_GLOBAL_SOFTWARE};
    uint64_t which = random_below(&source, 2);
    uint64_t function = random_below(&source, SBI_SSE_HART_MASK + 1);
    uint64_t memory = memory_at(words);

    if (function == SBI_SSE_REGISTER) {
        handlers[which].stack_top = stacks[which] + EVENT_STACK;
        handlers[which].handle = handle_event;
        judge(sbi_call(SBI_EXT_SSE, function, ids[which], (uintptr_t)software_event_entry,
                       (uintptr_t)&handlers[which]),
              "events", function);
        return;
    }
    if (function == SBI_SSE_WRITE_ATTRS) {
        for (unsigned i = 0; i < SBI_SSE_ATTR_COUNT; i++) {
            words[i] = any();
        }
    }
    judge(sbi_call6(SBI_EXT_SSE, function, ids[which], random_below(&source, 12),
                    random_below(&source, 12), memory, 0, 0),
          "events", function);
}

/* Triggers of U-mode, which this payload does not have; rarely, for they cost QEMU a lot. */
static void storm_triggers(void)
{
    static volatile struct {
        uint64_t words[4];
    } entries[MOST_TRIGGERS];
    uint64_t function = random_below(&source, SBI_DBTR_DISABLE_TRIGGERS + 1);

    if (random_below(&source, 16) != 0) {
        return;
    }
    for (unsigned i = 0; i < MOST_TRIGGERS; i++) {
        uint64_t odd = random_below(&source, 4) == 0 ? 1ul << random_below(&source, 60) : 0;

        entries[i].words[0] = random_below(&source, 4);
        entries[i].words[1] = (random_below(&source, 2) == 0 ? TRIGGER_TYPE_2 : TRIGGER_TYPE_6) |
                              TRIGGER_U | random_below(&source, 8) | (odd & ~TRIGGER_S);
        entries[i].words[2] = any();
        entries[i].words[3] = 0;
    }
    judge(function == SBI_DBTR_SET_SHMEM
              ? sbi_call(SBI_EXT_DBTR, function, memory_at(entries), 0, 0)
              : sbi_call(SBI_EXT_DBTR, function, random_below(&source, 4), any(), 0),
          "triggers", function);
}

/* Legacy calls but for shutdown and the blocking read; they have no error codes of their own. */
static void storm_legacy(void)
{
    static const uint64_t extensions[] = {0, 3, 4, 5, 6, 7, 9, 10, SBI_EXT_LEGACY_LAST};
    uint64_t extension = extensions[random_below(&source, 9)];

    sbi_call(extension, any(), any(), any(), any());
    csr_clear(sip, INTERRUPT_SOFTWARE);
}

void main(void)
{
    static void (*const storms[])(void) = {
        storm_unknown,  storm_base,   storm_time,     storm_ipi,   storm_fence,
        storm_hsm,      storm_reset,  storm_console,  storm_other, storm_legacy,
        storm_counters, storm_events, storm_triggers,
    };
    uint64_t kinds = platform_number("kinds", UINT64_MAX);
    uint64_t calls = platform_number("calls", 200000);
    uint64_t seed = platform_number("seed", 1);

    source = random_from(seed);
    print("hostile-sbi: calls=%lu seed=%lu\n", calls, seed);
    for (uint64_t i = 0; i < calls; i++) {
        uint64_t kind = random_below(&source, sizeof(storms) / sizeof(storms[0]));

        if ((kinds >> kind & 1) != 0) {
            storms[kind]();
        }
        check(buffer.before == GUARD && buffer.after == GUARD,
              "call %lu: memory beside a buffer changed", i);
    }
    sbi_set_timer(UINT64_MAX);
    print("hostile-sbi: refused=%lu events=%lu\n", refused, events);
    check(events != 0 || calls < 10000, "no software event came");
    check_pass();
}
