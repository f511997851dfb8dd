/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One hart of a tenant sends messages to the other one without a pause: inter-processor interrupts,
 * or remote fences. The other one meanwhile makes accesses to emulated devices and calls of the
 * SBI, each of which has to come to its end, and prints how long they took, a line for each kind:
 *
 *     message-storm: KIND us=N
 *
 * At the end it prints "message-storm: done", and spins; the storm goes on.
 *
 * Arguments: storm=ipi     or fence
 *            rounds=N      of each kind (default 200)
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/harts.h"
#include "rt/plic.h"
#include "rt/uart.h"

#define SENDER 1
#define TRIGGER (2ul << 60 | 0x8 /* U */ | 0x2 /* store */)

const char payload_name[] = "message-storm";

static bool sends_fences;
static volatile bool has_begun;
static struct {
    uint64_t head;
    uint64_t tdata[3];
} trigger;
static struct {
    uint32_t event;
    uint32_t supported;
    uint64_t data;
} infos[4] __attribute__((aligned(16)));
static uint64_t attributes[SBI_SSE_ATTR_COUNT];
static struct {
    uint64_t words[8];
} steal_time __attribute__((aligned(64)));

static void send(uint64_t argument)
{
    (void)argument;
    has_begun = true;
    for (;;) {
        if (sends_fences) {
            sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, 1, 0, 0, UINT64_MAX, 0, 0);
        } else {
            sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, 1, 0, 0);
        }
    }
}

static void load_byte(void)
{
    (void)uart_read(UART_LINE_STATUS);
}

static void store_byte(void)
{
    uart_write(UART_SCRATCH, 1);
}

static void load_word(void)
{
    (void)plic_claim();
}

static void store_word(void)
{
    plic_complete(0);
}

/* One that no fast path takes. */
static void store_priority(void)
{
    *plic_register(plic_priority_offset(platform.uart_source)) = 1;
}

static void print_nothing(void)
{
    sbi_call(SBI_EXT_DBCN, SBI_DBCN_WRITE, 0, 0, 0);
}

static void use_counters(void)
{
    uint64_t flags = SBI_PMU_CONFIG_CLEAR_VALUE | SBI_PMU_CONFIG_AUTO_START;

    for (unsigned i = 0; i < 4; i++) {
        infos[i].event = SBI_PMU_HW_INSTRUCTIONS;
    }
    sbi_call6(SBI_EXT_PMU, SBI_PMU_EVENT_GET_INFO, (uintptr_t)infos, 0, 4, 0, 0, 0);
    sbi_call6(SBI_EXT_PMU, SBI_PMU_COUNTER_CONFIG_MATCHING, 0, 7, flags, SBI_PMU_HW_INSTRUCTIONS, 0,
              0);
    sbi_call6(SBI_EXT_PMU, SBI_PMU_COUNTER_STOP, 0, 4, SBI_PMU_STOP_RESET, 0, 0, 0);
}

static void use_triggers(void)
{
    trigger.tdata[0] = TRIGGER;
    trigger.tdata[1] = (uintptr_t)&trigger;
    sbi_call(SBI_EXT_DBTR, SBI_DBTR_SET_SHMEM, (uintptr_t)&trigger, 0, 0);
    sbi_call(SBI_EXT_DBTR, SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0);
    sbi_call(SBI_EXT_DBTR, SBI_DBTR_DISABLE_TRIGGERS, 0, 1, 0);
    sbi_call(SBI_EXT_DBTR, SBI_DBTR_UNINSTALL_TRIGGERS, 0, 1, 0);
}

static void use_events(void)
{
    sbi_call6(SBI_EXT_SSE, SBI_SSE_READ_ATTRS, SBI_SSE_EVENT_LOCAL_SOFTWARE, 0, SBI_SSE_ATTR_COUNT,
              (uintptr_t)attributes, 0, 0);
    sbi_call(SBI_EXT_SSE, SBI_SSE_HART_UNMASK, 0, 0, 0);
    sbi_call(SBI_EXT_SSE, SBI_SSE_HART_MASK, 0, 0, 0);
}

static void use_steal_time(void)
{
    sbi_call(SBI_EXT_STA, SBI_STA_SET_SHMEM, (uintptr_t)&steal_time, 0, 0);
    sbi_call(SBI_EXT_STA, SBI_STA_SET_SHMEM, UINT64_MAX, UINT64_MAX, 0);
}

static const struct {
    const char *name;
    void (*act)(void);
} kinds[] = {
    {"load-byte", load_byte},       {"store-byte", store_byte},         {"load-word", load_word},
    {"store-word", store_word},     {"store-priority", store_priority}, {"console", print_nothing},
    {"counters", use_counters},     {"triggers", use_triggers},         {"events", use_events},
    {"steal-time", use_steal_time},
};

void main(void)
{
    uint64_t rounds = platform_number("rounds", 200);
    char storm[8];

    platform_word("storm", "ipi", storm, sizeof(storm));
    sends_fences = storm[0] == 'f';
    csr_write(sie, 0);
    check(harts_count() == 2, "it takes a tenant of two harts");
    check(harts_start(SENDER, send, 0).error == SBI_SUCCESS, "the sender does not start");
    harts_await(has_begun, "the sender does not begin");
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        uint64_t start = clock_now();

        for (uint64_t round = 0; round < rounds; round++) {
            kinds[i].act();
        }
        print("message-storm: %s us=%lu\n", kinds[i].name, (clock_now() - start) / clock_ticks(1));
    }
    print("message-storm: done\n");
    for (;;) {
    }
}
