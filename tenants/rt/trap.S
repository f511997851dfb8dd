/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trap entry of tenants without an operating system, and the frame of trap_try().
 *
 * Outside of a trap, sscratch holds the top of the hart's trap stack, where its struct hart is
 * (harts.h); while one is handled it holds the interrupted stack pointer. So whatever a test has
 * done to sp and tp, the handler has good ones, and a fault inside the handler still lands on a
 * usable stack for the last message.
 *
 * struct trap_frame (trap.h): 32 registers, sepc, sstatus, scause, stval.
 */
#include "rt/harts.h"

#define FRAME_SIZE 288
#define FRAME_SEPC 256
#define FRAME_SSTATUS 264
#define FRAME_SCAUSE 272
#define FRAME_STVAL 280

    .macro  for_each_register instruction
    \instruction x1, 8(sp)
    .irp    number, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \instruction x\number, (8 * \number)(sp)
    .endr
    .endm

    .text
    .balign 4
    .globl  trap_entry
trap_entry:
    csrrw   sp, sscratch, sp
    addi    sp, sp, -FRAME_SIZE
    for_each_register sd
    addi    tp, sp, FRAME_SIZE
    csrr    t0, sscratch
    sd      t0, 16(sp)
    csrr    t0, sepc
    csrr    t1, sstatus
    csrr    t2, scause
    csrr    t3, stval
    sd      t0, FRAME_SEPC(sp)
    sd      t1, FRAME_SSTATUS(sp)
    sd      t2, FRAME_SCAUSE(sp)
    sd      t3, FRAME_STVAL(sp)
    mv      a0, sp
    call    trap_dispatch

    ld      t0, FRAME_SEPC(sp)
    ld      t1, FRAME_SSTATUS(sp)
    csrw    sepc, t0
    csrw    sstatus, t1
    ld      t0, 16(sp)
    csrw    sscratch, t0
    for_each_register ld
    addi    sp, sp, FRAME_SIZE
    csrrw   sp, sscratch, sp
    sret

/*
 * bool trap_try_call(void (*action)(void *), void *argument, uint64_t *stack)
 *
 * Stores the stack pointer at *stack, with the callee-saved registers above it, and calls action.
 * Returns 1 if that returns. trap_dispatch() makes it return 0 by going on at trap_try_abandon with
 * that stack pointer.
 */
    .globl  trap_try_call, trap_try_abandon
trap_try_call:
    addi    sp, sp, -112
    sd      ra, 104(sp)
    sd      s0, 96(sp)
    sd      s1, 88(sp)
    sd      s2, 80(sp)
    sd      s3, 72(sp)
    sd      s4, 64(sp)
    sd      s5, 56(sp)
    sd      s6, 48(sp)
    sd      s7, 40(sp)
    sd      s8, 32(sp)
    sd      s9, 24(sp)
    sd      s10, 16(sp)
    sd      s11, 8(sp)
    sd      sp, 0(a2)
    mv      t0, a0
    mv      a0, a1
    jalr    t0
    li      a0, 1
    j       1f
trap_try_abandon:
    li      a0, 0
1:  ld      ra, 104(sp)
    ld      s0, 96(sp)
    ld      s1, 88(sp)
    ld      s2, 80(sp)
    ld      s3, 72(sp)
    ld      s4, 64(sp)
    ld      s5, 56(sp)
    ld      s6, 48(sp)
    ld      s7, 40(sp)
    ld      s8, 32(sp)
    ld      s9, 24(sp)
    ld      s10, 16(sp)
    ld      s11, 8(sp)
    addi    sp, sp, 112
    ret

    .section .bss.trap_stack, "aw", @nobits
    .balign 16
    .space  HART_TRAP_STACK_SIZE
    .globl  first_hart
first_hart: /* struct hart */
    .space  HART_SIZE
