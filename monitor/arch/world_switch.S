/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * World switch and trap exit.
 *
 * world_enter(a0 = world to keep, a1 = world to run) does not return. a0 is the world whose
 * registers are in the hart: a1 itself, another one of this hart, or NULL when there is none to
 * keep: then they go to nobody. General registers, pc and mstatus of the kept world are in it
 * already: the trap entry put them there. Interrupts are off, mscratch is zero.
 *
 * Order matters in three places. What was read of mip is never written back: SSIP and STIP of the
 * old world are noted, and what the new world should see is its own pending state.
 * With Sstc the old deadline is taken before the new one is written, which makes the hart compute
 * STIP anew. PMP and satp come before the one fence that makes both count (privileged ISA 3.7.2
 * and 4.2.1: PMP changes need an sfence.vma where page tables are in use).
 */
#include "arch/csr.h"
#include "built_with.h"
#include "offsets.h"

#define REGISTER(n) ((n) * 8)

    .section .text.trap, "ax"

/* Puts a register's value of the new world (a1) into the hart and the old one into a0. */
    .macro exchange register, offset
    ld t0, \offset(a1)
    csrrw t0, \register, t0
    sd t0, \offset(a0)
    .endm

    .macro load register, offset
    ld t0, \offset(a1)
    csrw \register, t0
    .endm

    .globl world_enter
world_enter:
    beq a0, a1, world_resume
    beqz a0, keep_none
    /* From here on for those that know two worlds. tp is the hart. */
    .globl world_exchange
world_exchange:
    /* Four at a time: what csrrw returns comes a few cycles late. */
    ld t0, WORLD_SSCRATCH(a1)
    ld t1, WORLD_SEPC(a1)
    ld t2, WORLD_SCAUSE(a1)
    ld t3, WORLD_STVAL(a1)
    csrrw t0, sscratch, t0
    csrrw t1, sepc, t1
    csrrw t2, scause, t2
    csrrw t3, stval, t3
    sd t0, WORLD_SSCRATCH(a0)
    sd t1, WORLD_SEPC(a0)
    sd t2, WORLD_SCAUSE(a0)
    sd t3, WORLD_STVAL(a0)
    ld t0, WORLD_STVEC(a1)
    ld t1, WORLD_SCOUNTEREN(a1)
    ld t2, WORLD_MIE(a1)
    ld t3, WORLD_PENDING(a1)
    ld t4, WORLD_PENDING(a0)
    ld t5, HART_EXCHANGES(tp)
    csrrw t0, stvec, t0
    csrrw t1, scounteren, t1
    csrrw t2, mie, t2
    sd t0, WORLD_STVEC(a0)
    sd t1, WORLD_SCOUNTEREN(a0)
    sd t2, WORLD_MIE(a0)
    andi t4, t4, INTERRUPT_SEI
    bltz t5, exchange_more
    csrrw t1, mip, t3 /* no other bit of it can be written: no hart with more is here */
    andi t1, t1, INTERRUPT_SSI | INTERRUPT_STI
    or t1, t1, t4
    sd t1, WORLD_PENDING(a0)
    beqz t5, exchange_protection
    exchange 0x10a, WORLD_SENVCFG /* senvcfg */
exchange_protection:
    load medeleg, WORLD_MEDELEG
    load pmpcfg0, WORLD_PMP_CONFIG
    load pmpcfg2, WORLD_PMP_CONFIG + 8
    exchange satp, WORLD_SATP
finish_switch:
    sc.d zero, zero, (tp) /* hart.reservation: no store-conditional succeeds across a switch */
    sfence.vma

world_resume:
    mv sp, a1
    .irp n, 3, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    ld x\n, REGISTER(\n)(sp)
    .endr
    /* For the world in sp whose registers that C functions preserve are still in the hart. */
    .globl world_go_on
world_go_on:
    ld t1, REGISTER(0)(sp)
    ld t2, WORLD_MSTATUS(sp)
    csrw mepc, t1
    csrw mstatus, t2
    .irp n, 1, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
    ld x\n, REGISTER(\n)(sp)
    .endr
    csrw mscratch, sp
    ld sp, REGISTER(2)(sp)
    mret

keep_none:
    lla a0, nobody
    j world_exchange

/* The rest of a hart that has more to exchange than usual; t3: pending of a1, t4: SEI of a0. */
exchange_more:
    andi t5, t5, 1
    bnez t5, exchange_most
    csrrw t1, mip, t3
    andi t1, t1, INTERRUPT_SSI | INTERRUPT_STI
    or t1, t1, t4
    sd t1, WORLD_PENDING(a0)
    exchange 0x10a, WORLD_SENVCFG /* senvcfg */
    exchange 0x14d, WORLD_DEADLINE /* stimecmp */
    j exchange_protection

exchange_most:
    li t2, INTERRUPTS_SUPERVISOR
    csrrc t1, mip, t2
    andi t1, t1, INTERRUPT_SSI | INTERRUPT_STI
    or t1, t1, t4
    sd t1, WORLD_PENDING(a0)
    ld t5, HART_FEATURES(tp)
    andi t1, t5, HART_ENVCFG
    beqz t1, 1f
    exchange 0x10a, WORLD_SENVCFG /* senvcfg */
1:  andi t1, t5, HART_SSTC
    beqz t1, 2f
    exchange 0x14d, WORLD_DEADLINE /* stimecmp */
2:  csrs mip, t3
    andi t1, t5, HART_PMP_RESIDENT
    bnez t1, exchange_protection
    jal t2, load_pmp_addresses
#ifdef WITH_hypervisor
    bgez t5, exchange_protection /* HART_HYPERVISOR */
    jal t2, hypervisor_exchange
#endif
    j exchange_protection

/* Loads all PMP addresses of the world in a1; returns by t2, changes t0. */
load_pmp_addresses:
    /* No stale permission may meet a new address: off first. */
    csrw pmpcfg0, zero
    csrw pmpcfg2, zero
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    load pmpaddr\n, VHART_PMP_ADDRESS + 8 * \n
    .endr
    jr t2

/* Of all harts: a world that is written and never run. */
    .section .bss.nobody, "aw", @nobits
    .globl nobody
    .balign 64
nobody:
    .space SIZEOF_WORLD
