/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two harts, each with S-mode below its own machine mode, as firmware for a kernel with several
 * harts has it: calls by which one S-mode interrupts the other or lets it fence, a timer for each,
 * the contexts of both modes of hart 1, and what one hart delegates and maps and the other one does
 * not. What it prints is what the bare machine with two harts prints; hart 0 prints all of it.
 *
 * Arguments: storm=1   both S-modes interrupt and fence each other for ever
 */
#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"
#include "machine/tasks.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/uart.h"

#define NEVER UINT64_MAX
#define PLIC 0xc000000
#define MACHINE_CONTEXT 2 /* of hart 1 */
#define CONTEXT 3         /* of its S-mode */
#define PLIC_ENABLE(context) (PLIC + 0x2000 + 0x80ul * (context))
#define PLIC_THRESHOLD(context) (PLIC + 0x200000 + 0x1000ul * (context))
#define PLIC_CLAIM(context) (PLIC + 0x200004 + 0x1000ul * (context))
#define UART_SOURCE 10
#define MSTATUS_MPP_S 0x800ul
#define INTERRUPTS_S (INTERRUPT_SOFTWARE | INTERRUPT_TIMER | INTERRUPT_EXTERNAL)
#define CAUSE_ECALL_FROM_S 9
#define ILLEGAL_INSTRUCTION (1ul << CAUSE_ILLEGAL_INSTRUCTION)
#define ROUNDS 20
#define TICKS 5
#define LONG_TICKS 100000 /* of mtime: by then the other hart has come to its next instruction */
#define STORM_ROUND 100

/* Calls of S-mode to machine mode, in a7; the first three are to the other hart, in a bit each. */
#define CALL_INTERRUPT 0x1u
#define CALL_FENCE 0x2u   /* returns when it is done */
#define CALL_FENCE_I 0x4u /* so does this */
#define CALL_TIMER 0x8u
#define CALL_PEEK 0x10u /* what S-mode has at an address */
#define CALL_END 0x20u
#define CALL_TIMER_OF_OTHER 0x40u

#define PTE_ALL 0xcful /* V, R, W, X, A and D, of S-mode */
#define PTE_V 0x1ul
#define GIGABYTE 0x40000000ul
#define ALIAS 0x200000000ul

/* What hart 0 wants of the S-mode of hart 1, as a task of machine/tasks.h. */
enum task { ECHO = 1, LOOK, CALL_CODE, TICK, TAKE_TICK, TAKE_EXTERNAL, SLEEP, FAULT, STORM };

struct own {
    volatile uint64_t software;
    volatile uint64_t ticks;
    volatile uint64_t illegal_of_machine;
    volatile uint64_t illegal_of_supervisor;
    uint32_t asked; /* CALL_..., bits, by other harts */
    uint32_t done;
};

static struct own owns[HARTS];
static _Alignas(4096) uint64_t root[HARTS][512];
static _Alignas(4096) uint64_t middle[HARTS][512];
static _Alignas(4096) uint64_t leaf[HARTS][512];
static _Alignas(4096) volatile uint64_t pages[2 * HARTS][512];
static _Alignas(16) uint8_t machine_stacks[HARTS][4096];
static _Alignas(16) uint8_t stacks[HARTS][4096];
static volatile uint64_t seen;
static volatile uint32_t claimed;
static volatile uint32_t claimed_by_machine;
static volatile uint32_t code[2] = {0x00000513, 0x00008067}; /* li a0, 0; ret */

static uint64_t call(uint64_t number, uint64_t argument)
{
    register uint64_t a0 __asm__("a0") = argument;
    register uint64_t a7 __asm__("a7") = number;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

/* Machine mode. */

/* What other harts have asked of this one. */
static void take_asked(uint64_t hart)
{
    uint32_t asked;

    MSIP_OF(hart) = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    asked = __atomic_exchange_n(&owns[hart].asked, 0, __ATOMIC_ACQUIRE);
    if ((asked & CALL_INTERRUPT) != 0) {
        CSR_SET(mip, INTERRUPT_SOFTWARE);
    }
    if ((asked & CALL_FENCE) != 0) {
        __asm__ volatile("sfence.vma" : : : "memory");
    }
    if ((asked & CALL_FENCE_I) != 0) {
        __asm__ volatile("fence.i" : : : "memory");
    }
    __atomic_fetch_or(&owns[hart].done, asked, __ATOMIC_RELEASE);
}

/* Both may ask at once: so each does what is asked of it while it waits. */
static void ask_other(uint64_t hart, uint32_t what)
{
    struct own *other = &owns[1 - hart];

    __atomic_fetch_and(&other->done, ~what, __ATOMIC_RELAXED);
    __atomic_fetch_or(&other->asked, what, __ATOMIC_RELEASE);
    MSIP_OF(1 - hart) = 1;
    while (what != CALL_INTERRUPT &&
           (__atomic_load_n(&other->done, __ATOMIC_ACQUIRE) & what) == 0) {
        if ((CSR_READ(mip) & INTERRUPT_MSI) != 0) {
            take_asked(hart);
        }
    }
}

static uint64_t peek(uint64_t address)
{
    uint64_t status = CSR_READ(mstatus);
    uint64_t value;

    __asm__ volatile("csrw mstatus, %2\n"
                     "ld %0, 0(%1)\n"
                     "csrw mstatus, %3\n"
                     : "=&r"(value)
                     : "r"(address), "r"(status | MSTATUS_MPRV), "r"(status)
                     : "memory");
    return value;
}

static uint32_t claim(uint64_t context)
{
    uint32_t source = REGISTER32(PLIC_CLAIM(context));

    uart_write(UART_INTERRUPT_ENABLE, 0);
    REGISTER32(PLIC_CLAIM(context)) = UART_SOURCE;
    while (REGISTER32(PLIC_CLAIM(context)) != 0) {
        REGISTER32(PLIC_CLAIM(context)) = UART_SOURCE;
    }
    return source;
}

static uint64_t serve(uint64_t hart, uint64_t number, uint64_t argument)
{
    switch (number) {
    case CALL_TIMER:
        CSR_CLEAR(mip, INTERRUPT_TIMER);
        MTIMECMP_OF(hart) = argument == NEVER ? NEVER : REGISTER64(MTIME) + argument;
        CSR_SET(mie, INTERRUPT_MTI);
        return 0;
    case CALL_TIMER_OF_OTHER:
        MTIMECMP_OF(1 - hart) = argument;
        return 0;
    case CALL_PEEK:
        return peek(argument);
    case CALL_END:
        CSR_SET(mstatus, MSTATUS_MPP);
        CSR_WRITE(mepc, machine_user_done);
        return 0;
    default:
        ask_other(hart, (uint32_t)number);
        return 0;
    }
}

void machine_trap(uint64_t *registers, uint64_t entry)
{
    uint64_t hart = CSR_READ(mhartid);
    uint64_t cause = CSR_READ(mcause);

    (void)entry;
    if (cause == (CAUSE_INTERRUPT | 3)) {
        take_asked(hart);
    } else if (cause == (CAUSE_INTERRUPT | 7)) {
        CSR_CLEAR(mie, INTERRUPT_MTI);
        CSR_SET(mip, INTERRUPT_TIMER);
    } else if (cause == (CAUSE_INTERRUPT | 11)) {
        claimed_by_machine = claim(2 * hart);
    } else if (cause == CAUSE_ECALL_FROM_S) {
        CSR_WRITE(mepc, CSR_READ(mepc) + 4);
        registers[10] = serve(hart, registers[17], registers[10]);
    } else if (cause == CAUSE_ILLEGAL_INSTRUCTION) {
        owns[hart].illegal_of_machine++;
        CSR_WRITE(mepc, CSR_READ(mepc) + 4);
    } else {
        print("hart %lu: mcause=0x%lx mepc=0x%lx mtval=0x%lx\n", hart, cause, CSR_READ(mepc),
              CSR_READ(mtval));
        REGISTER32(FINISHER) = FINISHER_FAIL;
        for (;;) {
        }
    }
}

/* `page` is what its S-mode has at ALIAS. */
static void map(uint64_t hart, unsigned page)
{
    leaf[hart][0] = (uint64_t)pages[page] >> 12 << 10 | PTE_ALL;
}

/* Machine mode and S-mode of a hart, as firmware leaves them to its kernel. */
static void prepare(uint64_t hart)
{
    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, machine_stacks[hart] + sizeof(machine_stacks[hart]));
    MTIMECMP_OF(hart) = NEVER;
    CSR_WRITE(pmpaddr0, (1ul << 54) - 1);
    CSR_WRITE(pmpcfg0, 0x1ful);
    CSR_WRITE(mideleg, INTERRUPTS_S);
    CSR_WRITE(medeleg, hart == 0 ? ILLEGAL_INSTRUCTION : 0ul);
    CSR_WRITE(mcounteren, 7ul);
    CSR_WRITE(mie, INTERRUPT_MSI | INTERRUPT_MEI);
    for (unsigned i = 0; i < 4; i++) {
        root[hart][i] = (i * GIGABYTE >> 12) << 10 | PTE_ALL;
    }
    root[hart][ALIAS / GIGABYTE] = (uint64_t)middle[hart] >> 12 << 10 | PTE_V;
    middle[hart][0] = (uint64_t)leaf[hart] >> 12 << 10 | PTE_V;
    map(hart, (unsigned)hart);
    CSR_WRITE(stvec, supervisor_entry);
    CSR_WRITE(sscratch, 0x100 + hart);
    CSR_WRITE(satp, SATP_MODE_SV39 | (uint64_t)root[hart] >> 12);
    __asm__ volatile("sfence.vma" : : : "memory");
}

/* S-mode. */

static uint64_t this_hart(void)
{
    return CSR_READ(sscratch) - 0x100;
}

void supervisor_trap(uint64_t *registers)
{
    struct own *own = &owns[this_hart()];
    uint64_t cause = CSR_READ(scause);

    (void)registers;
    if (cause == (CAUSE_INTERRUPT | CAUSE_INTERRUPT_SOFTWARE)) {
        CSR_CLEAR(sip, INTERRUPT_SOFTWARE);
        own->software++;
    } else if (cause == (CAUSE_INTERRUPT | CAUSE_INTERRUPT_TIMER)) {
        own->ticks++;
        call(CALL_TIMER, own->ticks < TICKS ? 1000 : NEVER);
    } else if (cause == (CAUSE_INTERRUPT | CAUSE_INTERRUPT_EXTERNAL)) {
        claimed = claim(CONTEXT);
    } else {
        own->illegal_of_supervisor++;
        CSR_WRITE(sepc, CSR_READ(sepc) + 4);
    }
}

/* Until `count` is another one than before, as an idle kernel does. */
static void await(volatile const uint64_t *count, uint64_t before)
{
    while (*count == before) {
        CSR_CLEAR(sstatus, SSTATUS_SIE);
        if (*count == before) {
            __asm__ volatile("wfi");
        }
        CSR_SET(sstatus, SSTATUS_SIE);
    }
}

static void fault(void)
{
    __asm__ volatile(".4byte 0");
}

static void storm(void)
{
    static const uint8_t order[] = {CALL_INTERRUPT, CALL_FENCE, CALL_FENCE_I,
                                    CALL_INTERRUPT | CALL_FENCE};
    uint64_t hart = this_hart();

    for (uint64_t count = 1;; count++) {
        call(order[count % 4], 0);
        if (hart == 0 && count % STORM_ROUND == 0) {
            print("storm: %lu, interrupts %lu %lu\n", count, owns[0].software, owns[1].software);
        }
    }
}

static void carry_out(int wanted)
{
    switch (wanted) {
    case ECHO:
        for (uint64_t round = 0; round < ROUNDS; round++) {
            await(&owns[1].software, round);
            call(CALL_INTERRUPT, 0);
        }
        break;
    case LOOK:
        seen = *(volatile uint64_t *)ALIAS;
        break;
    case CALL_CODE:
        seen = ((uint64_t(*)(void))(uintptr_t)code)();
        break;
    case TICK:
        call(CALL_TIMER, 1000);
        await(&owns[1].ticks, 0);
        while (owns[1].ticks < TICKS) {
        }
        break;
    case TAKE_TICK: /* without a call: what another hart writes has to reach it */
        while (owns[1].ticks == TICKS) {
        }
        break;
    case TAKE_EXTERNAL:
        while (claimed == 0 && claimed_by_machine == 0) {
        }
        break;
    case SLEEP:
        seen = 1;
        while (claimed_by_machine == 0) {
            __asm__ volatile("wfi");
        }
        break;
    case FAULT:
        fault();
        seen = call(CALL_PEEK, ALIAS);
        break;
    case STORM:
        storm();
        break;
    default:
        break;
    }
}

static void second_supervisor(void)
{
    CSR_WRITE(sie, INTERRUPTS_S);
    CSR_SET(sstatus, SSTATUS_SIE);
    carry_out_all();
}

static void try_external(uint64_t context, enum task wanted)
{
    claimed = 0;
    claimed_by_machine = 0;
    seen = 0;
    REGISTER32(PLIC_ENABLE(context)) = 1u << UART_SOURCE;
    REGISTER32(PLIC_THRESHOLD(context)) = 0;
    begin(wanted);
    if (wanted == SLEEP) {
        while (seen == 0) {
        }
        for (uint64_t start = CSR_READ(time); CSR_READ(time) - start < LONG_TICKS;) {
        }
    }
    uart_write(UART_INTERRUPT_ENABLE, 2); /* the transmitter is empty */
    end();
    REGISTER32(PLIC_ENABLE(context)) = 0;
    print("hart 1 has claimed %u in S-mode, %u in machine mode\n", claimed, claimed_by_machine);
}

static void try_interrupts(void)
{
    begin(ECHO);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        call(CALL_INTERRUPT, 0);
        await(&owns[0].software, round);
    }
    end();
    print("software interrupts: %lu and %lu\n", owns[0].software, owns[1].software);
    begin(TICK);
    call(CALL_TIMER, 1000);
    await(&owns[0].ticks, 0);
    while (owns[0].ticks < TICKS) {
    }
    end();
    print("ticks: %lu and %lu\n", owns[0].ticks, owns[1].ticks);
    begin(TAKE_TICK);
    call(CALL_TIMER_OF_OTHER, 0);
    end();
    print("and %lu by the other hart\n", owns[1].ticks - TICKS);
    REGISTER32(PLIC + 4 * UART_SOURCE) = 1;
    try_external(CONTEXT, TAKE_EXTERNAL);
    try_external(MACHINE_CONTEXT, TAKE_EXTERNAL);
    try_external(MACHINE_CONTEXT, SLEEP);
}

/* What hart 1 sees after a fence that hart 0 has asked for is what hart 0 has written before. */
static void try_fences(void)
{
    uint64_t old = 0;
    uint64_t old_code = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned page = 1 + round % 2;

        map(1, page);
        call(CALL_FENCE, 0);
        begin(LOOK);
        end();
        old += seen != pages[page][0];
        code[0] = 0x00000513 | (round + 1) << 20; /* li a0, round + 1 */
        __asm__ volatile("fence.i" : : : "memory");
        call(CALL_FENCE_I, 0);
        begin(CALL_CODE);
        end();
        old_code += seen != round + 1;
    }
    map(1, 1);
    call(CALL_FENCE, 0);
    print("old translations: %lu, old code: %lu\n", old, old_code);
}

static void first_supervisor(void)
{
    CSR_WRITE(sie, INTERRUPTS_S);
    CSR_SET(sstatus, SSTATUS_SIE);
    if (platform_number("storm", 0) != 0) {
        begin(STORM);
        storm();
    }
    try_interrupts();
    try_fences();
    fault();
    print("at its alias hart 0 has 0x%lx, machine mode 0x%lx\n", *(volatile uint64_t *)ALIAS,
          call(CALL_PEEK, ALIAS));
    begin(FAULT);
    end();
    print("machine mode of hart 1 0x%lx\n", seen);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        print("illegal instructions of hart %u: %lu to machine mode, %lu to S-mode\n", hart,
              owns[hart].illegal_of_machine, owns[hart].illegal_of_supervisor);
    }
    CSR_CLEAR(sstatus, SSTATUS_SIE);
    call(CALL_END, 0);
}

void machine_second_main(uint64_t hart, uint64_t devicetree)
{
    (void)devicetree;
    MSIP_OF(hart) = 0;
    prepare(hart);
    machine_call_supervisor(second_supervisor, stacks[hart] + sizeof(stacks[hart]));
}

void main(void)
{
    print("firmware\n");
    for (unsigned i = 0; i < 2 * HARTS; i++) {
        pages[i][0] = 0x1234500 + i;
    }
    prepare(0);
    await_hart_1();
    print("hart 1 has come\n");
    machine_call_supervisor(first_supervisor, stacks[0] + sizeof(stacks[0]));
    print("back in machine mode of hart %lu, mpp %lu\n", CSR_READ(mhartid),
          CSR_READ(mstatus) >> 11 & 3);
    print("PASS firmware\n");
}
