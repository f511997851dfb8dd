/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A storm of SBI calls with random and edge arguments, to every extension and to none. Each answer
 * has to be an error code of the specification; calls that name memory or harts of others have to
 * be refused as SBI 3.0 says. Calls that would rightly end or stop this tenant are left out.
 *
 * Arguments: calls=N (default 200000)   seed=N
 */
#include <stddef.h>

#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sbi.h"

#define SBI_EXT_LEGACY_LAST 0x0f
#define SBI_ERR_LOWEST SBI_ERR_DENIED_LOCKED
#define GUARD 0x5eedf00dcafebabe

const char payload_name[] = "hostile-sbi";

/* Counters that there may be, and event types. */
#define MOST_COUNTERS 64
#define EVENT_TYPES 17

/* Extensions that this payload does not judge: the answer must be an error code, nothing more. */
static const uint64_t others[] = {
    0x504d55 /* PMU */,    0x53555350 /* SUSP */, 0x43505043 /* CPPC */, 0x4e41434c /* NACL */,
    0x535441 /* STA */,    0x535345 /* SSE */,    0x46574654 /* FWFT */, 0x44425452 /* DBTR */,
    0x4d505859 /* MPXY */, COTENANT_SBI_EXT,
};

static const uint64_t edges[] = {
    0,
    1,
    2,
    63,
    64,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xfffffffffffff000,
    0xfffffffffffffffe,
    UINT64_MAX,
};

static struct {
    uint64_t before;
    char bytes[8]; /* nothing but line ends: the verdict has to begin a line */
    uint64_t after;
} buffer = {.before = GUARD, .bytes = "\n\n\n\n\n\n\n\n", .after = GUARD};

static struct random source;
static uint64_t refused;

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
        /* Around the own memory. */
        return platform.memory_base + random_below(&source, 2 * platform.memory_size) -
               platform.memory_size / 2;
    }
    return edges[random_below(&source, sizeof(edges) / sizeof(edges[0]))];
}

static bool is_own(uint64_t address, uint64_t size)
{
    return address >= platform.memory_base &&
           address - platform.memory_base < platform.memory_size &&
           size <= platform.memory_size - (address - platform.memory_base);
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
        if (hart == SBI_HSM_SUSPEND_NON_RETENTIVE && is_own(address, 1)) {
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
    if (high == 0 && size != 0 && is_own(address, size) &&
        (address != (uintptr_t)buffer.bytes || size > sizeof(buffer.bytes))) {
        return;
    }
    result = sbi_call(SBI_EXT_DBCN, function, size, address, high);
    if (high == 0 && is_own(address, size)) {
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

    if (is_own(address, 1)) {
        address += platform.memory_size;
    }
    result = sbi_call6(extension, function, address, address, address, address, address, address);
    check(result.error <= SBI_SUCCESS && result.error >= SBI_ERR_LOWEST,
          "extension 0x%lx function 0x%lx: error %ld", extension, function, result.error);
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

    check(result.error <= SBI_SUCCESS && result.error >= SBI_ERR_LOWEST,
          "counters, function %lu: error %ld", function, result.error);
    refused += result.error != SBI_SUCCESS;
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
        storm_unknown, storm_base,    storm_time,  storm_ipi,    storm_fence,    storm_hsm,
        storm_reset,   storm_console, storm_other, storm_legacy, storm_counters,
    };
    uint64_t calls = platform_number("calls", 200000);
    uint64_t seed = platform_number("seed", 1);

    source = random_from(seed);
    print("hostile-sbi: calls=%lu seed=%lu\n", calls, seed);
    for (uint64_t i = 0; i < calls; i++) {
        storms[random_below(&source, sizeof(storms) / sizeof(storms[0]))]();
        check(buffer.before == GUARD && buffer.after == GUARD,
              "call %lu: memory beside a buffer changed", i);
    }
    sbi_set_timer(UINT64_MAX);
    print("hostile-sbi: refused=%lu\n", refused);
    check_pass();
}
