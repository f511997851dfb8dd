/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For trap entries, in assembly: from the registers of the tenant to the stack of its hart, and
 * what is done of its timer without Sstc before that. sp is the world.
 */
#ifndef COTENANT_ENTRY_SAVE_WORLD_H
#define COTENANT_ENTRY_SAVE_WORLD_H

#include "offsets.h"

/* clang-format off */
#define REGISTER(n) ((n) * 8)

/*
 * All that is not saved yet: general registers but t0 and t1, pc and mstatus. sp is the world on
 * entry, with mscratch the tenant's sp; afterwards sp is the stack, tp and a0 are the hart; t0 stays.
 */
    .macro save_world
    .irp n, 1, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    sd x\n, REGISTER(\n)(sp)
    .endr
    csrrw t3, mscratch, zero /* the tenant's sp; and from here on a trap is a defect */
    csrr t1, mepc
    csrr t2, mstatus
    sd t3, REGISTER(2)(sp)
    sd t1, REGISTER(0)(sp)
    sd t2, WORLD_MSTATUS(sp)
    ld tp, WORLD_HART(sp) /* hart_self() while the monitor runs */
    ld sp, HART_STACK_TOP(tp)
    mv a0, tp
    .endm

/* The first instructions, to `in_monitor` if no tenant has the hart. Then t0 and t1 are saved. */
    .macro enter_trap in_monitor
    csrrw sp, mscratch, sp
    beqz sp, \in_monitor
    sd t0, REGISTER(5)(sp)
    sd t1, REGISTER(6)(sp)
    .endm

/* Goes to `others` unless t0, the cause of an interrupt, is the machine timer's. Changes t0. */
    .macro unless_timer others
    slli t0, t0, 1
    addi t0, t0, -(7 << 1) /* CAUSE_INTERRUPT_MTI without its interrupt bit */
    bnez t0, \others
    .endm

/*
 * The machine timer's interrupt, with t0 and t1 free. If it is for the running vhart alone, as its
 * deadline has come, and no other event has: shows it as STIP and programs the next event. Else
 * goes to `others`.
 */
    .macro show_timer others
    ld t1, WORLD_HART(sp)
    ld t0, HART_MTIME(t1)
    ld t0, 0(t0)
    ld t1, HART_EVENT_DEADLINE(t1)
    bgeu t0, t1, \others
    ld t1, WORLD_DEADLINE(sp)
    bltu t0, t1, \others
    li t1, -1
    sd t1, WORLD_DEADLINE(sp)
    li t1, INTERRUPT_STI
    csrs mip, t1
    ld t1, WORLD_HART(sp)
    ld t0, HART_EVENT_DEADLINE(t1)
    ld t1, HART_MTIMECMP(t1)
    sd t0, 0(t1)
    ld t0, WORLD_INTERRUPTS(sp)
    addi t0, t0, 1
    sd t0, WORLD_INTERRUPTS(sp)
    .endm

/* To the other world that a function has returned, if it has. The assembler thinks that it is far. */
    .macro switch_world
    .reloc ., R_RISCV_BRANCH, world_exchange
    .word 0x00059063 /* bnez a1, world_exchange */
    .endm

/* To the world that a function has returned, unless that is world_unchanged() or nothing. */
    .macro enter_world
    .reloc ., R_RISCV_BRANCH, world_enter
    .word 0x00059063 /* bnez a1, world_enter: see switch_world */
    .endm

/* To the one of world_unchanged(). */
    .macro go_on
    mv sp, a0
    j world_go_on
    .endm

/* To `function`, with t0 and t1 saved, and on to the world that it returns. */
    .macro leave_to function
    save_world
    call \function
    j world_enter
    .endm
/* clang-format on */

#endif
