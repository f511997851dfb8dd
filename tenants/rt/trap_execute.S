/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * void trap_execute(uint64_t registers[32])
 *
 * Loads x1..x31 from `registers`, runs the instruction that the caller has written to
 * trap_execute_slot, stores x1..x31 back, and returns. Interrupts are off.
 *
 * With every register in use, sscratch lends the room for one. That is safe: only the instruction
 * in the slot can trap, and around it sscratch is what the trap entry (trap.S) expects. If it traps,
 * trap_try() restores the stack and the callee-saved registers; what is saved here is not needed.
 */
    .macro  for_x1_to_x30 instruction, base
    .irp    number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    \instruction x\number, (8 * \number)(\base)
    .endr
    .endm

    .section .data.trap_execute, "aw"
    .balign 8
caller_registers:
    .space  8 * 15
caller_array:
    .space  8

    .section .text.trap_execute, "ax"
    .globl  trap_execute, trap_execute_slot
trap_execute:
    lla     t0, caller_registers
    sd      ra, 0(t0)
    sd      sp, 8(t0)
    sd      s0, 16(t0)
    sd      s1, 24(t0)
    sd      s2, 32(t0)
    sd      s3, 40(t0)
    sd      s4, 48(t0)
    sd      s5, 56(t0)
    sd      s6, 64(t0)
    sd      s7, 72(t0)
    sd      s8, 80(t0)
    sd      s9, 88(t0)
    sd      s10, 96(t0)
    sd      s11, 104(t0)
    sd      tp, 112(t0)
    sd      a0, 120(t0)
    mv      x31, a0
    for_x1_to_x30 ld, x31
    ld      x31, 248(x31)
    /* Jumps around the slot: QEMU translates as little as can be again when it is written. */
    j       trap_execute_slot

    .option push
    .option norvc
    .balign 4
trap_execute_slot:
    nop
    .option pop
    j       1f

1:  csrw    sscratch, x31
    lla     x31, caller_array
    ld      x31, 0(x31)
    for_x1_to_x30 sd, x31
    csrr    t0, sscratch
    sd      t0, 248(x31)
    lla     t0, caller_registers
    ld      tp, 112(t0)
    csrw    sscratch, tp
    ld      ra, 0(t0)
    ld      sp, 8(t0)
    ld      s0, 16(t0)
    ld      s1, 24(t0)
    ld      s2, 32(t0)
    ld      s3, 40(t0)
    ld      s4, 48(t0)
    ld      s5, 56(t0)
    ld      s6, 64(t0)
    ld      s7, 72(t0)
    ld      s8, 80(t0)
    ld      s9, 88(t0)
    ld      s10, 96(t0)
    ld      s11, 104(t0)
    /* The caller's gp is not used by anything: images have no small data. */
    ret
