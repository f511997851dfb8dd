/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Beginnings and ends of the functions that are compiled for size (gcc -msave-restore). Called by the
 * compiler's code with the return address in t0; __riscv_save_N puts ra and s0 to s(N-1) on the
 * stack, from its top down and sp aligned to 16, __riscv_restore_N is jumped to and returns from the
 * function. Only t0 and t1 may change in the one, and a0 and a1 not in the other.
 */
    .macro entry kind, numbers:vararg
    .irp number, \numbers
    .globl __riscv_\kind\()_\number
    .hidden __riscv_\kind\()_\number
__riscv_\kind\()_\number:
    .endr
    .endm

    .section .text.save, "ax"
    entry save, 12
    addi sp, sp, -112
    li t1, 0
    sd s11, 8(sp)
    j 1f
    entry save, 11, 10
    addi sp, sp, -112
    li t1, 16
1:  sd s10, 16(sp)
    sd s9, 24(sp)
    j 2f
    entry save, 9, 8
    addi sp, sp, -112
    li t1, 32
2:  sd s8, 32(sp)
    sd s7, 40(sp)
    j 3f
    entry save, 7, 6
    addi sp, sp, -112
    li t1, 48
3:  sd s6, 48(sp)
    sd s5, 56(sp)
    j 4f
    entry save, 5, 4
    addi sp, sp, -112
    li t1, 64
4:  sd s4, 64(sp)
    sd s3, 72(sp)
    sd s2, 80(sp)
    sd s1, 88(sp)
    sd s0, 96(sp)
    sd ra, 104(sp)
    add sp, sp, t1
    jr t0
    entry save, 3, 2
    addi sp, sp, -32
    sd s2, 0(sp)
    sd s1, 8(sp)
    sd s0, 16(sp)
    sd ra, 24(sp)
    jr t0
    entry save, 1, 0
    addi sp, sp, -16
    sd s0, 0(sp)
    sd ra, 8(sp)
    jr t0

    .section .text.restore, "ax"
    entry restore, 12
    ld s11, 8(sp)
    addi sp, sp, 16
    entry restore, 11, 10
    ld s10, 0(sp)
    ld s9, 8(sp)
    addi sp, sp, 16
    entry restore, 9, 8
    ld s8, 0(sp)
    ld s7, 8(sp)
    addi sp, sp, 16
    entry restore, 7, 6
    ld s6, 0(sp)
    ld s5, 8(sp)
    addi sp, sp, 16
    entry restore, 5, 4
    ld s4, 0(sp)
    ld s3, 8(sp)
    addi sp, sp, 16
    entry restore, 3, 2
    ld s2, 0(sp)
    ld s1, 8(sp)
    addi sp, sp, 16
    entry restore, 1, 0
    ld s0, 0(sp)
    ld ra, 8(sp)
    addi sp, sp, 16
    ret
