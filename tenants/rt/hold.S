/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * void hold_registers(uint64_t values[32], uint64_t turns): see rt/hold.h. In the loop t0 counts
 * the turns; all registers but x0, sp, tp and t0 have the given values. What the caller needs is on
 * the stack meanwhile.
 */
    .macro  for_held_registers instruction, base
    .irp    number, 1, 3, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \instruction x\number, (8 * \number)(\base)
    .endr
    .endm

    .macro  for_kept_registers instruction
    \instruction ra, 0(sp)
    \instruction gp, 8(sp)
    \instruction s0, 16(sp)
    \instruction s1, 24(sp)
    .irp    number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    \instruction s\number, (16 + 8 * \number)(sp)
    .endr
    .endm

    .section .text.hold_registers, "ax"
    .globl  hold_registers
hold_registers:
    addi    sp, sp, -128
    for_kept_registers sd
    sd      a0, 112(sp)
    mv      t0, a1
    for_held_registers ld, a0
    ld      a0, 80(a0)
1:  addi    t0, t0, -1
    bnez    t0, 1b
    sd      a0, 120(sp)
    ld      a0, 112(sp)
    for_held_registers sd, a0
    ld      t0, 120(sp)
    sd      t0, 80(a0)
    for_kept_registers ld
    addi    sp, sp, 128
    ret
