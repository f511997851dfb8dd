/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All harts of a tenant storm at once whatever harts share: inter-processor interrupts, fences,
 * starting, stopping and suspending one another, the interrupt controller, the UART, timers; and
 * when a life is over all of them reboot the tenant at the same time. What the calls return has to
 * be one of the errors that the specification names.
 *
 * At the end of each life it prints what each hart has done in it.
 *
 * Arguments: life=N   until one of the harts has done so much (default 300)
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/format.h"
#include "rt/harts.h"
#include "rt/plic.h"
#include "rt/random.h"
#include "rt/sv39.h"
#include "rt/trap.h"
#include "rt/uart.h"

#define ALL_HARTS UINT64_MAX
#define CONTEXTS 17
/* Longest sleep and longest deadline. */
#define NAP_US 300

const char payload_name[] = "hostile-harts";

static unsigned count;
static uint64_t life;
static uint64_t deeds[HARTS_MAX];
static volatile bool all_have_started;
static volatile bool life_is_over;
static struct random sources[HARTS_MAX];

struct plic_access {
    uint64_t offset;
    uint32_t value;
    bool store;
};

static struct random *source(void)
{
    return &sources[hart_self()->id];
}

static uint64_t below(uint64_t limit)
{
    return random_below(source(), limit);
}

/* The error of a call is one of two. */
static void expect(struct sbi_result result, int64_t one, int64_t other, const char *what)
{
    check(result.error == one || result.error == other, "%s: error %ld on hart %lu", what,
          result.error, hart_self()->id);
}

static void set_some_timer(void)
{
    sbi_set_timer(clock_now() + below(clock_ticks(NAP_US)));
}

static void on_software(void)
{
    csr_clear(sip, INTERRUPT_SOFTWARE);
}

static void on_timer(void)
{
    sbi_set_timer(UINT64_MAX);
}

static void access_plic(void *argument)
{
    struct plic_access *access = argument;
    volatile uint32_t *place = plic_register(access->offset);

    if (access->store) {
        *place = access->value;
    } else {
        access->value = *place;
    }
}

static uint32_t try_plic(uint64_t offset, uint32_t value, bool store)
{
    struct plic_access access = {.offset = offset, .value = value, .store = store};
    struct trap_fault fault;

    return trap_try(access_plic, &access, &fault) ? access.value : 0;
}

/* The claim register of any of the contexts may be this hart's. */
static void on_external(void)
{
    uint64_t context = platform.plic_context;

    for (uint64_t step = 0; step < count; step++, context += 2) {
        try_plic(plic_claim_offset(context), try_plic(plic_claim_offset(context), 0, false), true);
    }
    uart_write(UART_INTERRUPT_ENABLE, 0);
    csr_clear(sie, INTERRUPT_EXTERNAL);
}

static void storm_ipis(void)
{
    uint64_t base = below(2) == 0 ? ALL_HARTS : below(HARTS_MAX);

    expect(
        sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, random_next(source()) & 0xff >> below(8), base, 0),
        SBI_SUCCESS, SBI_ERR_INVALID_PARAM, "IPI");
}

static void storm_fences(void)
{
    uint64_t base = below(2) == 0 ? ALL_HARTS : below(HARTS_MAX);
    uint64_t start = below(2) == 0 ? 0 : random_next(source());
    uint64_t size = below(2) == 0 ? random_next(source()) : below(1 << 20);
    struct sbi_result result =
        sbi_call6(SBI_EXT_RFENCE, below(SBI_RFENCE_SFENCE_VMA_ASID + 1),
                  random_next(source()) & 0xff >> below(8), base, start, size, below(65536), 0);

    check(result.error == SBI_SUCCESS || result.error == SBI_ERR_INVALID_PARAM ||
              result.error == SBI_ERR_INVALID_ADDRESS,
          "fence: error %ld", result.error);
}

static void storm_starts(void)
{
    uint64_t id = below(count);

    if (id == 0) {
        return; /* whose stack is another one */
    }
    expect(harts_start_again(id), SBI_SUCCESS, SBI_ERR_ALREADY_AVAILABLE, "start");
    check(harts_state(id) >= 0, "hart %lu has no state", id);
}

/* Somebody else starts it again: the first hart never stops. */
static void storm_stops(void)
{
    if (hart_self()->id != 0 && below(4) == 0) {
        harts_stop();
    }
}

static void storm_suspends(void)
{
    set_some_timer();
    expect(sbi_call(SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_RETENTIVE, 0, 0),
           SBI_SUCCESS, SBI_SUCCESS, "suspend");
    set_some_timer();
    wait_for_interrupt();
}

static void storm_timers(void)
{
    for (unsigned i = 0; i < 8; i++) {
        set_some_timer();
    }
}

static void storm_plic(void)
{
    uint64_t context = below(CONTEXTS);
    const uint64_t offsets[] = {
        plic_priority_offset((uint32_t)below(128)),
        plic_pending_offset((uint32_t)below(128)),
        plic_enable_offset((uint32_t)context, (uint32_t)below(128)),
        plic_threshold_offset((uint32_t)context),
        plic_claim_offset((uint32_t)context),
        below(platform.plic_size) & ~3ul,
    };
    uint64_t offset = offsets[below(sizeof(offsets) / sizeof(offsets[0]))];

    try_plic(offset, (uint32_t)random_next(source()) >> below(32), below(2) == 0);
}

/* All registers; what is sent is nothing but line ends, so that the log can be read. */
static void storm_uart(void)
{
    unsigned number = (unsigned)below(8);

    if (below(2) == 0) {
        uart_read(number);
    } else if (number != UART_DATA) {
        uart_write(number, (uint8_t)random_next(source()));
    } else if (below(64) == 0) {
        uart_write(UART_DATA, '\n');
    }
}

static void storm_refused(void)
{
    uint64_t type = below(2) == 0 ? SBI_SUSP_TO_RAM : 1;
    struct sbi_result result;

    expect(sbi_call(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, type, below(2), 0),
           SBI_ERR_INVALID_PARAM, SBI_ERR_INVALID_ADDRESS, "system suspend");
    result = sbi_call(SBI_EXT_DBCN, SBI_DBCN_WRITE, random_next(source()), below(1 << 20), 0);
    expect(result, SBI_ERR_INVALID_PARAM, SBI_SUCCESS, "console");
    expect(sbi_call(SBI_EXT_SRST, SBI_SRST_SYSTEM_RESET, 3 + below(100), 0, 0),
           SBI_ERR_INVALID_PARAM, SBI_ERR_INVALID_PARAM, "reset");
}

static void take_interrupts(void)
{
    csr_write(sie, INTERRUPT_SOFTWARE | INTERRUPT_TIMER | INTERRUPT_EXTERNAL);
    interrupts_enable();
    clock_spin(below(20));
    interrupts_disable();
    csr_write(sie, INTERRUPT_SOFTWARE | INTERRUPT_TIMER);
}

static void report(void)
{
    char line[128];
    size_t length = format_text(line, sizeof(line), "\nhostile-harts: deeds=%lu", deeds[0]);

    for (unsigned id = 1; id < count; id++) {
        length += format_text(line + length, sizeof(line) - length, ",%lu", deeds[id]);
    }
    print("%s\n", line);
}

static void storm(uint64_t id)
{
    static void (*const storms[])(void) = {
        storm_ipis,   storm_fences, storm_starts, storm_stops,   storm_suspends,
        storm_timers, storm_plic,   storm_uart,   storm_refused, take_interrupts,
    };

    while (!all_have_started) {
    }
    sources[id] = random_from(clock_now() ^ id << 60);
    csr_write(sie, INTERRUPT_SOFTWARE | INTERRUPT_TIMER);
    sv39_enable();
    while (!life_is_over && deeds[id] < life) {
        storms[below(sizeof(storms) / sizeof(storms[0]))]();
        deeds[id]++;
    }
    if (!life_is_over) {
        report();
        life_is_over = true;
    }
    sbi_reboot();
}

void main(void)
{
    count = harts_count();
    check(count > 1, "it takes a tenant of two harts or more");
    life = platform_number("life", 300);
    trap_set_handler(CAUSE_INTERRUPT_SOFTWARE, on_software);
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    trap_set_handler(CAUSE_INTERRUPT_EXTERNAL, on_external);
    for (unsigned id = 1; id < count; id++) {
        expect(harts_start(id, storm, id), SBI_SUCCESS, SBI_SUCCESS, "first start");
    }
    all_have_started = true;
    storm(0);
}
