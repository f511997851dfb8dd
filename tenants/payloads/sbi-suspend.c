/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what SBI 3.0 says of system suspend (section 13) and of the suspend of a hart (section
 * 9.4): who wakes, when, in which state, and what is refused.
 */
#include "rt/check.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/suspend.h"
#include "rt/trap.h"

#define SLEEP_US 3000
#define RESUME_TYPES 2

const char payload_name[] = "sbi-suspend";

static const struct {
    const char *name;
    uint64_t extension;
    uint64_t function;
    uint64_t type;
} calls[RESUME_TYPES] = {
    {"system_suspend", SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM},
    {"hart_suspend", SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_NON_RETENTIVE},
};

static volatile unsigned timer_interrupts;

static void on_timer(void)
{
    timer_interrupts++;
    sbi_set_timer(UINT64_MAX);
}

/* "All other registers remain in an undefined state", but these are as the table says. */
static void check_state(const char *name, const struct suspend_result *result)
{
    check(result->resumed == 1, "%s returned, error %ld", name, result->error);
    check(result->hart == platform.hart, "%s: a0 is %lu", name, result->hart);
    check(result->satp == 0, "%s: satp is 0x%lx", name, result->satp);
    check((result->sstatus & SSTATUS_SIE) == 0, "%s: interrupts are on", name);
    check(result->scounteren == 7, "%s: scounteren is %lu", name, result->scounteren);
}

static void test_wakes_at_the_deadline(unsigned index)
{
    struct suspend_result result;
    uint64_t start = clock_now();

    csr_write(sie, INTERRUPT_TIMER);
    sbi_set_timer(start + clock_ticks(SLEEP_US));
    suspend(calls[index].extension, calls[index].function, calls[index].type, &result);
    check_state(calls[index].name, &result);
    check(clock_now() - start >= clock_ticks(SLEEP_US), "%s woke early", calls[index].name);
    check((csr_read(sip) & INTERRUPT_TIMER) != 0, "%s: woken by nothing", calls[index].name);
    check(csr_read(sie) == INTERRUPT_TIMER, "%s: sie has changed", calls[index].name);
    interrupts_enable();
    clock_spin(100);
    interrupts_disable();
    check(timer_interrupts == 1, "%s: %u timer interrupts for one deadline", calls[index].name,
          timer_interrupts);
    timer_interrupts = 0;
}

/* An interrupt that is enabled and pending already; then one that is pending but not enabled. */
static void test_pending_before(unsigned index)
{
    struct suspend_result result;
    uint64_t start = clock_now();

    csr_set(sip, INTERRUPT_SOFTWARE);
    csr_write(sie, INTERRUPT_SOFTWARE);
    suspend(calls[index].extension, calls[index].function, calls[index].type, &result);
    check_state(calls[index].name, &result);
    csr_write(sie, INTERRUPT_TIMER);
    start = clock_now();
    sbi_set_timer(start + clock_ticks(SLEEP_US));
    suspend(calls[index].extension, calls[index].function, calls[index].type, &result);
    check_state(calls[index].name, &result);
    check(clock_now() - start >= clock_ticks(SLEEP_US), "%s: woken by what it has not enabled",
          calls[index].name);
    sbi_set_timer(UINT64_MAX);
    csr_clear(sip, INTERRUPT_SOFTWARE);
}

static void refuse(uint64_t type, uint64_t address, int64_t error)
{
    struct sbi_result result = sbi_call(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, type, address, 0);

    check(result.error == error, "type 0x%lx, address 0x%lx: error %ld, expected %ld", type,
          address, result.error, error);
}

static void test_refusals(void)
{
    static const uint64_t types[] = {1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xffffffff00000001};
    uint64_t end = platform.memory_base + platform.memory_size;
    struct sbi_result result;

    check(sbi_probe(SBI_EXT_SUSP), "extension SUSP is missing");
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        refuse(types[i], platform.memory_base, SBI_ERR_INVALID_PARAM);
    }
    refuse(0, 0, SBI_ERR_INVALID_ADDRESS);
    refuse(0, end, SBI_ERR_INVALID_ADDRESS);
    refuse(0, platform.memory_base - 2, SBI_ERR_INVALID_ADDRESS);
    refuse(0, platform.memory_base + 1, SBI_ERR_INVALID_ADDRESS);
    refuse(0, platform.uart_base, SBI_ERR_INVALID_ADDRESS);
    refuse(0, UINT64_MAX - 1, SBI_ERR_INVALID_ADDRESS);
    result = sbi_call(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND + 1, 0, platform.memory_base, 0);
    check(result.error == SBI_ERR_NOT_SUPPORTED, "function 1: error %ld", result.error);
}

/* A retentive suspend returns where it was called and changes a0 and a1 only. */
static void test_retentive(void)
{
    uint64_t start = clock_now();
    struct sbi_result result;

    csr_write(sie, INTERRUPT_TIMER);
    sbi_set_timer(start + clock_ticks(SLEEP_US));
    result = sbi_call(SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_RETENTIVE, 0, 0);
    check(result.error == SBI_SUCCESS && result.value == 0, "retentive: error %ld, value %lu",
          result.error, result.value);
    check(clock_now() - start >= clock_ticks(SLEEP_US), "a retentive suspend woke early");
    sbi_set_timer(UINT64_MAX);
}

void main(void)
{
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    interrupts_disable();
    test_refusals();
    for (unsigned index = 0; index < RESUME_TYPES; index++) {
        for (unsigned round = 0; round < 10; round++) {
            test_wakes_at_the_deadline(index);
            test_pending_before(index);
        }
    }
    test_retentive();
    check_pass();
}
