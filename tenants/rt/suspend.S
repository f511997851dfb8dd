/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suspend(a0 = extension, a1 = function, a2 = type, a3 = result): see rt/suspend.h. Where the hart
 * resumes every register but a0 and a1 may hold anything, so the caller's are kept in memory.
 */
    .section .bss.suspend, "aw", @nobits
    .balign 8
kept_registers:
    .space  8 * 17

    .macro  for_kept_registers instruction, base
    \instruction ra, 0(\base)
    \instruction sp, 8(\base)
    \instruction gp, 16(\base)
    \instruction tp, 24(\base)
    \instruction s0, 32(\base)
    \instruction s1, 40(\base)
    .irp    number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    \instruction s\number, (32 + 8 * \number)(\base)
    .endr
    \instruction a3, 128(\base)
    .endm

    .section .text.suspend, "ax"
    .globl  suspend
suspend:
    lla     t0, kept_registers
    for_kept_registers sd, t0
    sd      zero, 0(a3)
    sd      zero, 8(a3)
    mv      a7, a0
    mv      a6, a1
    mv      a0, a2
    lla     a1, resumed
    mv      a2, a3
    ecall
    lla     t0, kept_registers
    for_kept_registers ld, t0
    sd      a0, 0(a3)
    ret

    .balign 4
resumed:
    lla     t0, kept_registers
    for_kept_registers ld, t0
    sd      a0, 16(a3)
    sd      a1, 24(a3)
    csrr    t1, satp
    sd      t1, 32(a3)
    csrr    t1, sstatus
    sd      t1, 40(a3)
    csrr    t1, scounteren
    sd      t1, 48(a3)
    li      t1, 1
    sd      t1, 8(a3)
    ret
