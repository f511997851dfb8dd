/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the monitor does for a tenant without a world switch, ROUNDS times each: SBI calls, a timer
 * interrupt, an emulated device register, and what this hart leaves to the monitor (rdtime,
 * misaligned accesses). Before each kind comes the line of text "operation NUMBER NAME" and a mark
 * with that number, by which the event log is read; mark 0 is the end.
 */
#include "bench/results.h"
#include "rt/csr.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define ROUNDS 8
/* Ticks to a timer interrupt: later than any firmware needs to set it. */
#define SOON 30
#define PAGE 4096ul

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
    sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, 1, 0, (uintptr_t)words & ~(PAGE - 1), PAGE, 0,
              0);
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

static void measure(const char *name, void (*action)(void))
{
    static uint64_t number;

    number++;
    results_print("operation %lu %s\n", number, name);
    results_mark(number);
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
    measure("get_spec_version", get_spec_version);
    measure("set_timer", set_timer);
    measure("send_ipi", send_ipi);
    measure("remote_fence", remote_fence);
    measure("timer_interrupt", timer_interrupt);
    measure("read_time", read_time);
    measure("misaligned_load", misaligned_load);
    if (platform.plic_base != 0) {
        measure("device_read", device_read);
    }
    results_mark(0);
    results_end();
}
