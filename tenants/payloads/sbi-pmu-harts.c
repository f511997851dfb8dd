/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that each hart of a tenant has counters of its own, and counts what it asks of the other
 * and what the other asks of it (SBI 3.0, section 11.5). For a tenant with two harts.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define EVENTS 4
#define TIMES 3
#define SELF 1
#define OTHER 2
#define ALL_COUNTERS 0x3ffff

const char payload_name[] = "sbi-pmu-harts";

/* Those of the one who asks; the next number is that of the one who is asked. */
static const unsigned sent[EVENTS] = {SBI_PMU_FW_IPI_SENT, SBI_PMU_FW_FENCE_I_SENT,
                                      SBI_PMU_FW_SFENCE_VMA_SENT, SBI_PMU_FW_SFENCE_VMA_ASID_SENT};

static struct {
    volatile bool ready;
    volatile bool asked;
    volatile uint64_t received[EVENTS];
    volatile int64_t stopped; /* what it was told when it stopped cycle, which the first one has */
    uint64_t stack[512] __attribute__((aligned(16)));
} other;

/* Starts a counter of `event` and returns its index. */
static uint64_t count(uint64_t event)
{
    struct sbi_result result =
        sbi_call6(SBI_EXT_PMU, SBI_PMU_COUNTER_CONFIG_MATCHING, 0, ALL_COUNTERS,
                  SBI_PMU_CONFIG_CLEAR_VALUE | SBI_PMU_CONFIG_AUTO_START, event, 0, 0);

    check(result.error == SBI_SUCCESS, "event 0x%lx: error %ld", event, result.error);
    return result.value;
}

static uint64_t count_firmware(unsigned event)
{
    return count(SBI_PMU_TYPE_FIRMWARE << 16 | event);
}

static uint64_t counted(uint64_t counter)
{
    return sbi_call(SBI_EXT_PMU, SBI_PMU_COUNTER_FW_READ, counter, 0, 0).value;
}

static int64_t stop_cycle(void)
{
    return sbi_call(SBI_EXT_PMU, SBI_PMU_COUNTER_STOP, 0, 1, 0).error;
}

void other_main(void);

void other_main(void)
{
    uint64_t counters[EVENTS];

    other.stopped = stop_cycle();
    for (unsigned i = 0; i < EVENTS; i++) {
        counters[i] = count_firmware(sent[i] + 1);
    }
    other.ready = true;
    while (!other.asked) {
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        other.received[i] = counted(counters[i]);
    }
    sbi_call(SBI_EXT_HSM, SBI_HSM_HART_STOP, 0, 0, 0);
}

__attribute__((naked)) static void other_entry(void)
{
    __asm__ volatile("mv sp, a1\n j other_main");
}

static void ask(uint64_t mask)
{
    sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, mask, 0, 0);
    sbi_call(SBI_EXT_RFENCE, SBI_RFENCE_FENCE_I, mask, 0, 0);
    sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, mask, 0, 0, 4096, 0, 0);
    sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA_ASID, mask, 0, 0, 4096, 1, 0);
}

void main(void)
{
    uint64_t counters[EVENTS];
    struct sbi_result result;

    interrupts_disable();
    check(count(SBI_PMU_HW_CPU_CYCLES) == 0, "cycles are counted elsewhere");
    for (unsigned i = 0; i < EVENTS; i++) {
        counters[i] = count_firmware(sent[i]);
    }
    ask(OTHER); /* nobody is there yet */
    result = sbi_call(SBI_EXT_HSM, SBI_HSM_HART_START, 1, (uintptr_t)other_entry,
                      (uintptr_t)(other.stack + 512));
    check(result.error == SBI_SUCCESS, "no second hart: error %ld", result.error);
    while (!other.ready) {
    }
    for (unsigned i = 0; i < TIMES; i++) {
        ask(i == 0 ? SELF | OTHER : OTHER);
    }
    ask(SELF);
    other.asked = true;
    do {
        result = sbi_call(SBI_EXT_HSM, SBI_HSM_HART_GET_STATUS, 1, 0, 0);
    } while (result.value != SBI_HSM_STATE_STOPPED);
    for (unsigned i = 0; i < EVENTS; i++) {
        check(counted(counters[i]) == TIMES && other.received[i] == TIMES,
              "event %u: %lu sent and %lu received instead of %u", sent[i], counted(counters[i]),
              other.received[i], TIMES);
    }
    check(other.stopped == SBI_ERR_ALREADY_STOPPED && stop_cycle() == SBI_SUCCESS,
          "the second hart has the counter of the first");
    check_pass();
}
