/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * World switch and trap exit.
 *
 * world_enter(a0 = world to keep, a1 = world to run) does not return. a0 is the world whose
 * registers are in the hart: a1 itself, another one of this hart, or NULL when there is none to
 * keep: then they go to nobody. General registers, pc and mstatus of the kept world are in it
 * already: the trap entry put them there. Interrupts are off, mscratch is zero.
 *
 * Order matters in three places. mip is never written as a whole: SSIP and STIP of the old world
 * are noted, then the bits that the new world should see are computed from its own pending state.
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
    ld t6, WORLD_HART(a1)
    ld t5, HART_FEATURES(t6)
    beqz a0, keep_none
3:
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
    exchange stvec, WORLD_STVEC
    exchange scounteren, WORLD_SCOUNTEREN
    exchange mie, WORLD_MIE
    li t4, INTERRUPTS_SUPERVISOR
    csrrc t1, mip, t4
    ld t2, WORLD_PENDING(a0)
    andi t1, t1, INTERRUPT_SSI | INTERRUPT_STI
    andi t2, t2, INTERRUPT_SEI
    or t2, t2, t1
    sd t2, WORLD_PENDING(a0)
    andi t1, t5, HART_ENVCFG
    beqz t1, 1f
    exchange 0x10a, WORLD_SENVCFG /* senvcfg */
1:  andi t1, t5, HART_SSTC
    beqz t1, 2f
    exchange 0x14d, WORLD_DEADLINE /* stimecmp */
2:  ld t3, WORLD_PENDING(a1)
    csrs mip, t3
    load medeleg, WORLD_MEDELEG
    andi t1, t5, HART_PMP_RESIDENT
    beqz t1, exchange_pmp_addresses
exchange_protection:
    load pmpcfg0, WORLD_PMP_CONFIG
    load pmpcfg2, WORLD_PMP_CONFIG + 8
    exchange satp, WORLD_SATP
finish_switch:
    sc.d zero, zero, (t6) /* hart.reservation: no store-conditional succeeds across a switch */
    sfence.vma

world_resume:
    mv sp, a1
    ld t1, REGISTER(0)(sp)
    ld t2, WORLD_MSTATUS(sp)
    csrw mepc, t1
    csrw mstatus, t2
    ld ra, REGISTER(1)(sp)
    ld gp, REGISTER(3)(sp)
    ld tp, REGISTER(4)(sp)
    ld t0, REGISTER(5)(sp)
    ld t1, REGISTER(6)(sp)
    ld t2, REGISTER(7)(sp)
    ld s0, REGISTER(8)(sp)
    ld s1, REGISTER(9)(sp)
    ld a0, REGISTER(10)(sp)
    ld a1, REGISTER(11)(sp)
    ld a2, REGISTER(12)(sp)
    ld a3, REGISTER(13)(sp)
    ld a4, REGISTER(14)(sp)
    ld a5, REGISTER(15)(sp)
    ld a6, REGISTER(16)(sp)
    ld a7, REGISTER(17)(sp)
    ld s2, REGISTER(18)(sp)
    ld s3, REGISTER(19)(sp)
    ld s4, REGISTER(20)(sp)
    ld s5, REGISTER(21)(sp)
    ld s6, REGISTER(22)(sp)
    ld s7, REGISTER(23)(sp)
    ld s8, REGISTER(24)(sp)
    ld s9, REGISTER(25)(sp)
    ld s10, REGISTER(26)(sp)
    ld s11, REGISTER(27)(sp)
    ld t3, REGISTER(28)(sp)
    ld t4, REGISTER(29)(sp)
    ld t5, REGISTER(30)(sp)
    ld t6, REGISTER(31)(sp)
    csrw mscratch, sp
    ld sp, REGISTER(2)(sp)
    mret

keep_none:
    lla a0, nobody
    j 3b

exchange_pmp_addresses:
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
