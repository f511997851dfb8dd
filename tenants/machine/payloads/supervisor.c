/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * S-mode and U-mode below machine mode: traps that are delegated and traps that are not, Sv39,
 * interrupts of machine mode that become those of S-mode, loads and stores with MPRV, TVM, TW and
 * TSR. What it prints is what the bare machine prints.
 *
 * Arguments: hostile=ADDRESS   tries as well what is at that address, which is another's: in vain
 */
#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"
#include "machine/tell.h"
#include "rt/console.h"
#include "rt/platform.h"

#define MSTATUS_MPP_S 0x800ul
#define MSTATUS_SUM 0x40000ul
#define MSTATUS_MXR 0x80000ul
#define MSTATUS_TVM 0x100000ul
#define MSTATUS_TSR 0x400000ul
#define MSTATUS_FS 0x6000ul
#define INTERRUPTS_S (INTERRUPT_SOFTWARE | INTERRUPT_TIMER | INTERRUPT_EXTERNAL)
#define CAUSE_ECALL_FROM_S 9
#define NEVER UINT64_MAX
#define MENVCFG_STCE (1ul << 63)
#define FREQUENCY_FRACTION 1000 /* ticks */

/* Calls of S-mode to machine mode, in a7. */
#define CALL_END 0
#define CALL_TIMER 1
#define CALL_WRITE_MSTATUS 2
#define CALL_EXTERNAL 3

#define PTE_V 0x1ul
#define PTE_R 0x2ul
#define PTE_W 0x4ul
#define PTE_X 0x8ul
#define PTE_U 0x10ul
#define PTE_A 0x40ul
#define PTE_D 0x80ul
#define PTE_ALL (PTE_V | PTE_R | PTE_W | PTE_X | PTE_A | PTE_D)
#define GIGABYTE 0x40000000ul
#define LARGE_PAGE 0x200000ul
#define NOWHERE 0x300000000ul
#define ALIAS 0x200000000ul      /* of a page, by three levels */
#define USER_ALIAS 0x240000000ul /* of the payload, for U-mode */

static _Alignas(16) uint8_t machine_stack[4096];
static _Alignas(16) uint8_t stack[8192];
static _Alignas(4096) uint64_t root[512];
static _Alignas(4096) uint64_t middle[512];
static _Alignas(4096) uint64_t leaf[512];
static _Alignas(4096) uint64_t user_middle[512];
static _Alignas(4096) volatile uint64_t page[512];
static volatile unsigned ticks;
static volatile bool quiet;
static volatile bool own_timer; /* S-mode has stimecmp */
static volatile bool lost_way;  /* no instruction of S-mode can be fetched */

static uint64_t call(uint64_t number, uint64_t argument)
{
    register uint64_t a0 __asm__("a0") = argument;
    register uint64_t a7 __asm__("a7") = number;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

static uint64_t next_instruction(uint64_t pc)
{
    uint64_t place = pc >= USER_ALIAS ? pc - USER_ALIAS + 2 * GIGABYTE : pc;

    return pc + ((*(const uint16_t *)place & 3) == 3 ? 4 : 2);
}

static uint64_t serve(uint64_t number, uint64_t argument)
{
    if (number == CALL_TIMER) {
        CSR_CLEAR(mip, INTERRUPT_TIMER);
        REGISTER64(MTIMECMP) = argument == NEVER ? NEVER : REGISTER64(MTIME) + argument;
        CSR_SET(mie, INTERRUPT_MTI);
        return 0;
    }
    if (number == CALL_WRITE_MSTATUS) {
        CSR_CLEAR(mstatus, MSTATUS_TVM | MSTATUS_TW | MSTATUS_TSR);
        CSR_SET(mstatus, argument);
    }
    if (number == CALL_EXTERNAL) { /* by the bit of its own, and the others stay */
        if (argument != 0) {
            CSR_SET(mip, INTERRUPT_EXTERNAL);
        } else {
            CSR_CLEAR(mip, INTERRUPT_EXTERNAL);
        }
        return CSR_READ(mip) & INTERRUPTS_S;
    }
    return CSR_READ(mstatus);
}

void machine_trap(uint64_t *registers, uint64_t entry)
{
    uint64_t cause = CSR_READ(mcause);
    uint64_t pc = CSR_READ(mepc);

    (void)entry;
    if (cause == (CAUSE_INTERRUPT | 7)) { /* it becomes S-mode's */
        CSR_CLEAR(mie, INTERRUPT_MTI);
        CSR_SET(mip, INTERRUPT_TIMER);
        return;
    }
    if (!quiet) {
        print("machine: mcause=0x%lx mtval=0x%lx mpp=%lu mpie=%lu\n", cause, CSR_READ(mtval),
              CSR_READ(mstatus) >> 11 & 3, CSR_READ(mstatus) >> 7 & 1);
    }
    if ((cause & CAUSE_INTERRUPT) != 0) {
        REGISTER32(MSIP) = 0;
        CSR_CLEAR(mip, INTERRUPTS_S);
        return;
    }
    if (lost_way) {
        CSR_WRITE(satp, 0ul);
        lost_way = false;
        CSR_WRITE(mepc, pc);
        return;
    }
    if (cause == CAUSE_ECALL_FROM_U) { /* it ends: back to the S-mode that called it */
        CSR_SET(mstatus, MSTATUS_MPP_S);
    }
    CSR_WRITE(mepc, cause == CAUSE_ECALL_FROM_U || cause == CAUSE_FETCH_ACCESS ||
                            cause == CAUSE_FETCH_PAGE
                        ? registers[1]
                        : next_instruction(pc));
    if (cause != CAUSE_ECALL_FROM_S &&
        !(cause == CAUSE_ECALL_FROM_U && registers[17] == CALL_END)) {
        return;
    }
    if (registers[17] == CALL_END) {
        CSR_SET(mstatus, MSTATUS_MPP);
        CSR_WRITE(mepc, machine_user_done);
        return;
    }
    registers[10] = serve(registers[17], registers[10]);
}

void supervisor_trap(uint64_t *registers)
{
    uint64_t cause = CSR_READ(scause);
    uint64_t pc = CSR_READ(sepc);

    if (cause == (CAUSE_INTERRUPT | CAUSE_INTERRUPT_TIMER)) {
        ticks++;
        if (own_timer) {
            CSR_WRITE(stimecmp, ticks < 5 ? CSR_READ(time) + FREQUENCY_FRACTION : NEVER);
            return;
        }
        call(CALL_TIMER, ticks < 5 ? FREQUENCY_FRACTION : NEVER);
        return;
    }
    if (!quiet) {
        print("  supervisor: scause=0x%lx stval=0x%lx spp=%lu spie=%lu\n", cause, CSR_READ(stval),
              CSR_READ(sstatus) >> 8 & 1, CSR_READ(sstatus) >> 5 & 1);
    }
    if ((cause & CAUSE_INTERRUPT) != 0) {
        CSR_CLEAR(sip, INTERRUPT_SOFTWARE);
        call(CALL_EXTERNAL, 0);
        return;
    }
    if (cause == 8) { /* U-mode ends: back to the S-mode that called it */
        CSR_SET(sstatus, SSTATUS_SPP);
        CSR_WRITE(sepc, registers[1]);
    } else if (cause == CAUSE_FETCH_ACCESS || cause == CAUSE_FETCH_PAGE) {
        CSR_WRITE(sepc, registers[1]);
    } else {
        CSR_WRITE(sepc, next_instruction(pc));
    }
}

static void tell_status(const char *when)
{
    uint64_t status = CSR_READ(mstatus);

    print("%s: sie=%lu mie=%lu spie=%lu mpie=%lu spp=%lu mpp=%lu rest=0x%lx\n", when,
          status >> 1 & 1, status >> 3 & 1, status >> 5 & 1, status >> 7 & 1, status >> 8 & 1,
          status >> 11 & 3, status & 0x7e0000);
}

/* `function` in S-mode, or U-mode, until it calls CALL_END. */
static void run_below(void (*function)(void), uint64_t mode)
{
    CSR_SET(mstatus, MSTATUS_MPIE);
    if (mode == 0) {
        machine_call_user(function, stack + sizeof(stack));
    } else {
        machine_call_supervisor(function, stack + sizeof(stack));
    }
    CSR_CLEAR(mstatus, MSTATUS_MIE);
}

static void try_registers(void)
{
    print("misa has S and U: %d\n", (CSR_READ(misa) & 0x140000) == 0x140000);
    WRITE_AND_READ(mideleg, 0);
    WRITE_AND_READ(mideleg, INTERRUPTS_S);
    WRITE_AND_READ(medeleg, 0xb109);
    WRITE_AND_READ(mie, INTERRUPTS_S);
    WRITE_AND_READ(sie, 0);
    WRITE_AND_READ(sie, 0xfff);
    print("mie 0x%lx\n", CSR_READ(mie));
    WRITE_AND_READ(mie, 0);
    WRITE_AND_READ(stvec, supervisor_entry);
    WRITE_AND_READ(sscratch, 0x1234);
    WRITE_AND_READ(sepc, 0x80001236);
    WRITE_AND_READ(scause, 13);
    WRITE_AND_READ(stval, 0x5678);
    WRITE_AND_READ(mscratch, machine_stack + sizeof(machine_stack));
    WRITE_AND_READ(mepc, 0x80001232);
    WRITE_AND_READ(mcause, 9);
    WRITE_AND_READ(mtval, 1);
    print("apart: sscratch 0x%lx sepc 0x%lx scause 0x%lx stval 0x%lx\n", CSR_READ(sscratch),
          CSR_READ(sepc), CSR_READ(scause), CSR_READ(stval));
    WRITE_AND_READ(satp, 7ul << 60);
    WRITE_AND_READ(satp, SATP_MODE_SV39 | (uint64_t)root >> 12);
    WRITE_AND_READ(satp, 0);
    WRITE_AND_READ(scounteren, 7);
    WRITE_AND_READ(mcounteren, 7);
    WRITE_AND_READ(mip, INTERRUPT_SOFTWARE | INTERRUPT_TIMER);
    print("sip 0x%lx\n", CSR_READ(sip));
    WRITE_AND_READ(sip, 0);
    WRITE_AND_READ(mip, 0);
    CSR_SET(mstatus, SSTATUS_SIE | SSTATUS_SPIE | SSTATUS_SPP | MSTATUS_MPP | MSTATUS_SUM |
                         MSTATUS_MXR | MSTATUS_TVM | MSTATUS_TW | MSTATUS_TSR);
    tell_status("all set");
    WRITE_AND_READ(sstatus, 0);
    CSR_CLEAR(mstatus, MSTATUS_MPP);
    CSR_SET(mstatus, MSTATUS_MPP_S);
    tell_status("all clear");
    CSR_CLEAR(mstatus, MSTATUS_TVM | MSTATUS_TW | MSTATUS_TSR);
}

static void map(void)
{
    for (unsigned i = 0; i < 4; i++) {
        root[i] = (i * GIGABYTE >> 12) << 10 | PTE_ALL;
    }
    root[ALIAS / GIGABYTE] = (uint64_t)middle >> 12 << 10 | PTE_V;
    middle[0] = (uint64_t)leaf >> 12 << 10 | PTE_V;
    leaf[0] = (uint64_t)page >> 12 << 10 | PTE_ALL;
    leaf[1] = (uint64_t)page >> 12 << 10 | PTE_V | PTE_R | PTE_A;
    leaf[2] = (uint64_t)page >> 12 << 10 | PTE_ALL | PTE_U;
    leaf[3] = (uint64_t)page >> 12 << 10 | PTE_V | PTE_X | PTE_A;
    root[USER_ALIAS / GIGABYTE] = (uint64_t)user_middle >> 12 << 10 | PTE_V;
    for (unsigned i = 0; i < 2; i++) {
        user_middle[i] = ((2 * GIGABYTE + i * LARGE_PAGE) >> 12) << 10 | PTE_ALL | PTE_U;
    }
    CSR_WRITE(satp, SATP_MODE_SV39 | (uint64_t)root >> 12);
    __asm__ volatile("sfence.vma" : : : "memory");
}

static void load(uint64_t address)
{
    print("load 0x%lx\n", address);
    (void)*(volatile uint64_t *)address;
}

static void store(uint64_t address)
{
    print("store 0x%lx\n", address);
    *(volatile uint64_t *)address = 0x77;
}

static void jump(uint64_t address)
{
    print("jump 0x%lx\n", address);
    ((void (*)(void))address)();
}

/* By its alias for U-mode; it has no stack and calls back by an environment call. */
static void user(void)
{
    __asm__ volatile("csrr t0, sstatus\n"
                     "csrr t0, mstatus\n"
                     "sfence.vma\n"
                     "sret\n"
                     "ebreak\n"
                     "rdtime t0\n"
                     "ld t0, 0(zero)\n"
                     "li a7, 1\n"
                     "ecall\n"
                     :
                     :
                     : "t0", "a7", "memory");
}

static void call_user(void)
{
    print("user mode\n");
    CSR_CLEAR(sstatus, SSTATUS_SPP);
    CSR_WRITE(sepc, (uint64_t)user - 2 * GIGABYTE + USER_ALIAS);
    __asm__ volatile("lla ra, 1f\n"
                     "sret\n"
                     "1:\n"
                     :
                     :
                     : "ra", "t0", "t1", "memory");
}

/* Both handlers print from it: without translation of what they print by. */
static void supervisor(void)
{
    print("in S-mode: sstatus 0x%lx\n", CSR_READ(sstatus) & 0x80122);
    TRY("csrr t0, mstatus");
    TRY("mret");
    TRY(".4byte 0");
    TRY("ebreak");
    print("sscratch 0x%lx\n", CSR_READ(sscratch));
    CSR_WRITE(sscratch, 0x4321ul);
    map();
    print("translated\n");
    *(volatile uint64_t *)ALIAS = 0xabcdef;
    print("page 0x%lx\n", page[0]);
    load(NOWHERE);
    store(NOWHERE);
    jump(NOWHERE);
    load(ALIAS + 0x1000);
    store(ALIAS + 0x1000);
    load(ALIAS + 0x2000); /* U-mode's, and SUM is 0 */
    CSR_SET(sstatus, SSTATUS_SUM);
    load(ALIAS + 0x2000);
    CSR_CLEAR(sstatus, SSTATUS_SUM);
    load(0x80000); /* nothing is there */
    leaf[0] = 0;
    __asm__ volatile("sfence.vma" : : : "memory");
    load(ALIAS);
    call_user();
    print("interrupts\n");
    CSR_WRITE(sie, INTERRUPTS_S);
    CSR_SET(sstatus, SSTATUS_SIE);
    CSR_SET(sip, INTERRUPT_SOFTWARE);
    call(CALL_TIMER, FREQUENCY_FRACTION);
    while (ticks < 5) {
        __asm__ volatile("wfi");
    }
    CSR_CLEAR(sstatus, SSTATUS_SIE);
    print("ticks %u\n", ticks);
    call(CALL_TIMER, 0);
    while ((CSR_READ(sip) & INTERRUPT_TIMER) == 0) {
    }
    print("pending 0x%lx\n", CSR_READ(sip));
    __asm__ volatile("wfi");
    call(CALL_TIMER, NEVER);
    print("pending 0x%lx\n", CSR_READ(sip));
    print("traps of machine mode\n");
    call(CALL_WRITE_MSTATUS, MSTATUS_TVM | MSTATUS_TW | MSTATUS_TSR);
    TRY("csrr t0, satp");
    TRY("sfence.vma");
    TRY("sret");
    call(CALL_WRITE_MSTATUS, 0);
    TRY("csrr t0, satp");
    TRY("sfence.vma");
    call(CALL_END, 0);
}

/* A load and a store as by S-mode or U-mode. */
static void modified(uint64_t address, uint64_t mode, uint64_t more)
{
    uint64_t status = CSR_READ(mstatus);
    uint64_t value = 0;
    uint64_t half = 0;
    uint64_t stored = 0xfedcba9876543210;

    print("as by mode %lu: 0x%lx\n", mode >> 11, address);
    __asm__ volatile("csrw mstatus, %4\n"
                     "ld %0, 0(%2)\n"
                     "csrw mstatus, %4\n" /* an exception has left U-mode in MPP */
                     "lh %1, 6(%2)\n"
                     "csrw mstatus, %4\n"
                     "sd %3, 8(%2)\n"
                     "csrw mstatus, %5\n"
                     : "+&r"(value), "+&r"(half)
                     : "r"(address), "r"(stored),
                       "r"((status & ~MSTATUS_MPP) | mode | more | MSTATUS_MPRV), "r"(status)
                     : "memory");
    print("0x%lx 0x%lx, page 0x%lx\n", value, half, page[1]);
    page[1] = 0;
}

/* The same of floating-point registers. */
static void modified_floating(uint64_t address, uint64_t mode)
{
    uint64_t status = CSR_READ(mstatus);

    print("floating point as by mode %lu: 0x%lx\n", mode >> 11, address);
    __asm__ volatile(".option push\n"
                     ".option arch, +d, +c\n"
                     "csrw mstatus, %1\n"
                     "fld ft0, 0(%0)\n"
                     "csrw mstatus, %1\n"
                     "fsd ft0, 8(%0)\n"
                     "csrw mstatus, %1\n"
                     "flw ft1, 4(%0)\n"
                     "csrw mstatus, %1\n"
                     "fsw ft1, 24(%0)\n"
                     "csrw mstatus, %1\n"
                     "fsd ft1, 16(%0)\n"
                     "csrw mstatus, %2\n"
                     ".option pop\n"
                     :
                     : "r"(address),
                       "r"((status & ~MSTATUS_MPP) | mode | MSTATUS_MPRV | MSTATUS_FS), "r"(status)
                     : "memory");
    print("page 0x%lx 0x%lx 0x%lx\n", page[1], page[2], page[3]);
    page[1] = 0;
}

static void try_modified(void)
{
    leaf[0] = (uint64_t)page >> 12 << 10 | PTE_ALL;
    page[0] = 0x8123456789abcdef;
    modified((uint64_t)page, MSTATUS_MPP, 0);
    modified(ALIAS, MSTATUS_MPP_S, 0);
    modified(ALIAS, 0, 0);
    modified(ALIAS + 0x1000, MSTATUS_MPP_S, 0);
    modified(ALIAS + 0x2000, MSTATUS_MPP_S, 0);
    modified(ALIAS + 0x2000, MSTATUS_MPP_S, MSTATUS_SUM);
    modified(ALIAS + 0x2000, 0, 0);
    modified(ALIAS + 0x3000, MSTATUS_MPP_S, 0);
    modified(ALIAS + 0x3000, MSTATUS_MPP_S, MSTATUS_MXR);
    modified(NOWHERE, MSTATUS_MPP_S, 0);
    modified_floating(ALIAS, MSTATUS_MPP_S);
    modified_floating(ALIAS + 0x1000, MSTATUS_MPP_S);
    modified_floating(ALIAS + 0x2000, 0);
}

static void supervisor_confined(void)
{
    CSR_WRITE(satp, 0ul);
    load((uint64_t)page);
    store((uint64_t)page + 8);
    load((uint64_t)stack);
    map();
    load(ALIAS);
    store(ALIAS + 8);
    load(ALIAS + 0x2000 - 0x1000);
    call(CALL_END, 0);
}

/* What machine mode's PMP entries take from S-mode: a page, or the tables that lead to it. */
static void try_protection(void)
{
    const volatile uint64_t *taken[] = {page, leaf, middle};

    print("PMP\n");
    CSR_WRITE(pmpaddr1, (1ul << 54) - 1);
    for (unsigned i = 0; i < 3; i++) {
        print("without 0x%lx\n", (uint64_t)taken[i]);
        CSR_WRITE(pmpaddr0, (uint64_t)taken[i] >> 2 | 0x1ff);
        CSR_WRITE(pmpcfg0, 0x1f18ul);
        run_below(supervisor_confined, MSTATUS_MPP_S);
        modified(ALIAS, MSTATUS_MPP_S, 0);
    }
    CSR_WRITE(pmpcfg0, 0x1f19ul); /* now it may be read */
    CSR_WRITE(pmpaddr0, (uint64_t)page >> 2 | 0x1ff);
    run_below(supervisor_confined, MSTATUS_MPP_S);
    modified(ALIAS, MSTATUS_MPP_S, 0);
    CSR_WRITE(satp, 0ul);
    CSR_WRITE(pmpcfg0, 0ul);
    CSR_WRITE(pmpaddr0, (1ul << 54) - 1);
    CSR_WRITE(pmpcfg0, 0x1ful);
}

/* Where the hart has Sstc: S-mode's own timer, if machine mode lets it have that. */
static void supervisor_timer(void)
{
    ticks = 0;
    CSR_WRITE(stimecmp, CSR_READ(time) + FREQUENCY_FRACTION);
    CSR_WRITE(sie, INTERRUPT_TIMER);
    CSR_SET(sstatus, SSTATUS_SIE);
    while (ticks < 5) {
        __asm__ volatile("wfi");
    }
    CSR_CLEAR(sstatus, SSTATUS_SIE);
    CSR_WRITE(stimecmp, NEVER);
    call(CALL_END, 0);
}

static bool has_stimecmp(void)
{
    uint64_t value = 0x55;

    __asm__ volatile("csrr %0, stimecmp" : "+r"(value)); /* an exception leaves it as it is */
    return value != 0x55;
}

static void try_timer_of_supervisor(void)
{
    CSR_WRITE(mcounteren, 7ul);
    CSR_WRITE(mideleg, INTERRUPTS_S);
    WRITE_AND_READ(menvcfg, 0);
    if (!has_stimecmp()) {
        print("no stimecmp\n");
        return;
    }
    CSR_WRITE(menvcfg, MENVCFG_STCE);
    print("menvcfg 0x%lx\n", CSR_READ(menvcfg));
    WRITE_AND_READ(stimecmp, NEVER);
    print("mip 0x%lx\n", CSR_READ(mip) & INTERRUPT_TIMER);
    WRITE_AND_READ(stimecmp, 0);
    print("mip 0x%lx\n", CSR_READ(mip) & INTERRUPT_TIMER);
    CSR_CLEAR(mip, INTERRUPT_TIMER); /* it is the comparison's */
    print("mip 0x%lx\n", CSR_READ(mip) & INTERRUPT_TIMER);
    CSR_WRITE(stimecmp, NEVER);
    CSR_SET(mip, INTERRUPT_TIMER);
    print("mip 0x%lx\n", CSR_READ(mip) & INTERRUPT_TIMER);
    own_timer = true;
    run_below(supervisor_timer, MSTATUS_MPP_S);
    own_timer = false;
    print("ticks by stimecmp: %u\n", ticks);
    CSR_WRITE(menvcfg, 0ul);
}

/* Machine mode passes on what it has had as an external interrupt. */
static void supervisor_external(void)
{
    uint64_t start;

    CSR_WRITE(sie, INTERRUPT_EXTERNAL);
    CSR_SET(sip, INTERRUPT_EXTERNAL); /* not for S-mode */
    print("external 0x%lx", CSR_READ(sip));
    print(" 0x%lx\n", call(CALL_EXTERNAL, 1));
    start = CSR_READ(time);
    while (CSR_READ(time) - start < 3 * FREQUENCY_FRACTION * 10) {
    }
    CSR_SET(sip, INTERRUPT_SOFTWARE);
    CSR_CLEAR(sip, INTERRUPT_SOFTWARE | INTERRUPT_EXTERNAL);
    print("still 0x%lx\n", CSR_READ(sip));
    __asm__ volatile("wfi");
    CSR_SET(sstatus, SSTATUS_SIE);
    CSR_CLEAR(sstatus, SSTATUS_SIE);
    print("then 0x%lx\n", CSR_READ(sip));
    call(CALL_END, 0);
}

static void end_at_once(void)
{
    call(CALL_END, 0);
}

static void try_interrupts_of_machine(void)
{
    print("interrupts of machine mode\n");
    run_below(supervisor_external, MSTATUS_MPP_S);
    CSR_WRITE(mideleg, INTERRUPT_EXTERNAL);
    CSR_WRITE(mie, INTERRUPT_MSI | INTERRUPTS_S);
    REGISTER32(MSIP) = 1;
    print("mip 0x%lx\n", CSR_READ(mip) & ~INTERRUPT_MTI);
    run_below(end_at_once, MSTATUS_MPP_S); /* first of all the interrupt */
    CSR_SET(mip, INTERRUPT_SOFTWARE);
    run_below(end_at_once, 0);
    CSR_SET(mip, INTERRUPT_TIMER);
    CSR_SET(mstatus, MSTATUS_MIE);
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    CSR_WRITE(mie, 0ul);
    CSR_WRITE(mideleg, INTERRUPTS_S);
}

/* What is another's stays out of reach, whichever mode tries. */
static uint64_t hostile_address;

static void hostile(void)
{
    uint64_t table = hostile_address >> 12 << 10;

    load(hostile_address);
    store(hostile_address);
    jump(hostile_address);
    root[8] = table | PTE_V; /* a table in another's memory */
    root[9] = (hostile_address & ~(GIGABYTE - 1)) >> 12 << 10 | PTE_ALL;
    CSR_WRITE(satp, SATP_MODE_SV39 | (uint64_t)root >> 12);
    __asm__ volatile("sfence.vma" : : : "memory");
    load(8 * GIGABYTE);
    store(9 * GIGABYTE + hostile_address % GIGABYTE);
    jump(9 * GIGABYTE + hostile_address % GIGABYTE);
    call(CALL_END, 0);
}

/* All of its page tables are another's: no instruction can be fetched, nor those of its handler. */
static void lost(void)
{
    lost_way = true;
    __asm__ volatile("csrw satp, %0\n"
                     "sfence.vma\n"
                     :
                     : "r"(SATP_MODE_SV39 | hostile_address >> 12)
                     : "memory");
    call(CALL_END, 0);
}
void main(void)
{
    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, machine_stack + sizeof(machine_stack));
    REGISTER64(MTIMECMP) = NEVER;
    CSR_WRITE(pmpaddr0, (1ul << 54) - 1);
    CSR_WRITE(pmpcfg0, 0x1ful);
    hostile_address = platform_number("hostile", 0);
    try_registers();
    CSR_WRITE(sscratch, 0x1234ul);
    CSR_WRITE(sstatus, 0ul);
    for (unsigned turn = 0; turn < 2; turn++) {
        ticks = 0;
        CSR_WRITE(satp, 0ul);
        run_below(supervisor, MSTATUS_MPP_S);
        tell_status("back");
        print("sscratch 0x%lx satp 0x%lx\n", CSR_READ(sscratch), CSR_READ(satp) >> 60);
        CSR_WRITE(medeleg, 0ul); /* from now on all traps are machine mode's */
    }
    try_modified();
    CSR_WRITE(satp, 0ul);
    try_protection();
    try_timer_of_supervisor();
    try_interrupts_of_machine();
    if (hostile_address != 0) {
        print("hostile\n");
        run_below(hostile, MSTATUS_MPP_S);
        modified(hostile_address, MSTATUS_MPP_S, 0);
        modified(9 * GIGABYTE + hostile_address % GIGABYTE, MSTATUS_MPP_S, 0);
        CSR_WRITE(satp, SATP_MODE_SV39 | hostile_address >> 12);
        modified(ALIAS, MSTATUS_MPP_S, 0);
        CSR_WRITE(satp, 0ul);
        run_below(lost, MSTATUS_MPP_S);
    }
    print("PASS supervisor\n");
}
