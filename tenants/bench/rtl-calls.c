/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the monitor does for a tenant without a world switch, ROUNDS times each: SBI calls, a timer
 * interrupt, an emulated device register, and what this hart leaves to the monitor (rdtime,
 * misaligned accesses). A mark with the number of the operation comes before each kind, mark 0 at
 * the end: tool/cotenant/bench/rtl_figures.py reads them from the event log.
 */
#include "bench/results.h"
#include "rt/csr.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define ROUNDS 8
/* Ticks to a timer interrupt. */
#define SOON 3

enum operation {
    OPERATION_END = 0,
    OPERATION_SPEC_VERSION = 1,
    OPERATION_SET_TIMER = 2,
    OPERATION_SEND_IPI = 3,
    OPERATION_REMOTE_FENCE = 4,
    OPERATION_TIMER_INTERRUPT = 5,
    OPERATION_DEVICE_READ = 6,
    OPERATION_READ_TIME = 7,
    OPERATION_MISALIGNED_LOAD = 8,
};

static volatile uint64_t interrupts;
static uint64_t words[2];

static void on_timer(void)
{
    interrupts++;
    sbi_set_timer(UINT64_MAX);
}

static void get_spec_version(void)
{
    sbi_call(SBI_EXT_BASE, SBI_BASE_GET_SPEC_VERSION, 0, 0, 0);
}

static void set_timer(void)
{
    sbi_set_timer(UINT64_MAX);
}

static void send_ipi(void)
{
    sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, 1, 0, 0);
    csr_clear(sip, INTERRUPT_SOFTWARE);
}

static void remote_fence(void)
{
    sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, 1, 0, (uintptr_t)words, 4096, 0, 0);
}

static void timer_interrupt(void)
{
    uint64_t before = interrupts;

    sbi_set_timer(clock_now() + SOON);
    while (interrupts == before) {
    }
}

static void device_read(void)
{
    (void)*(volatile uint32_t *)(platform.plic_base + 4);
}

static void read_time(void)
{
    (void)clock_now();
}

static void misaligned_load(void)
{
    uint64_t value;

    __asm__ volatile("ld %0, 1(%1)" : "=r"(value) : "r"(words) : "memory");
}

static void measure(enum operation operation, void (*action)(void))
{
    results_mark(operation);
    for (unsigned i = 0; i < ROUNDS; i++) {
        action();
    }
}

void main(void)
{
    results_open();
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    csr_write(sie, INTERRUPT_TIMER);
    interrupts_enable();
    measure(OPERATION_SPEC_VERSION, get_spec_version);
    measure(OPERATION_SET_TIMER, set_timer);
    measure(OPERATION_SEND_IPI, send_ipi);
    measure(OPERATION_REMOTE_FENCE, remote_fence);
    measure(OPERATION_TIMER_INTERRUPT, timer_interrupt);
    measure(OPERATION_DEVICE_READ, device_read);
    measure(OPERATION_READ_TIME, read_time);
    measure(OPERATION_MISALIGNED_LOAD, misaligned_load);
    results_mark(OPERATION_END);
    results_pass("rtl-calls");
}
