/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uses optional features of the SBI as heavily as it can, for a tenant of higher priority to be
 * measured beside it: what they cost that one is bounded. Letters name the features:
 *
 *     c, C   all counters, configured and started; C also calls PMU without a pause
 *     t, T   all debug triggers installed; T also calls DBTR
 *     s, S   steal time; S also calls STA
 *     e, E   both software events, registered and enabled, and taken; E also calls SSE
 *     U      suspends to RAM, again and again: for members of a group
 *
 * Without U it waits for a line of letters, says "hostile-features: LETTERS", does that until the
 * next line comes, and begins anew. An empty line, as at the start, lets it be quiet: it spins.
 *
 * Arguments: use=LETTERS   does that from the start, for ever
 *            seed=N
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/plic.h"
#include "rt/random.h"
#include "rt/sbi.h"
#include "rt/software_event.h"
#include "rt/suspend.h"
#include "rt/uart.h"

#define LETTERS 16
#define MOST_COUNTERS 32
#define MOST_TRIGGERS 8
/* Triggers of U-mode, which this payload does not have. */
#define TRIGGER (2ul << 60 | 0x8 /* U */ | 0x2 /* store */)
#define EVENT_STACK 2048
#define INFO_ENTRIES 8
/* Rounds of an empty loop between two calls, at most: a moment between any two is hit. */
#define MOST_PAUSE 64

const char payload_name[] = "hostile-features";

static struct random source;
static char letters[LETTERS];

static uint64_t counter_count;
static uint64_t trigger_count;
static struct {
    uint64_t head;
    uint64_t tdata[3];
} triggers[MOST_TRIGGERS];
static struct {
    uint64_t words[8];
} steal_time __attribute__((aligned(64)));
static struct {
    uint32_t event;
    uint32_t supported;
    uint64_t data;
} infos[INFO_ENTRIES] __attribute__((aligned(16)));

static const uint64_t events[] = {SBI_SSE_EVENT_LOCAL_SOFTWARE, SBI_SSE_EVENT_GLOBAL_SOFTWARE};
static uint8_t event_stacks[2][EVENT_STACK] __attribute__((aligned(16)));
static struct software_event_handler handlers[2];
static uint64_t attributes[SBI_SSE_ATTR_COUNT];

static bool uses(char letter)
{
    for (unsigned i = 0; i < LETTERS; i++) {
        if (letters[i] == letter) {
            return true;
        }
    }
    return false;
}

static uint64_t below(uint64_t limit)
{
    return random_below(&source, limit);
}

static struct sbi_result pmu(uint64_t function, uint64_t base, uint64_t mask, uint64_t flags,
                             uint64_t event, uint64_t data)
{
    return sbi_call6(SBI_EXT_PMU, function, base, mask, flags, event, data, 0);
}

static struct sbi_result dbtr(uint64_t function, uint64_t a0, uint64_t a1)
{
    return sbi_call(SBI_EXT_DBTR, function, a0, a1, 0);
}

static struct sbi_result sse(uint64_t function, uint64_t event, uint64_t a1, uint64_t a2)
{
    return sbi_call(SBI_EXT_SSE, function, event, a1, a2);
}

/* An event that some counter can count. */
static uint64_t any_event(uint64_t *data)
{
    uint64_t kind = below(4);

    *data = kind == 0 ? 2 : 0;
    if (kind == 0) {
        return (uint64_t)SBI_PMU_TYPE_RAW << 16;
    }
    return kind == 1 ? 1 + below(2)
                     : (uint64_t)SBI_PMU_TYPE_FIRMWARE << 16 | below(SBI_PMU_FW_HFENCE_GVMA_SENT);
}

/* Gives every counter that has none an event, and starts all. */
static void start_counters(void)
{
    uint64_t all = (1ul << counter_count) - 1;
    uint64_t flags = SBI_PMU_CONFIG_CLEAR_VALUE | SBI_PMU_CONFIG_AUTO_START;
    uint64_t function = SBI_PMU_COUNTER_CONFIG_MATCHING;

    pmu(function, 0, all, flags, SBI_PMU_HW_CPU_CYCLES, 0);
    pmu(function, 0, all, flags, SBI_PMU_HW_INSTRUCTIONS, 0);
    while (pmu(function, 0, all, flags, (uint64_t)SBI_PMU_TYPE_RAW << 16, 2).error == 0) {
    }
    while (pmu(function, 0, all, flags,
               (uint64_t)SBI_PMU_TYPE_FIRMWARE << 16 | SBI_PMU_FW_SET_TIMER, 0)
               .error == 0) {
    }
    pmu(SBI_PMU_COUNTER_START, 0, all, 0, 0, 0);
}

static void stop_counters(void)
{
    pmu(SBI_PMU_COUNTER_STOP, 0, (1ul << counter_count) - 1, SBI_PMU_STOP_RESET, 0, 0);
}

static void call_counters(void)
{
    uint64_t function = below(SBI_PMU_EVENT_GET_INFO + 1);
    uint64_t mask = below(4) == 0 ? random_next(&source) & ((1ul << counter_count) - 1)
                                  : (1ul << counter_count) - 1;
    uint64_t data;
    uint64_t event = any_event(&data);

    switch (function) {
    case SBI_PMU_COUNTER_START:
        pmu(function, 0, mask, below(2), data, 0);
        break;
    case SBI_PMU_COUNTER_STOP:
        pmu(function, 0, mask, below(2), 0, 0);
        break;
    case SBI_PMU_COUNTER_CONFIG_MATCHING:
        pmu(function, 0, mask, below(8), event, data);
        break;
    case SBI_PMU_EVENT_GET_INFO:
        for (unsigned i = 0; i < INFO_ENTRIES; i++) {
            infos[i].event = (uint32_t)any_event(&infos[i].data);
        }
        pmu(function, (uintptr_t)infos, 0, INFO_ENTRIES, 0, 0);
        break;
    default:
        pmu(function, below(counter_count + 1), 0, 0, 0, 0);
        break;
    }
}

static void set_triggers(void)
{
    for (unsigned i = 0; i < trigger_count; i++) {
        triggers[i].head = i;
        triggers[i].tdata[0] = TRIGGER;
        triggers[i].tdata[1] = (uintptr_t)&triggers[i];
        triggers[i].tdata[2] = 0;
    }
}

static void start_triggers(void)
{
    set_triggers();
    dbtr(SBI_DBTR_SET_SHMEM, (uintptr_t)triggers, 0);
    dbtr(SBI_DBTR_INSTALL_TRIGGERS, trigger_count, 0);
}

static void stop_triggers(void)
{
    for (unsigned i = 0; i < trigger_count; i++) {
        dbtr(SBI_DBTR_UNINSTALL_TRIGGERS, i, 1);
    }
}

static void call_triggers(void)
{
    uint64_t function = below(SBI_DBTR_DISABLE_TRIGGERS + 1);

    set_triggers();
    switch (function) {
    case SBI_DBTR_NUM_TRIGGERS:
        dbtr(function, TRIGGER, 0);
        break;
    case SBI_DBTR_SET_SHMEM:
        dbtr(function, (uintptr_t)triggers, 0);
        break;
    case SBI_DBTR_READ_TRIGGERS:
        dbtr(function, 0, trigger_count);
        break;
    case SBI_DBTR_INSTALL_TRIGGERS:
    case SBI_DBTR_UPDATE_TRIGGERS:
        dbtr(function, trigger_count, 0);
        break;
    default:
        dbtr(function, 0, (1ul << trigger_count) - 1);
        break;
    }
}

static void set_steal_time(bool on)
{
    uint64_t none = UINT64_MAX;

    sbi_call(SBI_EXT_STA, SBI_STA_SET_SHMEM, on ? (uintptr_t)&steal_time : none, on ? 0 : none, 0);
}

static void handle_event(uint64_t hart, struct software_event_handler *handler)
{
    (void)hart;
    (void)handler;
}

static void start_events(void)
{
    for (unsigned i = 0; i < 2; i++) {
        handlers[i].stack_top = event_stacks[i] + EVENT_STACK;
        handlers[i].handle = handle_event;
        sse(SBI_SSE_REGISTER, events[i], (uintptr_t)software_event_entry, (uintptr_t)&handlers[i]);
        sse(SBI_SSE_ENABLE, events[i], 0, 0);
    }
    sse(SBI_SSE_HART_UNMASK, 0, 0, 0);
}

static void stop_events(void)
{
    sse(SBI_SSE_HART_MASK, 0, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        sse(SBI_SSE_DISABLE, events[i], 0, 0);
        sse(SBI_SSE_UNREGISTER, events[i], 0, 0);
    }
}

static void call_events(void)
{
    unsigned which = (unsigned)below(2);
    uint64_t function = below(SBI_SSE_HART_MASK + 1);

    if (function == SBI_SSE_REGISTER) {
        sse(function, events[which], (uintptr_t)software_event_entry, (uintptr_t)&handlers[which]);
    } else if (function == SBI_SSE_READ_ATTRS) {
        sbi_call6(SBI_EXT_SSE, function, events[which], 0, SBI_SSE_ATTR_COUNT,
                  (uintptr_t)attributes, 0, 0);
    } else if (function == SBI_SSE_WRITE_ATTRS) {
        attributes[0] = below(2);
        attributes[1] = below(2);
        sbi_call6(SBI_EXT_SSE, function, events[which], SBI_SSE_ATTR_PRIORITY, 2,
                  (uintptr_t)attributes, 0, 0);
    } else {
        sse(function, events[which], platform.hart, 0);
    }
}

static void suspend_now(void)
{
    struct suspend_result result;

    suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, &result);
}

/* A feature: its letters, and what they stand for. */
static const struct {
    char in_use; /* 0: none */
    char calling;
    void (*start)(void);
    void (*stop)(void);
    void (*call)(void);
} features[] = {
    {'c', 'C', start_counters, stop_counters, call_counters},
    {'t', 'T', start_triggers, stop_triggers, call_triggers},
    {'e', 'E', start_events, stop_events, call_events},
};
#define FEATURES (sizeof(features) / sizeof(features[0]))

static void start_all(void)
{
    for (unsigned i = 0; i < FEATURES; i++) {
        if (uses(features[i].in_use) || uses(features[i].calling)) {
            features[i].start();
        }
    }
    set_steal_time(uses('s') || uses('S'));
}

static void stop_all(void)
{
    for (unsigned i = 0; i < FEATURES; i++) {
        features[i].stop();
    }
    set_steal_time(false);
}

static void pause(void)
{
    for (volatile uint64_t rounds = below(MOST_PAUSE); rounds != 0; rounds--) {
    }
}

static void do_some(void)
{
    pause();
    for (unsigned i = 0; i < FEATURES; i++) {
        if (uses(features[i].calling)) {
            features[i].call();
        }
    }
    if (uses('S')) {
        set_steal_time(below(4) != 0);
    }
    if (uses('U')) {
        suspend_now();
    }
}

/* A byte was typed: seen without a call or an access that would be measured too. */
static bool is_called(void)
{
    return (csr_read(sip) & INTERRUPT_EXTERNAL) != 0;
}

static void listen(void)
{
    uart_init();
    plic_set_threshold(0);
    plic_enable(platform.uart_source, 1);
    uart_write(UART_INTERRUPT_ENABLE, UART_IER_RECEIVED);
}

static void read_letters(void)
{
    unsigned length = 0;
    uint8_t byte = '\0';

    while (byte != '\n') {
        if (uart_get(&byte) && byte != '\n' && length + 1 < LETTERS) {
            letters[length++] = (char)byte;
        }
    }
    letters[length] = '\0';
    plic_complete(plic_claim());
}

void main(void)
{
    source = random_from(platform_number("seed", 1));
    counter_count = pmu(SBI_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0).value;
    trigger_count = dbtr(SBI_DBTR_NUM_TRIGGERS, 0, 0).value;
    check(counter_count < MOST_COUNTERS && trigger_count <= MOST_TRIGGERS, "too many");
    interrupts_disable();
    csr_write(sie, 0);
    listen();
    platform_word("use", "", letters, LETTERS);
    for (;;) {
        start_all();
        print("hostile-features: %s\n", letters);
        while (!is_called()) {
            do_some();
        }
        stop_all();
        for (unsigned i = 0; i < LETTERS; i++) {
            letters[i] = '\0';
        }
        read_letters();
    }
}
