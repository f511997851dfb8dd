/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * World switch: the part beside the general registers, pc and mstatus, which the trap entry and
 * exit move. Called by the trap exit with a0 = the world that is loaded, a1 = the world to load,
 * both of this hart; uses t0-t6 only and keeps a1. Interrupts are off, mscratch is zero.
 *
 * Order matters in three places. mip is never written as a whole: SSIP and STIP of the old world
 * are noted, then the bits that the new world should see are computed from its own pending state.
 * With Sstc the old deadline is taken before the new one is written, which makes the hart compute
 * STIP anew. PMP and satp come before the one fence that makes both count (privileged ISA 3.7.2
 * and 4.2.1: PMP changes need an sfence.vma where page tables are in use).
 */
#include "arch/csr.h"
#include "offsets.h"

    .section .text.trap, "ax"
    .globl world_load
    .globl world_switch

world_switch:
    csrr t0, stvec
    csrr t1, sscratch
    csrr t2, sepc
    csrr t3, scause
    csrr t4, stval
    csrr t5, satp
    csrr t6, scounteren
    sd t0, WORLD_STVEC(a0)
    sd t1, WORLD_SSCRATCH(a0)
    sd t2, WORLD_SEPC(a0)
    sd t3, WORLD_SCAUSE(a0)
    sd t4, WORLD_STVAL(a0)
    sd t5, WORLD_SATP(a0)
    sd t6, WORLD_SCOUNTEREN(a0)
    csrr t0, mie
    csrr t1, mip
    ld t2, WORLD_PENDING(a0)
    sd t0, WORLD_MIE(a0)
    andi t1, t1, INTERRUPT_SSI | INTERRUPT_STI
    andi t2, t2, INTERRUPT_SEI
    or t2, t2, t1
    sd t2, WORLD_PENDING(a0)
    ld t6, WORLD_HART(a0)
    ld t5, HART_FEATURES(t6)
    andi t0, t5, 2 /* HART_ENVCFG */
    beqz t0, 1f
    csrr t0, 0x10a /* senvcfg */
    sd t0, WORLD_SENVCFG(a0)
1:  andi t0, t5, 1 /* HART_SSTC */
    beqz t0, world_load
    csrr t0, 0x14d /* stimecmp */
    sd t0, WORLD_DEADLINE(a0)

/* Loads the world in a1 where none is loaded yet. */
world_load:
    ld t6, WORLD_HART(a1)
    ld t5, HART_FEATURES(t6)
    ld t0, WORLD_STVEC(a1)
    ld t1, WORLD_SSCRATCH(a1)
    ld t2, WORLD_SEPC(a1)
    ld t3, WORLD_SCAUSE(a1)
    ld t4, WORLD_STVAL(a1)
    csrw stvec, t0
    csrw sscratch, t1
    csrw sepc, t2
    csrw scause, t3
    csrw stval, t4
    ld t0, WORLD_SCOUNTEREN(a1)
    ld t1, WORLD_MEDELEG(a1)
    ld t2, WORLD_MIE(a1)
    ld t3, WORLD_PENDING(a1)
    li t4, INTERRUPTS_SUPERVISOR
    csrw scounteren, t0
    csrw medeleg, t1
    csrw mie, t2
    csrc mip, t4
    csrs mip, t3
    andi t0, t5, 2 /* HART_ENVCFG */
    beqz t0, 2f
    ld t0, WORLD_SENVCFG(a1)
    csrw 0x10a, t0 /* senvcfg */
2:  andi t0, t5, 1 /* HART_SSTC */
    beqz t0, 3f
    ld t0, WORLD_DEADLINE(a1)
    csrw 0x14d, t0 /* stimecmp */
3:  andi t0, t5, 4 /* HART_PMP_RESIDENT */
    beqz t0, load_pmp_addresses
load_pmp_config:
    ld t0, WORLD_PMP_CONFIG(a1)
    ld t1, WORLD_PMP_CONFIG + 8(a1)
    ld t2, WORLD_SATP(a1)
    csrw pmpcfg0, t0
    csrw pmpcfg2, t1
    csrw satp, t2
    addi t0, t6, HART_RESERVATION
    sc.d zero, zero, (t0) /* no store-conditional succeeds across a switch */
    sfence.vma
    ret

load_pmp_addresses:
    .macro load_pmp_address n
    ld t0, WORLD_PMP_ADDRESS + 8 * \n(a1)
    csrw pmpaddr\n, t0
    .endm
    /* No stale permission may meet a new address: off first. */
    csrw pmpcfg0, zero
    csrw pmpcfg2, zero
    load_pmp_address 0
    load_pmp_address 1
    load_pmp_address 2
    load_pmp_address 3
    load_pmp_address 4
    load_pmp_address 5
    load_pmp_address 6
    load_pmp_address 7
    load_pmp_address 8
    load_pmp_address 9
    load_pmp_address 10
    load_pmp_address 11
    load_pmp_address 12
    load_pmp_address 13
    load_pmp_address 14
    load_pmp_address 15
    j load_pmp_config
