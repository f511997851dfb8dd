/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what SBI 3.0 says of performance counters (section 11), with others on the hart that must
 * not show in them. Under QEMU it needs -icount shift=0: instret counts nanoseconds there.
 * Argument raw=N: mhpmevent of the event "instruction completed", if the hart has one.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define CYCLES SBI_PMU_HW_CPU_CYCLES
#define INSTRUCTIONS SBI_PMU_HW_INSTRUCTIONS
#define FIRMWARE(code) ((uint64_t)SBI_PMU_TYPE_FIRMWARE << 16 | (code))
#define RAW ((uint64_t)SBI_PMU_TYPE_RAW << 16)
#define RAW_V2 ((uint64_t)SBI_PMU_TYPE_RAW_V2 << 16)
#define CYCLE 0
#define INSTRET 2
#define CLEAR_AND_START (SBI_PMU_CONFIG_CLEAR_VALUE | SBI_PMU_CONFIG_AUTO_START)
/* Instructions that run() takes. */
#define RUN 4000000ul
/* How much more may be counted: the monitor's own part of traps and switches. */
#define MORE(count) ((count) + (count) / 20)

const char payload_name[] = "sbi-pmu";

static uint64_t counter_count;
static uint64_t all;
static uint64_t firmware;

/* Takes RUN instructions. */
static void run(void)
{
    uint64_t rounds = RUN / 2;

    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(rounds));
}

static struct sbi_result call(uint64_t function, uint64_t arg0, uint64_t arg1, uint64_t arg2,
                              uint64_t arg3, uint64_t arg4)
{
    return sbi_call6(SBI_EXT_PMU, function, arg0, arg1, arg2, arg3, arg4, 0);
}

static struct sbi_result configure(uint64_t set, uint64_t flags, uint64_t event, uint64_t data)
{
    return call(SBI_PMU_COUNTER_CONFIG_MATCHING, 0, set, flags, event, data);
}

static void expect_configure(const char *what, uint64_t set, uint64_t flags, uint64_t event,
                             uint64_t data, int64_t error)
{
    struct sbi_result result = configure(set, flags, event, data);

    check(result.error == error, "configure, %s: error %ld, expected %ld", what, result.error,
          error);
}

/* Configures a counter of `set` that has to be found, and returns its index. */
static uint64_t get(const char *what, uint64_t set, uint64_t flags, uint64_t event, uint64_t data)
{
    struct sbi_result result = configure(set, flags, event, data);

    check(result.error == SBI_SUCCESS, "configure, %s: error %ld", what, result.error);
    check(result.value < counter_count && (set >> result.value & 1) != 0,
          "configure, %s: counter %lu was not asked for", what, result.value);
    return result.value;
}

static void expect_start(const char *what, uint64_t base, uint64_t mask, uint64_t flags,
                         uint64_t value, int64_t error)
{
    int64_t result = call(SBI_PMU_COUNTER_START, base, mask, flags, value, 0).error;

    check(result == error, "start, %s: error %ld, expected %ld", what, result, error);
}

static void expect_stop(const char *what, uint64_t base, uint64_t mask, uint64_t flags,
                        int64_t error)
{
    int64_t result = call(SBI_PMU_COUNTER_STOP, base, mask, flags, 0, 0).error;

    check(result == error, "stop, %s: error %ld, expected %ld", what, result, error);
}

static uint64_t firmware_read(uint64_t counter)
{
    struct sbi_result result = call(SBI_PMU_COUNTER_FW_READ, counter, 0, 0, 0, 0);
    struct sbi_result high = call(SBI_PMU_COUNTER_FW_READ_HI, counter, 0, 0, 0, 0);

    check(result.error == SBI_SUCCESS && high.error == SBI_SUCCESS && high.value == 0,
          "reading firmware counter %lu: errors %ld and %ld, upper half %lu", counter, result.error,
          high.error, high.value);
    return result.value;
}

static void expect_info_error(uint64_t counter)
{
    int64_t error = call(SBI_PMU_COUNTER_GET_INFO, counter, 0, 0, 0, 0).error;

    check(error == SBI_ERR_INVALID_PARAM, "get_info of %lu: error %ld", counter, error);
}

static void test_what_there_is(void)
{
    struct sbi_result result = call(SBI_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0);

    check(sbi_probe(SBI_EXT_PMU), "extension PMU is missing");
    check(result.error == SBI_SUCCESS && result.value > 3 && result.value < 64, "%lu counters",
          result.value);
    counter_count = result.value;
    all = (1ul << counter_count) - 1;
    for (uint64_t i = 0; i < counter_count; i++) {
        result = call(SBI_PMU_COUNTER_GET_INFO, i, 0, 0, 0, 0);
        check(result.error == SBI_SUCCESS, "get_info of %lu: error %ld", i, result.error);
        if ((result.value & SBI_PMU_INFO_FIRMWARE) != 0) {
            firmware |= 1ul << i;
            check(firmware_read(i) == 0, "firmware counter %lu does not begin at 0", i);
        } else {
            uint64_t width = (result.value >> SBI_PMU_INFO_WIDTH_SHIFT) + 1;

            check((result.value & 0xfff) == 0xc00 + i, "counter %lu is CSR 0x%lx", i,
                  result.value & 0xfff);
            check(width <= 64 && (i > INSTRET || width == 64), "counter %lu: %lu bits", i, width);
        }
    }
    check((firmware & (1ul << CYCLE | 1ul << INSTRET)) == 0, "no cycle or no instret");
    expect_info_error(counter_count);
    expect_info_error(UINT64_MAX);
    expect_info_error(1ul << 32);
    print("pmu: %lu counters\n", counter_count);
}

static void test_refusals(void)
{
    uint64_t one = firmware & -firmware;
    static const uint64_t functions[] = {SBI_PMU_COUNTER_FW_READ, SBI_PMU_COUNTER_FW_READ_HI};

    check(call(SBI_PMU_EVENT_GET_INFO + 1, 0, 0, 0, 0, 0).error == SBI_ERR_NOT_SUPPORTED,
          "function 9 exists");
    check(call(SBI_PMU_SNAPSHOT_SET_SHMEM, UINT64_MAX, UINT64_MAX, 0, 0, 0).error ==
              SBI_ERR_NOT_SUPPORTED,
          "there is a snapshot");
    for (unsigned i = 0; i < 2; i++) {
        check(call(functions[i], CYCLE, 0, 0, 0, 0).error == SBI_ERR_INVALID_PARAM &&
                  call(functions[i], counter_count, 0, 0, 0, 0).error == SBI_ERR_INVALID_PARAM &&
                  call(functions[i], UINT64_MAX, 0, 0, 0, 0).error == SBI_ERR_INVALID_PARAM,
              "a counter that is no firmware counter is read as one");
    }
    expect_configure("reserved flag", all, 0x100, CYCLES, 0, SBI_ERR_INVALID_PARAM);
    expect_configure("top flag", all, 1ul << 63, CYCLES, 0, SBI_ERR_INVALID_PARAM);
    expect_configure("one more counter", all << 1 | 1, 0, CYCLES, 0, SBI_ERR_INVALID_PARAM);
    check(call(SBI_PMU_COUNTER_CONFIG_MATCHING, 1, all, 0, CYCLES, 0).error ==
              SBI_ERR_INVALID_PARAM,
          "configure with a base of 1");
    check(call(SBI_PMU_COUNTER_CONFIG_MATCHING, UINT64_MAX, 2, 0, CYCLES, 0).error ==
              SBI_ERR_INVALID_PARAM,
          "configure with the highest base");
    expect_configure("no counter", 0, 0, CYCLES, 0, SBI_ERR_NOT_SUPPORTED);
    expect_configure("no event", all, 0, 0, 0, SBI_ERR_NOT_SUPPORTED);
    expect_configure("cycles with data", all, 0, CYCLES, 1, SBI_ERR_NOT_SUPPORTED);
    expect_configure("general event 11", all, 0, 11, 0, SBI_ERR_NOT_SUPPORTED);
    expect_configure("type 4", all, 0, 0x40001, 0, SBI_ERR_NOT_SUPPORTED);
    expect_configure("more than 20 bits", all, 0, 1ul << 20 | CYCLES, 0, SBI_ERR_NOT_SUPPORTED);
    expect_configure("upper half", all, 0, 1ul << 32 | CYCLES, 0, SBI_ERR_NOT_SUPPORTED);
    expect_configure("cycles by a firmware counter", firmware, 0, CYCLES, 0, SBI_ERR_NOT_SUPPORTED);
    expect_configure("raw with a code", all, 0, RAW | 1, 1, SBI_ERR_NOT_SUPPORTED);
    expect_configure("raw with bit 48", all, 0, RAW, 1ul << 48 | 1, SBI_ERR_NOT_SUPPORTED);
    expect_configure("raw v2 with bit 56", all, 0, RAW_V2, 1ul << 56 | 1, SBI_ERR_NOT_SUPPORTED);
    expect_configure("hypervisor fences", all, 0, FIRMWARE(SBI_PMU_FW_HFENCE_GVMA_SENT), 0,
                     SBI_ERR_NOT_SUPPORTED);
    expect_configure("platform event", all, 0, FIRMWARE(SBI_PMU_FW_PLATFORM), 1,
                     SBI_ERR_NOT_SUPPORTED);
    expect_configure("firmware event with data", all, 0, FIRMWARE(SBI_PMU_FW_SET_TIMER), 1,
                     SBI_ERR_NOT_SUPPORTED);
    expect_start("nothing", 0, 0, 0, 0, SBI_SUCCESS);
    expect_start("reserved flag", 0, 1, 4, 0, SBI_ERR_INVALID_PARAM);
    expect_start("without an event", 0, one, 0, 0, SBI_ERR_INVALID_PARAM);
    expect_start("one more counter", counter_count, 1, 0, 0, SBI_ERR_INVALID_PARAM);
    expect_start("highest base", UINT64_MAX, UINT64_MAX, 0, 0, SBI_ERR_INVALID_PARAM);
    expect_stop("nothing", 0, 0, 0, SBI_SUCCESS);
    expect_stop("reserved flag", 0, 1, 4, SBI_ERR_INVALID_PARAM);
    expect_stop("one more counter", 0, all << 1 | 1, 0, SBI_ERR_INVALID_PARAM);
    expect_stop("base 64", 64, 1, 0, SBI_ERR_INVALID_PARAM);
    expect_stop("never started", 0, all, SBI_PMU_STOP_RESET, SBI_ERR_ALREADY_STOPPED);
}

static void check_run(const char *what, uint64_t counted)
{
    check(counted >= RUN && counted < MORE(RUN), "%s: %lu for %lu instructions", what, counted,
          RUN);
}

/* What others on the hart do meanwhile is not counted. */
static void test_instructions(void)
{
    uint64_t own = csr_read(instret);
    uint64_t start;

    check(get("instructions", all, CLEAR_AND_START, INSTRUCTIONS, 0) == INSTRET, "wrong counter");
    start = csr_read(instret);
    check(start < 10000, "instret begins at %lu", start);
    run();
    check_run("instret", csr_read(instret) - start);
    expect_configure("again", all, 0, INSTRUCTIONS, 0, SBI_ERR_NOT_SUPPORTED);
    expect_start("again", 0, 1ul << INSTRET, 0, 0, SBI_ERR_ALREADY_STARTED);
    check_run("instret goes on", csr_read(instret) - start);
    expect_stop("instret", INSTRET, 1, 0, SBI_SUCCESS);
    expect_stop("instret again", INSTRET, 1, 0, SBI_ERR_ALREADY_STOPPED);
    run();
    expect_start("instret", INSTRET, 1, 0, 0, SBI_SUCCESS);
    check_run("instret after a stop", csr_read(instret) - start);
    expect_stop("instret", INSTRET, 1, 0, SBI_SUCCESS);
    expect_start("instret at 2^40", INSTRET, 1, SBI_PMU_START_SET_INIT_VALUE, 1ul << 40,
                 SBI_SUCCESS);
    run();
    check_run("instret from 2^40 on", csr_read(instret) - (1ul << 40));
    expect_start("snapshot", INSTRET, 1, SBI_PMU_START_INIT_SNAPSHOT, 0, SBI_ERR_NO_SHMEM);
    expect_stop("snapshot", INSTRET, 1, SBI_PMU_STOP_TAKE_SNAPSHOT, SBI_ERR_NO_SHMEM);
    expect_stop("instret", INSTRET, 1, SBI_PMU_STOP_RESET, SBI_SUCCESS);
    check(csr_read(instret) - own > 3 * RUN && csr_read(instret) < 1ul << 40,
          "the hart's own instret does not go on");
}

static void test_matching(void)
{
    uint64_t fixed = 1ul << CYCLE | 1ul << INSTRET;

    expect_configure("first of a set, for another event", fixed, SBI_PMU_CONFIG_SKIP_MATCH,
                     INSTRUCTIONS, 0, SBI_ERR_NOT_SUPPORTED);
    check(get("hints", all, SBI_PMU_CONFIG_FLAGS & ~SBI_PMU_CONFIG_SKIP_MATCH, CYCLES, 0) == CYCLE,
          "wrong counter for cycles");
    expect_configure("started, without matching", fixed, SBI_PMU_CONFIG_SKIP_MATCH, CYCLES, 0,
                     SBI_ERR_NOT_SUPPORTED);
    expect_stop("cycles", CYCLE, 1, 0, SBI_SUCCESS);
    expect_configure("it has an event", all, 0, CYCLES, 0, SBI_ERR_NOT_SUPPORTED);
    check(get("without matching", fixed, SBI_PMU_CONFIG_SKIP_MATCH, CYCLES, 0) == CYCLE,
          "wrong counter without matching");
    expect_start("cycle and one without an event", 0, fixed, 0, 0, SBI_ERR_INVALID_PARAM);
    expect_start("cycle, which that did not start", 0, 1, 0, 0, SBI_SUCCESS);
    expect_stop("one of two", 0, fixed, SBI_PMU_STOP_RESET, SBI_ERR_ALREADY_STOPPED);
    expect_stop("both were", 0, fixed, 0, SBI_ERR_ALREADY_STOPPED);
    check(get("it has none any more", all, SBI_PMU_CONFIG_CLEAR_VALUE, CYCLES, 0) == CYCLE, "none");
    expect_stop("cycle", 0, 1, SBI_PMU_STOP_RESET, SBI_ERR_ALREADY_STOPPED);
}

/* Hidden from whoever has not configured it: another tenant's value could be in it. */
static void read_programmable(void *value)
{
    *(uint64_t *)value = csr_read(hpmcounter3);
}

static void expect_hidden(const char *when)
{
    struct trap_fault fault;
    uint64_t value;

    check(!trap_try(read_programmable, &value, &fault) && fault.cause == CAUSE_ILLEGAL_INSTRUCTION,
          "hpmcounter3 can be read %s", when);
}

static void test_programmable(uint64_t event)
{
    uint64_t programmable = all & ~firmware & ~(1ul << CYCLE | 1ul << INSTRET);
    uint64_t start;

    expect_hidden("before it is configured");
    if (event == 0) {
        return;
    }
    check(get("raw", all, CLEAR_AND_START, RAW, event) == 3, "another than hpmcounter3");
    start = csr_read(hpmcounter3);
    run();
    check_run("hpmcounter3", csr_read(hpmcounter3) - start);
    expect_stop("hpmcounter3", 3, 1, 0, SBI_SUCCESS);
    run();
    expect_start("hpmcounter3", 3, 1, 0, 0, SBI_SUCCESS);
    check_run("hpmcounter3 after a stop", csr_read(hpmcounter3) - start);
    for (uint64_t left = programmable & ~(1ul << 3); left != 0;) {
        left &= ~(1ul << get("raw v2", left, 0, RAW_V2, event));
    }
    expect_configure("all are in use", all, 0, RAW_V2, event, SBI_ERR_NOT_SUPPORTED);
    expect_stop("raw", 0, programmable, SBI_PMU_STOP_RESET, SBI_ERR_ALREADY_STOPPED);
    expect_hidden("after its event was taken away");
}

static void set_timers(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sbi_set_timer(UINT64_MAX);
    }
}

static void test_firmware_counter(void)
{
    uint64_t counter =
        get("set_timer", all, SBI_PMU_CONFIG_CLEAR_VALUE, FIRMWARE(SBI_PMU_FW_SET_TIMER), 0);

    set_timers(3);
    check(firmware_read(counter) == 0, "counted before its start");
    expect_start("set_timer", counter, 1, 0, 0, SBI_SUCCESS);
    set_timers(10);
    check(firmware_read(counter) == 10, "%lu of 10 calls", firmware_read(counter));
    run();
    set_timers(10);
    check(firmware_read(counter) == 20, "%lu of 20 calls", firmware_read(counter));
    expect_stop("set_timer", counter, 1, 0, SBI_SUCCESS);
    set_timers(5);
    check(firmware_read(counter) == 20, "counted after its stop");
    expect_start("set_timer at 100", counter, 1, SBI_PMU_START_SET_INIT_VALUE, 100, SBI_SUCCESS);
    set_timers(1);
    check(firmware_read(counter) == 101, "%lu instead of 101", firmware_read(counter));
    expect_stop("set_timer", counter, 1, SBI_PMU_STOP_RESET, SBI_SUCCESS);
    check(get("without clearing", 1ul << counter, SBI_PMU_CONFIG_AUTO_START,
              FIRMWARE(SBI_PMU_FW_SET_TIMER), 0) == counter &&
              firmware_read(counter) == 101,
          "starting changed the value");
    expect_stop("set_timer", counter, 1, SBI_PMU_STOP_RESET, SBI_SUCCESS);
}

static uint64_t count_of(const uint64_t *counters, unsigned event)
{
    return firmware_read(counters[event]);
}

static void test_firmware_events(void)
{
    uint64_t counters[SBI_PMU_FW_HFENCE_GVMA_SENT];
    struct trap_fault fault;
    uint64_t left = firmware;
    uint64_t value;

    for (unsigned i = 0; i < SBI_PMU_FW_HFENCE_GVMA_SENT; i++) {
        counters[i] = get("firmware event", left, CLEAR_AND_START, FIRMWARE(i), 0);
        left &= ~(1ul << counters[i]);
    }
    while (left != 0) {
        left &= ~(1ul << get("the others", left, 0, FIRMWARE(0), 0));
    }
    expect_configure("all are in use", all, 0, FIRMWARE(0), 0, SBI_ERR_NOT_SUPPORTED);
    for (unsigned i = 0; i < 3; i++) {
        check(!trap_try_read64(0, &value, &fault), "address 0 can be read");
    }
    check(!trap_try_write64(0, 0, &fault), "address 0 can be written");
    set_timers(2);
    /* What goes to the caller alone is not sent to another. */
    sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, 1, 0, 0);
    csr_clear(sip, INTERRUPT_SOFTWARE);
    sbi_call(SBI_EXT_RFENCE, SBI_RFENCE_FENCE_I, 1, 0, 0);
    sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, 1, 0, 0, 8192, 0, 0);
    for (unsigned i = 0; i < SBI_PMU_FW_HFENCE_GVMA_SENT; i++) {
        uint64_t expected = i == SBI_PMU_FW_ACCESS_LOAD    ? 3
                            : i == SBI_PMU_FW_ACCESS_STORE ? 1
                            : i == SBI_PMU_FW_SET_TIMER    ? 2
                                                           : 0;

        check(count_of(counters, i) == expected, "firmware event %u: %lu instead of %lu", i,
              count_of(counters, i), expected);
    }
    expect_stop("firmware counters", 0, firmware, SBI_PMU_STOP_RESET, SBI_ERR_ALREADY_STOPPED);
}

struct event_info {
    uint32_t event;
    uint32_t supported;
    uint64_t data;
};

#define ENTRIES 256

static volatile struct event_info entries[ENTRIES + 1] __attribute__((aligned(16)));

static void expect_info(const char *what, uint64_t low, uint64_t high, uint64_t count,
                        uint64_t flags, int64_t error)
{
    int64_t result = call(SBI_PMU_EVENT_GET_INFO, low, high, count, flags, 0).error;

    check(result == error, "event_get_info, %s: error %ld, expected %ld", what, result, error);
}

static void test_event_info(void)
{
    uint64_t end = platform.memory_base + platform.memory_size;
    uint64_t good = (uintptr_t)entries;

    expect_info("flags", good, 0, 1, 1, SBI_ERR_INVALID_PARAM);
    expect_info("no entries", good, 0, 0, 0, SBI_ERR_INVALID_PARAM);
    expect_info("alignment of 8", good + 8, 0, 1, 0, SBI_ERR_INVALID_PARAM);
    expect_info("upper half", good, 1, 1, 0, SBI_ERR_INVALID_ADDRESS);
    expect_info("behind its memory", end, 0, 1, 0, SBI_ERR_INVALID_ADDRESS);
    expect_info("across its end", end - 16, 0, 2, 0, SBI_ERR_INVALID_ADDRESS);
    expect_info("a device", platform.uart_base, 0, 1, 0, SBI_ERR_INVALID_ADDRESS);
    expect_info("too many", good, 0, ENTRIES + 1, 0, SBI_ERR_FAILED);
    expect_info("very many", good, 0, UINT64_MAX, 0, SBI_ERR_FAILED);
    for (unsigned i = 0; i <= ENTRIES; i++) {
        entries[i] = (struct event_info){i, 0xa5a5a5a5, 1};
    }
    entries[ENTRIES - 1].event = FIRMWARE(SBI_PMU_FW_SET_TIMER);
    entries[ENTRIES - 1].data = 0;
    entries[ENTRIES - 2].event = FIRMWARE(SBI_PMU_FW_SET_TIMER);
    entries[ENTRIES - 3].event = RAW;
    entries[ENTRIES - 4].event = RAW_V2;
    entries[ENTRIES - 4].data = 1ul << 56 | 1;
    expect_info("a page", good, 0, ENTRIES, 0, SBI_SUCCESS);
    for (unsigned i = 0; i < ENTRIES; i++) {
        bool raw = (all & ~firmware & 1ul << 3) != 0;
        uint32_t expected =
            i == CYCLES || i == INSTRUCTIONS || i == ENTRIES - 1 || (i == ENTRIES - 3 && raw);

        check(entries[i].supported == expected, "event 0x%x: output %u", entries[i].event,
              entries[i].supported);
    }
    check(entries[ENTRIES].supported == 0xa5a5a5a5, "more than asked for was written");
    entries[1].event = 1u << 20 | CYCLES;
    expect_info("reserved bits", good, 0, 2, 0, SBI_ERR_INVALID_PARAM);
}

void main(void)
{
    interrupts_disable();
    test_what_there_is();
    test_refusals();
    test_instructions();
    test_matching();
    test_programmable(platform_number("raw", 0));
    test_firmware_counter();
    test_firmware_events();
    test_event_info();
    check_pass();
}
