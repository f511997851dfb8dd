/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suspend(a0 = extension, a1 = function, a2 = type, a3 = result): see rt/suspend.h. Where the hart
 * resumes every register but a0 and a1 may hold anything, so the caller's are kept in *result, to
 * which a1 leads.
 */
#include "rt/suspend.h"

    .macro  for_kept_registers instruction, base
    \instruction ra, (SUSPEND_KEPT_OFFSET + 0)(\base)
    \instruction sp, (SUSPEND_KEPT_OFFSET + 8)(\base)
    \instruction gp, (SUSPEND_KEPT_OFFSET + 16)(\base)
    \instruction tp, (SUSPEND_KEPT_OFFSET + 24)(\base)
    \instruction s0, (SUSPEND_KEPT_OFFSET + 32)(\base)
    \instruction s1, (SUSPEND_KEPT_OFFSET + 40)(\base)
    .irp    number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    \instruction s\number, (SUSPEND_KEPT_OFFSET + 32 + 8 * \number)(\base)
    .endr
    .endm

    .section .text.suspend, "ax"
    .globl  suspend
suspend:
    for_kept_registers sd, a3
    sd      zero, 0(a3)
    sd      zero, 8(a3)
    mv      a7, a0
    mv      a6, a1
    mv      a0, a2
    lla     a1, resumed
    mv      a2, a3
    ecall
    sd      a0, 0(a3)
    ret

    .balign 4
resumed:
    for_kept_registers ld, a1
    sd      a0, 16(a1)
    csrr    t1, satp
    sd      t1, 24(a1)
    csrr    t1, sstatus
    sd      t1, 32(a1)
    csrr    t1, scounteren
    sd      t1, 40(a1)
    li      t1, 1
    sd      t1, 8(a1)
    ret
