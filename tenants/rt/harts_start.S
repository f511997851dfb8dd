/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * First instructions of a hart that harts_start() (harts.h) starts: a1 = its struct hart. Where its
 * stack is stands there; traps find it in tp and sscratch.
 */
#include "rt/harts.h"

    .section .text.harts, "ax"
    .balign 4
    .globl  harts_entry
harts_entry:
    mv      tp, a1
    sd      a0, (HART_FOUND + 0)(tp)
    csrr    t0, satp
    sd      t0, (HART_FOUND + 8)(tp)
    csrr    t0, sstatus
    sd      t0, (HART_FOUND + 16)(tp)
    ld      sp, HART_STACK_TOP(tp)
    call    harts_main
