/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine mode, line by line: its CSRs, traps from it and from U-mode, its timer, software and
 * external interrupts, direct and by a table. What it prints is what the bare machine prints.
 */
#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"
#include "machine/tell.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/uart.h"

#define PLIC 0xc000000
#define PLIC_ENABLE (PLIC + 0x2000) /* context 0: machine mode of hart 0 */
#define PLIC_THRESHOLD (PLIC + 0x200000)
#define PLIC_CLAIM (PLIC + 0x200004)
#define UART_SOURCE 10
#define NOTHING_THERE 0x80000
#define NEVER UINT64_MAX

static _Alignas(16) uint8_t handler_stack[4096];
static _Alignas(16) uint8_t user_stack[4096];
static volatile unsigned traps;
static volatile bool quiet;

static void tell_status(const char *when)
{
    uint64_t status = CSR_READ(mstatus);

    print("%s: mie=%lu mpie=%lu mpp=%lu mprv=%lu tw=%lu\n", when, status >> 3 & 1, status >> 7 & 1,
          status >> 11 & 3, status >> 17 & 1, status >> 21 & 1);
}

static void stop_interrupt(uint64_t cause)
{
    if (cause == 3) {
        REGISTER32(MSIP) = 0;
    } else if (cause == 7) {
        REGISTER64(MTIMECMP) = NEVER;
    } else {
        /* How often a level that falls again interrupts is the PLIC's affair. */
        CSR_CLEAR(mie, INTERRUPT_MEI);
        print("claimed %u\n", REGISTER32(PLIC_CLAIM));
        uart_write(UART_INTERRUPT_ENABLE, 0);
        REGISTER32(PLIC_CLAIM) = UART_SOURCE;
        while (REGISTER32(PLIC_CLAIM) != 0) {
            REGISTER32(PLIC_CLAIM) = UART_SOURCE;
        }
    }
}

void machine_trap(uint64_t *registers, uint64_t entry)
{
    uint64_t cause = CSR_READ(mcause);
    uint64_t pc = CSR_READ(mepc);

    (void)registers;
    traps++;
    if (!quiet) {
        print("trap mcause=0x%lx mtval=0x%lx entry=%lu\n", cause, CSR_READ(mtval), entry);
        tell_status("  in it");
    }
    if ((cause & CAUSE_INTERRUPT) != 0) {
        stop_interrupt(cause & ~CAUSE_INTERRUPT);
    } else if (cause == CAUSE_ECALL_FROM_U) {
        CSR_SET(mstatus, MSTATUS_MPP);
        CSR_WRITE(mepc, machine_user_done);
    } else {
        CSR_WRITE(mepc, pc + ((*(const uint16_t *)pc & 3) == 3 ? 4 : 2));
    }
}

static void try_registers(void)
{
    print("mhartid %lu misa 0x%lx\n", CSR_READ(mhartid), CSR_READ(misa) & 0xc000000000101105);
    WRITE_AND_READ(mscratch, 0x123456789abcdef0);
    WRITE_AND_READ(mepc, 0x80001236);
    WRITE_AND_READ(mcause, 11);
    WRITE_AND_READ(mcause, CAUSE_INTERRUPT | 7);
    WRITE_AND_READ(mcause, CAUSE_INTERRUPT | 3);
    WRITE_AND_READ(mtval, UINT64_MAX);
    WRITE_AND_READ(mtvec, (uint64_t)machine_vectors | 1);
    WRITE_AND_READ(mtvec, machine_direct);
    WRITE_AND_READ(mie, 0x888);
    WRITE_AND_READ(mie, 0);
    WRITE_AND_READ(mcounteren, 7);
    WRITE_AND_READ(pmpaddr1, 0x20000000);
    WRITE_AND_READ(pmpcfg0, 0);
    WRITE_AND_READ(pmpaddr0, (1ul << 54) - 1);
    WRITE_AND_READ(pmpcfg0, 0x1f);
    CSR_SET(mstatus, MSTATUS_MPIE | MSTATUS_MPP | MSTATUS_MPRV | MSTATUS_TW);
    tell_status("all set");
    CSR_CLEAR(mstatus, MSTATUS_MPIE | MSTATUS_MPP | MSTATUS_MPRV | MSTATUS_TW);
    tell_status("all clear");
    CSR_WRITE(mscratch, handler_stack + sizeof(handler_stack));
}

static void try_counters(void)
{
    uint64_t before = CSR_READ(mcycle);
    uint64_t after = CSR_READ(mcycle);

    print("mcycle goes on: %d\n", after > before);
    before = CSR_READ(minstret);
    print("minstret goes on: %d\n", CSR_READ(minstret) > before);
    CSR_WRITE(mcycle, 0ul);
    print("mcycle from 0: %d\n", CSR_READ(mcycle) < 100000);
    before = REGISTER64(MTIME);
    print("mtime is time: %d\n", CSR_READ(time) - before < 100000);
}

static void try_exceptions(void)
{
    TRY("ecall");
    TRY("ebreak");
    TRY("csrr t0, 0x7c0");
    TRY("csrw mhartid, t0");
    TRY(".4byte 0");
    print("load of nothing\n");
    (void)*(volatile uint64_t *)NOTHING_THERE;
    print("store to nothing\n");
    *(volatile uint32_t *)NOTHING_THERE = 1;
}

static void tell_pending(const char *when)
{
    print("%s: mip 0x%lx\n", when, CSR_READ(mip) & 0x888);
}

static void try_interrupts(const char *how)
{
    print("interrupts, %s\n", how);
    REGISTER64(MTIMECMP) = NEVER;
    REGISTER32(MSIP) = 1;
    tell_pending("msip");
    print("msip reads %u\n", REGISTER32(MSIP));
    REGISTER64(MTIMECMP) = 0;
    tell_pending("both");
    CSR_WRITE(mie, INTERRUPT_MSI | INTERRUPT_MTI);
    __asm__ volatile("wfi"); /* goes on: one is pending, though not taken */
    print("now\n");
    CSR_SET(mstatus, MSTATUS_MIE); /* the software interrupt comes first */
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    tell_pending("after");
    print("halves\n");
    REGISTER32(MTIMECMP + 4) = UINT32_MAX;
    REGISTER32(MTIMECMP) = 0x12345678;
    print("mtimecmp 0x%lx, 0x%x 0x%x\n", REGISTER64(MTIMECMP), REGISTER32(MTIMECMP),
          REGISTER32(MTIMECMP + 4));
    REGISTER64(MTIMECMP) = REGISTER64(MTIME) + 1000;
    traps = 0;
    quiet = true;
    CSR_SET(mstatus, MSTATUS_MIE);
    while (traps == 0) {
        __asm__ volatile("wfi");
    }
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    quiet = false;
    print("waited for %u, and it is past: %d\n", traps, REGISTER64(MTIME) >= 1000);
    CSR_WRITE(mie, 0ul);
}

static void try_external(void)
{
    REGISTER32(PLIC + 4 * UART_SOURCE) = 1;
    REGISTER32(PLIC_ENABLE) = 1u << UART_SOURCE;
    REGISTER32(PLIC_THRESHOLD) = 0;
    print("plic: priority %u enabled 0x%x threshold %u\n", REGISTER32(PLIC + 4 * UART_SOURCE),
          REGISTER32(PLIC_ENABLE), REGISTER32(PLIC_THRESHOLD));
    traps = 0;
    CSR_WRITE(mie, INTERRUPT_MEI);
    uart_write(UART_INTERRUPT_ENABLE, 2); /* the transmitter is empty */
    CSR_SET(mstatus, MSTATUS_MIE);
    while (traps == 0) {
    }
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    CSR_WRITE(mie, 0ul);
    tell_pending("external, after");
}

static void user(void)
{
    __asm__ volatile("csrr t0, mhartid\n" /* not for it */
                     "wfi\n"              /* TW */
                     "mret\n"
                     "ebreak\n"
                     "ecall\n"
                     :
                     :
                     : "t0", "memory");
}

static void user_without_counters(void)
{
    __asm__ volatile("rdcycle t0\n"
                     "rdtime t0\n"
                     "ecall\n"
                     :
                     :
                     : "t0", "memory");
}

static void try_user(void)
{
    print("user mode\n");
    CSR_SET(mstatus, MSTATUS_TW);
    machine_call_user(user, user_stack + sizeof(user_stack));
    CSR_CLEAR(mstatus, MSTATUS_TW | MSTATUS_MIE);
    tell_status("from user mode");
    CSR_WRITE(mcounteren, 0ul);
    machine_call_user(user_without_counters, user_stack + sizeof(user_stack));
    CSR_CLEAR(mstatus, MSTATUS_MIE);
}

void main(void)
{
    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, handler_stack + sizeof(handler_stack));
    tell_status("at first");
    for (unsigned turn = 0; turn < 2; turn++) { /* the second time it may be other instructions */
        try_registers();
        try_counters();
        try_exceptions();
        try_interrupts("direct");
        try_external();
        CSR_WRITE(mtvec, (uint64_t)machine_vectors | 1);
        try_exceptions();
        try_interrupts("by a table");
        try_external();
        try_user();
        CSR_WRITE(mtvec, machine_direct);
        try_user();
    }
    print("PASS csrs\n");
}
