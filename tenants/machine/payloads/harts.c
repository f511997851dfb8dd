/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two harts in machine mode, which both come from reset: interrupts from one to the other by msip,
 * a timer and an external interrupt of the second one. What it prints is what the bare machine with
 * two harts prints; hart 0 prints all of it.
 *
 * Arguments: storm=1   both write the msip of both for ever
 */
#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"
#include "machine/tasks.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/uart.h"

#define PLIC 0xc000000
#define CONTEXT 2 /* machine mode of hart 1 */
#define PLIC_ENABLE (PLIC + 0x2000 + 0x80 * CONTEXT)
#define PLIC_THRESHOLD (PLIC + 0x200000 + 0x1000 * CONTEXT)
#define PLIC_CLAIM (PLIC + 0x200004 + 0x1000 * CONTEXT)
#define UART_SOURCE 10
#define ROUNDS 200
#define ADDITIONS 2000
#define STORM_ROUND 10000
/* Bytes of a device tree within which its structure begins. */
#define DEVICETREE_HEAD 4096

/* What hart 0 wants of hart 1, as a task of machine/tasks.h. */
enum task { ADD = 1, TAKE_SOFTWARE, TAKE_TIMER, TAKE_SET_TIMER, TAKE_EXTERNAL, WATCH, STORM };

static _Alignas(16) uint8_t stacks[HARTS][4096];
static volatile uint64_t arrived_as[3];
static volatile uint64_t software[HARTS];
static volatile uint64_t last_cause[HARTS];
static volatile uint32_t claimed;
static volatile uint64_t seen;
static uint64_t sum;
static bool echoes;

static void take_external(void)
{
    CSR_CLEAR(mie, INTERRUPT_MEI);
    claimed = REGISTER32(PLIC_CLAIM);
    uart_write(UART_INTERRUPT_ENABLE, 0);
    REGISTER32(PLIC_CLAIM) = UART_SOURCE;
    while (REGISTER32(PLIC_CLAIM) != 0) {
        REGISTER32(PLIC_CLAIM) = UART_SOURCE;
    }
}

void machine_trap(uint64_t *registers, uint64_t entry)
{
    uint64_t hart = CSR_READ(mhartid);
    uint64_t cause = CSR_READ(mcause);

    (void)registers;
    (void)entry;
    last_cause[hart] = cause;
    if (cause == (CAUSE_INTERRUPT | 3)) {
        MSIP_OF(hart) = 0;
        software[hart]++;
        if (hart == 1 && echoes) {
            MSIP_OF(0) = 1;
        }
    } else if (cause == (CAUSE_INTERRUPT | 7)) {
        MTIMECMP_OF(hart) = UINT64_MAX;
    } else if (cause == (CAUSE_INTERRUPT | 11)) {
        take_external();
    } else {
        print("hart %lu: mcause=0x%lx mepc=0x%lx mtval=0x%lx\n", hart, cause, CSR_READ(mepc),
              CSR_READ(mtval));
        MSIP_OF(hart) = 0;
        REGISTER32(FINISHER) = FINISHER_FAIL;
        for (;;) {
        }
    }
}

static void prepare(uint64_t hart)
{
    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, stacks[hart] + sizeof(stacks[hart]));
}

/* Waits for one interrupt of that kind, as an idle task does. */
static void await(uint64_t interrupt, volatile const uint64_t *count, uint64_t before)
{
    CSR_SET(mie, interrupt);
    while (*count == before) {
        CSR_SET(mstatus, MSTATUS_MIE);
        CSR_CLEAR(mstatus, MSTATUS_MIE);
        if (*count == before) {
            __asm__ volatile("wfi");
        }
    }
}

static void storm(void)
{
    uint64_t hart = CSR_READ(mhartid);

    CSR_WRITE(mie, INTERRUPT_MSI);
    for (uint64_t count = 1;; count++) {
        MSIP_OF(count % HARTS) = (uint32_t)(count >> 3);
        MSIP_OF(1 - hart) = 1;
        CSR_SET(mstatus, MSTATUS_MIE);
        CSR_CLEAR(mstatus, MSTATUS_MIE);
        if (hart == 0 && count % STORM_ROUND == 0) {
            print("storm: %lu, interrupts %lu %lu\n", count, software[0], software[1]);
        }
    }
}

static void add(void)
{
    for (unsigned i = 0; i < ADDITIONS; i++) {
        __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
    }
}

/* Its own msip as hart 0 writes it, seen in mip. */
static void watch(void)
{
    while ((CSR_READ(mip) & INTERRUPT_MSI) == 0) {
    }
    seen = 1;
    while ((CSR_READ(mip) & INTERRUPT_MSI) != 0) {
    }
    seen = 2;
}

static void wait_for(uint64_t cause)
{
    last_cause[1] = 0;
    CSR_WRITE(mie, INTERRUPT_MTI | INTERRUPT_MEI);
    CSR_SET(mstatus, MSTATUS_MIE);
    while (last_cause[1] != (CAUSE_INTERRUPT | cause)) {
    }
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    CSR_WRITE(mie, 0ul);
}

/* It sleeps, until hart 0 has set its timer. */
static void sleep_for_timer(void)
{
    last_cause[1] = 0;
    CSR_WRITE(mie, INTERRUPT_MTI);
    while (last_cause[1] == 0) {
        seen = 3;
        __asm__ volatile("wfi");
        CSR_SET(mstatus, MSTATUS_MIE);
        CSR_CLEAR(mstatus, MSTATUS_MIE);
    }
    CSR_WRITE(mie, 0ul);
}

static void carry_out(int wanted)
{
    switch (wanted) {
    case ADD:
        add();
        break;
    case TAKE_SOFTWARE:
        while (software[1] < ROUNDS) {
            await(INTERRUPT_MSI, &software[1], software[1]);
        }
        CSR_WRITE(mie, 0ul);
        break;
    case TAKE_TIMER:
        MTIMECMP_OF(1) = REGISTER64(MTIME) + 1000;
        wait_for(7);
        break;
    case TAKE_SET_TIMER:
        sleep_for_timer();
        break;
    case TAKE_EXTERNAL:
        wait_for(11);
        break;
    case WATCH:
        watch();
        break;
    case STORM:
        storm();
        break;
    default:
        break;
    }
}

void machine_second_main(uint64_t hart, uint64_t devicetree)
{
    arrived_as[0] = hart;
    arrived_as[1] = CSR_READ(mhartid);
    arrived_as[2] = (uintptr_t)platform.fdt.structure - devicetree < DEVICETREE_HEAD;
    MSIP_OF(1) = 0;
    CSR_WRITE(mie, 0ul);
    prepare(1);
    carry_out_all();
}

static void try_software(void)
{
    echoes = true;
    begin(TAKE_SOFTWARE);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        MSIP_OF(1) = 1;
        await(INTERRUPT_MSI, &software[0], round);
    }
    end();
    echoes = false;
    CSR_WRITE(mie, 0ul);
    print("software interrupts: %lu and %lu, mcause 0x%lx\n", software[0], software[1],
          last_cause[1]);
    begin(WATCH);
    MSIP_OF(1) = UINT32_MAX;
    print("msip of hart 1 reads %u\n", MSIP_OF(1));
    while (seen != 1) {
    }
    MSIP_OF(1) = 0;
    end();
    print("msip of hart 1 reads %u, and it has seen both\n", MSIP_OF(1));
}

static void try_timer_of_other(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        seen = 0;
        MTIMECMP_OF(1) = UINT64_MAX;
        begin(TAKE_SET_TIMER);
        while (seen != 3) {
        }
        if (round % 2 == 0) {
            MTIMECMP_OF(1) = REGISTER64(MTIME) + 100 * (round % 10);
        } else {
            REGISTER32(MTIMECMP + 8) = 0;
            REGISTER32(MTIMECMP + 12) = 0;
        }
        end();
    }
    print("timer set by hart 0: mcause 0x%lx, reads 0x%lx\n", last_cause[1], MTIMECMP_OF(1));
}

static void try_external(void)
{
    REGISTER32(PLIC + 4 * UART_SOURCE) = 1;
    REGISTER32(PLIC_ENABLE) = 1u << UART_SOURCE;
    REGISTER32(PLIC_THRESHOLD) = 0;
    begin(TAKE_EXTERNAL);
    uart_write(UART_INTERRUPT_ENABLE, 2); /* the transmitter is empty */
    end();
    REGISTER32(PLIC_ENABLE) = 0;
    print("hart 1 has claimed %u, mcause 0x%lx\n", claimed, last_cause[1]);
}

void main(void)
{
    print("harts\n");
    prepare(0);
    await_hart_1();
    print("hart %lu has come, mhartid %lu, the same device tree: %lu\n", arrived_as[0],
          arrived_as[1], arrived_as[2]);
    if (platform_number("storm", 0) != 0) {
        begin(STORM);
        storm();
    }
    begin(ADD);
    add();
    end();
    print("the sum of both is %lu\n", sum);
    try_software();
    begin(TAKE_TIMER);
    end();
    print("timer of hart 1: mcause 0x%lx\n", last_cause[1]);
    try_timer_of_other();
    try_external();
    print("PASS harts\n");
}
