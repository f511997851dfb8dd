/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor under a world switch: two worlds change places, and nothing else.
 *
 * Moved is the state that docs/world-state.md calls switched, of two tenants whose PMP entries fit
 * together and with none of the optional things: x1 to x31, pc, mstatus, ten registers of S-mode,
 * what is pending, delegation, PMP permissions of the few entries that such a pair needs, page
 * tables with their fence, the reservation, the moment of the next timer interrupt; and f0 to f31
 * with fcsr, where both compute with them. Left out is all that a monitor has to find out: which
 * trap it was (the vector of mtvec tells, at one jump for one of the two), that the WFI was one,
 * which world is due or may go on (there is one other), where it is kept (at a fixed distance), when
 * the next event is (B's own deadline, or never), for how long a world ran, what other harts want,
 * who has the floating-point registers.
 *
 * For each kind of hart `floor_switch` makes:
 *   NAME_in      the machine timer's interrupt in A gives the hart to B, whose deadline has come
 *   NAME_out     WFI in B, which traps, gives the hart to A
 *   NAME_vectors for mtvec; a software interrupt is the end, and goes to the check
 *   NAME_a       A: plants its values, and stays in one place
 *   NAME_b       B: plants its values, sleeps again and again, and asks for the check
 * The worlds check that they are switched: switch.c.
 */
#include "moves.h"

#define ROUNDS 16

/* Four at a time, as what csrrw returns comes late on some harts. */
    .macro exchange from, to, first, first_at, second, second_at, third, third_at, fourth, fourth_at
    ld a0, \to + \first_at(sp)
    ld a1, \to + \second_at(sp)
    ld a2, \to + \third_at(sp)
    ld a3, \to + \fourth_at(sp)
    csrrw a0, \first, a0
    csrrw a1, \second, a1
    csrrw a2, \third, a2
    csrrw a3, \fourth, a3
    sd a0, \from + \first_at(sp)
    sd a1, \from + \second_at(sp)
    sd a2, \from + \third_at(sp)
    sd a3, \from + \fourth_at(sp)
    .endm

    .macro exchange_one from, to, register, at
    ld a0, \to + \at(sp)
    csrrw a0, \register, a0
    sd a0, \from + \at(sp)
    .endm

/* Together with mstatus, which has to say meanwhile that these registers are on. */
    .macro exchange_floating from, to
    li a0, MSTATUS_FS
    csrrs a0, mstatus, a0
    sd a0, \from + WORLD_MSTATUS(sp)
    move_floating fsd, \from, sp
    csrr a0, fcsr
    sd a0, \from + WORLD_FCSR(sp)
    move_floating fld, \to, sp
    ld a0, \to + WORLD_FCSR(sp)
    csrw fcsr, a0
    ld a0, \to + WORLD_MSTATUS(sp)
    csrw mstatus, a0
    .endm

/* `sleeps`: `from` goes on behind its WFI, and is woken at its deadline; else it is `to`'s. */
    .macro switch_worlds from, to, sleeps, sstc, envcfg, fp
    csrrw sp, mscratch, sp
    move_general sd, \from
    csrrw a0, mscratch, sp
    sd a0, \from + REGISTER(2)(sp)
    .if \fp
    exchange_floating \from, \to
    .endif
    exchange \from, \to, sscratch, WORLD_SSCRATCH, sepc, WORLD_SEPC, scause, WORLD_SCAUSE, stval, WORLD_STVAL
    ld a0, \to + PC(sp)
    ld a1, \to + WORLD_PENDING(sp)
    ld a2, \to + WORLD_STVEC(sp)
    ld a3, \to + WORLD_SCOUNTEREN(sp)
    .ifeq \sstc + \sleeps
    ori a1, a1, INTERRUPT_STI
    .endif
    csrrw a0, mepc, a0
    csrrw a1, mip, a1
    csrrw a2, stvec, a2
    csrrw a3, scounteren, a3
    .if \sleeps
    addi a0, a0, 4
    .endif
    andi a1, a1, INTERRUPT_SSI | INTERRUPT_STI
    sd a0, \from + PC(sp)
    sd a1, \from + WORLD_PENDING(sp)
    sd a2, \from + WORLD_STVEC(sp)
    sd a3, \from + WORLD_SCOUNTEREN(sp)
    .if \envcfg
    exchange_one \from, \to, CSR_SENVCFG, WORLD_SENVCFG
    .endif
    .if \sstc
    exchange_one \from, \to, CSR_STIMECMP, WORLD_DEADLINE
    .elseif \sleeps
    ld a0, \from + WORLD_DEADLINE(sp)
    .endif
    .ifeq \sleeps
    li a0, -1
    .endif
    li a1, MTIMECMP
    sd a0, 0(a1)
    ld a4, \to + WORLD_MEDELEG(sp)
    ld a5, \to + WORLD_PMPCFG0(sp)
    ld a1, \to + WORLD_MIE(sp)
    ld a2, \to + WORLD_SATP(sp)
    .ifeq \fp
    ld a0, \to + WORLD_MSTATUS(sp)
    csrrw a0, mstatus, a0
    .endif
    csrrw a1, mie, a1
    csrw medeleg, a4
    csrw pmpcfg0, a5
    csrrw a2, satp, a2
    .ifeq \fp
    sd a0, \from + WORLD_MSTATUS(sp)
    .endif
    sd a1, \from + WORLD_MIE(sp)
    sd a2, \from + WORLD_SATP(sp)
    sc.d zero, zero, (sp)
    sfence.vma
    move_general ld, \to
    ld sp, \to + REGISTER(2)(sp)
    mret
    .endm

    .macro plant_one register, at
    ld t0, \at(t6)
    csrw \register, t0
    .endm

/* In S-mode: takes the values of the struct world in t6. */
    .macro plant sstc, envcfg, fp
    ld t0, WORLD_MSTATUS(t6)
    csrs sstatus, t0
    ld t0, WORLD_SATP(t6)
    csrw satp, t0
    sfence.vma
    plant_one sscratch, WORLD_SSCRATCH
    plant_one sepc, WORLD_SEPC
    plant_one scause, WORLD_SCAUSE
    plant_one stval, WORLD_STVAL
    plant_one stvec, WORLD_STVEC
    plant_one scounteren, WORLD_SCOUNTEREN
    ld t0, WORLD_MIE(t6)
    csrs sie, t0
    ld t0, WORLD_PENDING(t6)
    csrs sip, t0
    .if \envcfg
    plant_one CSR_SENVCFG, WORLD_SENVCFG
    .endif
    .if \sstc
    plant_one CSR_STIMECMP, WORLD_DEADLINE
    .endif
    .if \fp
    move_floating fld, 0, t6
    plant_one fcsr, WORLD_FCSR
    .endif
    mv sp, t6
    move_general ld, 0
    ld sp, REGISTER(2)(sp)
    .endm

/*
 * B's own registers: s0 is its deadline, s1 the period, s2 where the deadline is kept, a0 a word of
 * memory, of which t2 is the value, t0 the software interrupt's register and t1 one. a2 becomes one
 * if no reservation has survived the time in A.
 */
    .macro floor_switch name, sstc, envcfg, fp
    .pushsection .text.floor, "ax"
    .balign 256
    .globl \name\()_in, \name\()_out
\name\()_out:
    .option push
    .option norvc
    j \name\()_leave
    .org \name\()_out + 4 * 3
    j floor_check
    .org \name\()_out + 4 * 7
    .option pop
\name\()_in:
    switch_worlds A, B, 0, \sstc, \envcfg, \fp
\name\()_leave:
    switch_worlds B, A, 1, \sstc, \envcfg, \fp
    .popsection

    .text
\name\()_a:
    plant \sstc, \envcfg, \fp
\name\()_stays:
    j \name\()_stays

    .balign 4
\name\()_b:
    plant \sstc, \envcfg, \fp
    .rept ROUNDS
    add s0, s0, s1
    .if \sstc
    csrw CSR_STIMECMP, s0
    .else
    sd s0, 0(s2)
    .endif
    lr.d t2, (a0)
    wfi
    sc.d a2, t2, (a0)
    .endr
    sw t1, 0(t0)
\name\()_ends:
    j \name\()_ends

    .section .rodata.\name, "a"
    .globl \name
    .balign 8
\name: /* struct floor */
    .dword \name\()_out, \name\()_a, \name\()_stays, \name\()_b, \name\()_ends
    .dword ROUNDS, \sstc, \envcfg, \fp
    .endm

    floor_switch switch_plain, 0, 1, 0
    floor_switch switch_fp, 0, 1, 1
    floor_switch switch_sstc, 1, 1, 0
    floor_switch switch_sstc_fp, 1, 1, 1
    floor_switch switch_old, 0, 0, 0
