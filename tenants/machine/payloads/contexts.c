/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two contexts of a hart in the interrupt controller, used at once: machine mode keeps some
 * sources, and the S-mode below it others. The sources are those of the UART and of the board's
 * clock. What it prints is what the bare machine prints.
 *
 * Arguments: storm=1   both modes do anything to both contexts for ever
 */
#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"
#include "machine/tell.h"
#include "rt/console.h"
#include "rt/goldfish_rtc.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/uart.h"

#define PLIC 0xc000000ul
#define PRIORITY(source) REGISTER32(PLIC + 4 * (source))
#define ENABLE(context) REGISTER32(PLIC + 0x2000 + 0x80 * (context))
#define THRESHOLD(context) REGISTER32(PLIC + 0x200000 + 0x1000 * (context))
#define CLAIM(context) REGISTER32(PLIC + 0x200004 + 0x1000 * (context))
#define UART_SOURCE 10u
#define MSTATUS_MPP_S 0x800ul
#define INTERRUPTS_S (INTERRUPT_SOFTWARE | INTERRUPT_TIMER | INTERRUPT_EXTERNAL)
#define EXTERNAL (INTERRUPT_MEI | INTERRUPT_EXTERNAL)
#define CAUSE_ECALL_FROM_S 9
#define EVENTS 8
#define STORM_ROUND 400

/* Their numbers are those of the contexts. */
enum mode { MACHINE, SUPERVISOR, MODES };

/* An interrupt that has been taken; told later, when the UART is nobody's. */
struct event {
    enum mode mode;
    uint32_t source;
    uint32_t then;    /* what is there to be claimed after it */
    uint64_t pending; /* mip at the start of the handler, of machine mode only */
    uint64_t from;    /* the mode that was interrupted */
};

static _Alignas(16) uint8_t machine_stack[4096];
static _Alignas(16) uint8_t stack[4096];
static struct goldfish_rtc rtc;
static struct event events[EVENTS];
static volatile unsigned happened;
static volatile unsigned served[MODES];
static volatile bool storming;

static void fail(const char *what, uint64_t cause, uint64_t pc)
{
    print("FAIL contexts: %s=0x%lx at 0x%lx\n", what, cause, pc);
    REGISTER32(FINISHER) = FINISHER_FAIL;
    for (;;) {
    }
}

static void ask(uint32_t source)
{
    if (source == UART_SOURCE) {
        uart_write(UART_INTERRUPT_ENABLE, UART_IER_TRANSMIT_EMPTY);
    } else {
        goldfish_rtc_set_alarm(&rtc, 0);
    }
}

static void quiet(uint32_t source)
{
    if (source == UART_SOURCE) {
        uart_write(UART_INTERRUPT_ENABLE, 0);
    } else if (source != 0) {
        goldfish_rtc_acknowledge(&rtc);
    }
}

static void serve(enum mode mode, uint64_t pending, uint64_t from)
{
    struct event *event = &events[happened % EVENTS];
    uint32_t source = CLAIM(mode);

    quiet(source);
    CLAIM(mode) = source;
    *event = (struct event){mode, source, storming ? 0 : CLAIM(mode), pending, from};
    happened++;
    served[mode]++;
}

static void tell_events(void)
{
    static const char *const names[] = {"machine", "  supervisor"};

    for (unsigned i = 0; i < happened; i++) {
        const struct event *event = &events[i];

        print("%s: source %u, then %u; from mode %lu, pending 0x%lx\n", names[event->mode],
              event->source, event->then, event->from, event->pending);
    }
    happened = 0;
}

void machine_trap(uint64_t *registers, uint64_t entry)
{
    uint64_t cause = CSR_READ(mcause);
    uint64_t status = CSR_READ(mstatus);

    (void)entry;
    (void)registers;
    if (cause == (CAUSE_INTERRUPT | 11)) {
        serve(MACHINE, CSR_READ(mip) & EXTERNAL, status >> 11 & 3);
    } else if (cause == CAUSE_ECALL_FROM_S) {
        CSR_SET(mstatus, MSTATUS_MPP);
        CSR_WRITE(mepc, machine_user_done);
    } else if (storming) {
        CSR_CLEAR(mie, ~INTERRUPT_MEI);
        CSR_CLEAR(mip, ~0ul);
    } else {
        fail("mcause", cause, CSR_READ(mepc));
    }
}

void supervisor_trap(uint64_t *registers)
{
    uint64_t cause = CSR_READ(scause);

    (void)registers;
    if (cause == (CAUSE_INTERRUPT | CAUSE_INTERRUPT_EXTERNAL)) {
        serve(SUPERVISOR, 0, CSR_READ(sstatus) >> 8 & 1);
    } else if (storming) {
        CSR_CLEAR(sie, ~INTERRUPT_EXTERNAL);
    } else {
        fail("scause", cause, CSR_READ(sepc));
    }
}

static void run_below(void (*function)(void))
{
    CSR_SET(mstatus, MSTATUS_MPIE);
    machine_call_supervisor(function, stack + sizeof(stack));
    CSR_CLEAR(mstatus, MSTATUS_MIE);
}

static void back(void)
{
    __asm__ volatile("ecall" : : : "memory");
}

static void try_registers(void)
{
    for (unsigned context = 0; context < MODES; context++) {
        ENABLE(context) = 1u << (context == MACHINE ? rtc.source : UART_SOURCE);
        THRESHOLD(context) = 3 + context;
    }
    for (unsigned context = 0; context < MODES; context++) {
        print("context %u: enable 0x%x, threshold %u\n", context, ENABLE(context),
              THRESHOLD(context));
    }
    WRITE_AND_READ(mideleg, EXTERNAL);
    WRITE_AND_READ(mie, EXTERNAL);
    print("sie 0x%lx\n", CSR_READ(sie));
    CSR_WRITE(mie, 0ul);
}

/* Which lines rise for a source of priority 3, and who gets it. */
static void try_lines(uint32_t source)
{
    for (unsigned i = 0; i < 16; i++) {
        uint64_t before;
        uint64_t after;
        uint32_t claimed[MODES];

        for (unsigned context = 0; context < MODES; context++) {
            ENABLE(context) = (i >> context & 1) << source;
            THRESHOLD(context) = (i >> (2 + context) & 1) * 3;
        }
        PRIORITY(source) = 3;
        ask(source);
        before = CSR_READ(mip) & EXTERNAL;
        claimed[MACHINE] = CLAIM(MACHINE);
        after = CSR_READ(mip) & EXTERNAL;
        claimed[SUPERVISOR] = CLAIM(SUPERVISOR);
        quiet(source);
        for (unsigned context = 0; context < MODES; context++) {
            CLAIM(context) = claimed[context];
        }
        print("%u: lines 0x%lx, then 0x%lx; claimed %u %u; at last 0x%lx\n", i, before, after,
              claimed[MACHINE], claimed[SUPERVISOR], CSR_READ(mip) & EXTERNAL);
        /* What nobody has claimed is gone, as soon as somebody could. */
        PRIORITY(source) = 7;
        ENABLE(MACHINE) = 1u << source;
        THRESHOLD(MACHINE) = 0;
        CLAIM(MACHINE) = CLAIM(MACHINE);
    }
}

/* Whose the sources are from now on. */
static uint32_t of[MODES];

static void share(uint32_t of_machine, uint32_t of_supervisor)
{
    of[MACHINE] = of_machine;
    of[SUPERVISOR] = of_supervisor;
    for (unsigned context = 0; context < MODES; context++) {
        PRIORITY(of[context]) = 1;
        ENABLE(context) = 1u << of[context];
        THRESHOLD(context) = 0;
    }
    CSR_WRITE(mideleg, INTERRUPTS_S);
    CSR_WRITE(mie, INTERRUPT_MEI);
    CSR_WRITE(sie, INTERRUPT_EXTERNAL);
}

/* Each mode gets its own, whatever S-mode enables; both at once: machine mode is first. */
static void supervisor(void)
{
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned mode = 0; mode < MODES; mode++) {
            unsigned before = served[mode];

            ask(of[mode]);
            while (served[mode] == before) {
            }
        }
        CSR_CLEAR(sstatus, SSTATUS_SIE);
        ask(of[SUPERVISOR]);
        ask(of[MACHINE]);
        CSR_SET(sstatus, SSTATUS_SIE);
        while (happened < (round + 1) * 4) {
        }
    }
    CSR_CLEAR(sstatus, SSTATUS_SIE);
    back();
}

static void begin_supervisor(void)
{
    CSR_SET(sstatus, SSTATUS_SIE);
    supervisor();
}

static void try_both(uint32_t of_machine, uint32_t of_supervisor)
{
    print("machine mode has %u, S-mode has %u\n", of_machine, of_supervisor);
    share(of_machine, of_supervisor);
    run_below(begin_supervisor);
    tell_events();
}

/* Nobody sleeps while something is there for machine mode, delegated interrupts or not. */
static void sleep_below(void)
{
    ask(of[MACHINE]); /* taken before the next instruction, or a few later */
    while (served[MACHINE] == 0) {
        __asm__ volatile("wfi");
    }
    back();
}

static void try_sleep(void)
{
    print("asleep\n");
    share(rtc.source, UART_SOURCE);
    ask(of[MACHINE]);
    __asm__ volatile("wfi");
    print("machine mode woke, pending 0x%lx\n", CSR_READ(mip) & EXTERNAL);
    CSR_SET(mstatus, MSTATUS_MIE);
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    tell_events();
    served[MACHINE] = 0;
    run_below(sleep_below);
    tell_events();
}

static void disturb(struct random *random)
{
    uint64_t bits = random_next(random);
    uint32_t source = (bits & 1) != 0 ? UART_SOURCE : rtc.source;
    unsigned context = bits >> 1 & 3;
    uint32_t value = (uint32_t)(bits >> 32);

    switch (bits >> 3 & 7) {
    case 0:
        PRIORITY(source) = value;
        break;
    case 1:
        ENABLE(context) = value;
        break;
    case 2:
        THRESHOLD(context) = value & 1;
        break;
    case 3:
        (void)CLAIM(context);
        break;
    case 4:
        CLAIM(context) = source;
        break;
    case 5:
        quiet(source);
        break;
    default:
        ask(source);
        break;
    }
}

static struct random below;

static void storm_below(void)
{
    for (unsigned i = 0; i < 10; i++) {
        disturb(&below);
        CSR_SET(sstatus, SSTATUS_SIE);
    }
    CSR_CLEAR(sstatus, SSTATUS_SIE);
    back();
}

static void storm(void)
{
    struct random random = random_from(1);

    storming = true;
    below = random_from(2);
    for (uint64_t round = 1;; round++) {
        uint64_t bits = random_next(&random);

        CSR_WRITE(mideleg, bits & 0xfff);
        CSR_WRITE(mie, bits >> 12 & EXTERNAL);
        disturb(&random);
        CSR_SET(mstatus, MSTATUS_MIE);
        CSR_CLEAR(mstatus, MSTATUS_MIE);
        run_below(storm_below);
        if (round % STORM_ROUND == 0) {
            quiet(UART_SOURCE);
            print("storm: %lu, interrupts %u %u\n", round, served[MACHINE], served[SUPERVISOR]);
        }
    }
}

void main(void)
{
    print("contexts\n");
    if (!goldfish_rtc_find(&rtc)) {
        fail("no clock", 0, 0);
    }
    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, machine_stack + sizeof(machine_stack));
    CSR_WRITE(stvec, supervisor_entry);
    CSR_WRITE(pmpaddr0, (1ul << 54) - 1);
    CSR_WRITE(pmpcfg0, 0x1ful);
    REGISTER64(MTIMECMP) = UINT64_MAX;
    if (platform_number("storm", 0) != 0) {
        storm();
    }
    try_registers();
    try_lines(UART_SOURCE);
    try_both(rtc.source, UART_SOURCE);
    try_both(UART_SOURCE, rtc.source);
    try_sleep();
    print("PASS contexts\n");
}
