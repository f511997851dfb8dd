/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what SBI 3.0 says of several harts: their states (section 9), inter-processor interrupts
 * (section 7) and the system suspend (section 13). For a tenant of two harts or more.
 *
 * Arguments: rounds=N   of what is repeated (default 300)   seed=N
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/harts.h"
#include "rt/random.h"
#include "rt/suspend.h"
#include "rt/trap.h"

/* A hart mask base that means all harts (section 3.1). */
#define ALL_HARTS UINT64_MAX
#define STOP_DELAY_US 20000
#define LEAST_WAIT_US 50000

const char payload_name[] = "sbi-harts";

static unsigned count;
static uint64_t rounds;
static struct random source; /* of the first hart */
static volatile bool go_on;
static volatile unsigned runs;
static unsigned received[HARTS_MAX];
static struct suspend_result suspended[HARTS_MAX];

static struct sbi_result hsm(uint64_t function, uint64_t arg0, uint64_t arg1, uint64_t arg2)
{
    return sbi_call(SBI_EXT_HSM, function, arg0, arg1, arg2);
}

static void expect(struct sbi_result result, int64_t error, const char *what, uint64_t id)
{
    check(result.error == error, "%s, hart %lu: error %ld, expected %ld", what, id, result.error,
          error);
}

static void await_state(uint64_t id, int64_t state)
{
    harts_await(harts_state(id) == state, "hart %lu stays in state %ld instead of %ld", id,
                harts_state(id), state);
}

/* Section 9.1: the registers of a hart that has just started. */
static void check_start(void)
{
    const struct hart *self = hart_self();

    check(self->found.a0 == self->id, "hart %lu starts with a0 %lu", self->id, self->found.a0);
    check(self->found.satp == 0, "hart %lu starts with satp 0x%lx", self->id, self->found.satp);
    check((self->found.sstatus & SSTATUS_SIE) == 0, "hart %lu starts with interrupts on", self->id);
    check((csr_read(sip) & (INTERRUPT_SOFTWARE | INTERRUPT_TIMER)) == 0,
          "hart %lu starts with sip 0x%lx", self->id, csr_read(sip));
}

static void run_once(uint64_t argument)
{
    check_start();
    check(argument == runs, "start %u has the argument of start %lu", runs, argument);
    runs = (unsigned)argument + 1;
}

static void run_until_told(uint64_t argument)
{
    (void)argument;
    check_start();
    while (!go_on) {
    }
}

static void test_refused_starts(void)
{
    static const uint64_t strangers[] = {HARTS_MAX, 63, 64, 77, UINT32_MAX, 1ull << 32, UINT64_MAX};
    uint64_t end = platform.memory_base + platform.memory_size;
    const uint64_t addresses[] = {0,
                                  end,
                                  platform.memory_base - 2,
                                  platform.memory_base + 1,
                                  platform.uart_base,
                                  UINT64_MAX - 1};

    for (unsigned i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
        expect(hsm(SBI_HSM_HART_START, strangers[i], platform.memory_base, 0),
               SBI_ERR_INVALID_PARAM, "start", strangers[i]);
        check(harts_state(strangers[i]) == SBI_ERR_INVALID_PARAM, "hart %lu has a state",
              strangers[i]);
    }
    expect(hsm(SBI_HSM_HART_START, count, platform.memory_base, 0), SBI_ERR_INVALID_PARAM, "start",
           count);
    for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        expect(hsm(SBI_HSM_HART_START, 1, addresses[i], 0), SBI_ERR_INVALID_ADDRESS,
               "start at a bad address", 1);
    }
    expect(hsm(SBI_HSM_HART_START, 0, platform.memory_base, 0), SBI_ERR_ALREADY_AVAILABLE,
           "start of the caller", 0);
    check(harts_state(0) == SBI_HSM_STATE_STARTED, "the caller is in state %ld", harts_state(0));
    for (unsigned id = 1; id < count; id++) {
        check(harts_state(id) == SBI_HSM_STATE_STOPPED, "hart %u is in state %ld", id,
              harts_state(id));
    }
}

/* Each start runs once, with its own argument, however soon it follows the stop. */
static void test_start_and_stop(void)
{
    runs = 0;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned id = 1 + (unsigned)random_below(&source, count - 1);

        expect(harts_start(id, run_once, round), SBI_SUCCESS, "start", id);
        await_state(id, SBI_HSM_STATE_STOPPED);
        check(runs == round + 1, "hart %u has stopped after %u of %u starts", id, runs, round + 1);
    }
    for (unsigned id = 1; id < count; id++) {
        go_on = false;
        expect(harts_start(id, run_until_told, 0), SBI_SUCCESS, "start", id);
        expect(hsm(SBI_HSM_HART_START, id, platform.memory_base, 0), SBI_ERR_ALREADY_AVAILABLE,
               "start of one that is about to start", id);
        await_state(id, SBI_HSM_STATE_STARTED);
        expect(hsm(SBI_HSM_HART_START, id, platform.memory_base, 0), SBI_ERR_ALREADY_AVAILABLE,
               "start of a started one", id);
        go_on = true;
        await_state(id, SBI_HSM_STATE_STOPPED);
    }
}

/* All others start the last hart: one of them does. */
static void start_the_last(uint64_t id)
{
    static struct harts_barrier barrier;
    static unsigned started;

    if (id == count - 1) {
        return;
    }
    for (unsigned round = 0; round < rounds / 3; round++) {
        struct sbi_result result;

        if (id == 0) {
            await_state(count - 1, SBI_HSM_STATE_STOPPED);
            go_on = true;
            expect(harts_start(count - 1, run_until_told, 0), SBI_SUCCESS, "start", count - 1);
            await_state(count - 1, SBI_HSM_STATE_STOPPED);
            started = 0;
            go_on = false;
        }
        harts_meet(&barrier, count - 1);
        result = harts_start_again(count - 1);
        check(result.error == SBI_SUCCESS || result.error == SBI_ERR_ALREADY_AVAILABLE,
              "start by one of many: error %ld", result.error);
        __atomic_fetch_add(&started, result.error == SBI_SUCCESS, __ATOMIC_RELAXED);
        harts_meet(&barrier, count - 1);
        check(started == 1, "the last hart was started %u times at once", started);
        harts_meet(&barrier, count - 1);
        if (id == 0) {
            go_on = true;
        }
    }
}

/* Counts the IPIs that it gets, each by a wake-up from WFI, until `go_on`. */
static void receive(uint64_t id)
{
    csr_write(sie, INTERRUPT_SOFTWARE);
    while (!go_on) {
        wait_for_interrupt();
        if ((csr_read(sip) & INTERRUPT_SOFTWARE) != 0) {
            csr_clear(sip, INTERRUPT_SOFTWARE);
            __atomic_fetch_add(&received[id], 1, __ATOMIC_SEQ_CST);
        }
    }
}

static struct sbi_result send(uint64_t mask, uint64_t base)
{
    return sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, mask, base, 0);
}

static unsigned received_by(unsigned id)
{
    return __atomic_load_n(&received[id], __ATOMIC_SEQ_CST);
}

/* `targets` get one each, nobody else does; the sender only if it is named. */
static void send_to(uint64_t mask, uint64_t base, uint64_t targets)
{
    unsigned before[HARTS_MAX];

    for (unsigned id = 1; id < count; id++) {
        before[id] = received_by(id);
    }
    expect(send(mask, base), SBI_SUCCESS, "IPI", base);
    for (unsigned id = 1; id < count; id++) {
        unsigned expected = before[id] + (targets >> id & 1);

        harts_await(received_by(id) == expected, "hart %u: %u IPIs after (0x%lx, %ld), not %u", id,
                    received_by(id), mask, base, expected);
    }
    harts_await((csr_read(sip) & INTERRUPT_SOFTWARE) != 0 || (targets & 1) == 0,
                "no IPI to the sender");
    check((csr_read(sip) & INTERRUPT_SOFTWARE) == 0 || (targets & 1) != 0,
          "the sender got an IPI for others");
    csr_clear(sip, INTERRUPT_SOFTWARE);
}

static void test_ipis(void)
{
    uint64_t all = (1ull << count) - 1;

    go_on = false;
    for (unsigned id = 1; id < count; id++) {
        expect(harts_start(id, receive, id), SBI_SUCCESS, "start", id);
        await_state(id, SBI_HSM_STATE_STARTED);
    }
    for (unsigned round = 0; round < rounds; round++) {
        uint64_t base = random_below(&source, count);
        uint64_t mask = random_next(&source) & all >> base;

        send_to(mask, base, mask << base);
        send_to(random_next(&source), ALL_HARTS, all);
        expect(send(mask | 1ull << (count - base), base), SBI_ERR_INVALID_PARAM, "IPI beyond",
               base);
        expect(send(1, count), SBI_ERR_INVALID_PARAM, "IPI with a base beyond", count);
        send_to(0, 0, 0); /* and nobody got those that were refused */
    }
    go_on = true;
    send(0, ALL_HARTS);
    csr_clear(sip, INTERRUPT_SOFTWARE);
    for (unsigned id = 1; id < count; id++) {
        await_state(id, SBI_HSM_STATE_STOPPED);
    }
}

/* A token goes round by IPIs; everybody else sleeps. One that is lost ends it all. */
static void pass_token(uint64_t id)
{
    static volatile uint64_t token;
    static struct harts_barrier barrier;
    uint64_t next = (id + 1) % count;

    csr_write(sie, INTERRUPT_SOFTWARE);
    harts_meet(&barrier, count);
    for (uint64_t round = 0; round < rounds; round++) {
        if (id != 0 || round != 0) {
            while ((csr_read(sip) & INTERRUPT_SOFTWARE) == 0) {
                wait_for_interrupt();
            }
            csr_clear(sip, INTERRUPT_SOFTWARE);
        }
        check(token == round * count + id, "token %lu comes to hart %lu in round %lu", token, id,
              round);
        token++;
        if (id != count - 1 || round != rounds - 1) {
            expect(send(1, next), SBI_SUCCESS, "IPI", next);
        }
    }
    csr_write(sie, 0);
}

/* Sections 9.3 and 9.4: until an IPI comes, in either type of suspend. */
static void sleep_until_ipi(uint64_t type)
{
    uint64_t id = hart_self()->id;
    struct suspend_result *result = &suspended[id];
    bool retentive = type == SBI_HSM_SUSPEND_RETENTIVE;

    csr_write(sie, INTERRUPT_SOFTWARE);
    suspend(SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, type, result);
    check((csr_read(sip) & INTERRUPT_SOFTWARE) != 0, "hart %lu woke without an IPI", id);
    check(result->resumed == !retentive, "hart %lu: suspend 0x%lx came back the other way", id,
          type);
    if (retentive) {
        check(result->error == SBI_SUCCESS, "hart %lu: retentive suspend: error %ld", id,
              result->error);
    } else {
        check(result->hart == id && result->satp == 0 && (result->sstatus & SSTATUS_SIE) == 0,
              "hart %lu resumes with a0 %lu, satp 0x%lx, sstatus 0x%lx", id, result->hart,
              result->satp, result->sstatus);
    }
}

static void test_suspended_hart(uint64_t id, uint64_t type)
{
    struct sbi_result result;

    expect(harts_start(id, sleep_until_ipi, type), SBI_SUCCESS, "start", id);
    await_state(id, SBI_HSM_STATE_SUSPENDED);
    expect(hsm(SBI_HSM_HART_START, id, platform.memory_base, 0), SBI_ERR_ALREADY_AVAILABLE,
           "start of a suspended one", id);
    result = sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, 0, ALL_HARTS, 0, 0, 0, 0);
    expect(result, SBI_SUCCESS, "fence of a suspended one", id);
    check(harts_state(id) == SBI_HSM_STATE_SUSPENDED, "a fence woke hart %lu", id);
    expect(send(1ull << id, 0), SBI_SUCCESS, "IPI", id);
    await_state(id, SBI_HSM_STATE_STOPPED);
}

static void stop_later(uint64_t id)
{
    (void)id;
    clock_spin(STOP_DELAY_US);
}

static void suspend_system(struct suspend_result *result)
{
    csr_write(sie, INTERRUPT_TIMER);
    sbi_set_timer(clock_now());
    suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, result);
    sbi_set_timer(UINT64_MAX);
    csr_write(sie, 0);
}

/* Section 13.1: the others have to be stopped. Who is about to stop is waited for. */
static void test_system_suspend(void)
{
    struct suspend_result *result = &suspended[0];
    uint64_t start;

    for (unsigned id = 1; id < count; id++) {
        expect(harts_start(id, stop_later, 0), SBI_SUCCESS, "start", id);
        suspend_system(result);
        check(result->resumed == 1, "suspend while hart %u stops: error %ld", id, result->error);
        check(harts_state(id) == SBI_HSM_STATE_STOPPED, "suspended while hart %u ran", id);
    }
    go_on = false;
    expect(harts_start(1, run_until_told, 0), SBI_SUCCESS, "start", 1);
    for (unsigned round = 0; round < 2; round++) {
        start = clock_now();
        suspend_system(result);
        check(result->resumed == 0 && result->error == SBI_ERR_DENIED,
              "suspend while hart 1 runs: error %ld, resumed %lu", result->error, result->resumed);
        check(clock_now() - start >= clock_ticks(LEAST_WAIT_US), "it was not waited for hart 1");
    }
    go_on = true;
    await_state(1, SBI_HSM_STATE_STOPPED);
    suspend_system(result);
    check(result->resumed == 1, "suspend of the only hart: error %ld", result->error);
}

/* No hart is special: the one that booted stops, another one starts it again. */
static void end_on_the_first(uint64_t argument)
{
    (void)argument;
    check_start();
    check_pass();
}

static void restart_the_first(uint64_t argument)
{
    (void)argument;
    await_state(0, SBI_HSM_STATE_STOPPED);
    expect(harts_start(0, end_on_the_first, 0), SBI_SUCCESS, "start", 0);
}

void main(void)
{
    count = harts_count();
    rounds = platform_number("rounds", 300);
    source = random_from(platform_number("seed", 1));
    check(count > 1, "it takes a tenant of two harts or more");
    print("sbi-harts: harts=%u rounds=%lu\n", count, rounds);
    test_refused_starts();
    test_start_and_stop();
    print("sbi-harts: start and stop done\n");
    harts_run(start_the_last);
    test_ipis();
    print("sbi-harts: IPIs done\n");
    harts_run(pass_token);
    for (unsigned id = 1; id < count; id++) {
        test_suspended_hart(id, SBI_HSM_SUSPEND_RETENTIVE);
        test_suspended_hart(id, SBI_HSM_SUSPEND_NON_RETENTIVE);
    }
    print("sbi-harts: suspend of harts done\n");
    test_system_suspend();
    expect(harts_start(1, restart_the_first, 0), SBI_SUCCESS, "start", 1);
    harts_stop();
}
