/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps from components. Invocation and return have a hot path here; whatever is not plain in them,
 * and all else, goes to trap() in C, which can do those two as well.
 *
 * sscratch holds the current struct thread. tp is the kernel's alone: a trap takes it, and in a
 * component it is 0. All traps come from U-mode, but for a fault of the kernel itself, which trap()
 * reports.
 *
 * The hot path makes no difference between who calls whom: it checks that the capability exists and
 * that the invocation stack has room, pushes {pc, sp, component}, and goes on in the callee's page
 * table and on the stack that the thread has there. Caller-saved registers are free in it, for the
 * stubs of an ecall say so; in the end none holds an address of the kernel any more.
 * Its instructions are 33 and 22, in an order in which few wait for the one before: what is read of
 * a CSR comes two clocks late on a core that issues in order, what is loaded one.
 * tests/system/test_components.py holds what is measured.
 *
 * It is there twice: for harts with ASIDs, and, with a fence behind each change of page tables, for
 * those without. main() chooses. The kernel's own pages are global: the fence does not touch them.
 */
#include "components/interface.h"
#include "components/kernel/offsets.h"

#define CAUSE_ECALL_U 8

/* All but tp and a0. */
    .macro  for_each_register instruction, base
    .irp    number, 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \instruction x\number, (8 * \number)(\base)
    .endr
    .endm

    .macro  set_space register, has_asids
    csrw    satp, \register
    li      \register, 0
    .if \has_asids == 0
    sfence.vma zero, \register
    .endif
    .endm

    .macro  define_entry name, has_asids
    .balign 4
    .globl  \name
\name:
    csrr    tp, scause
    bltz    a7, 1f
    addi    tp, tp, -CAUSE_ECALL_U
    bnez    tp, slow

/* Invocation of capability a7. */
    csrr    tp, sscratch
    li      t0, CAPABILITIES
    bgeu    a7, t0, ecall_in_c
    ld      t0, THREAD_COMPONENT(tp)
    ld      t3, THREAD_TOP(tp)
    slli    t1, a7, CAPABILITY_SHIFT
    add     t1, t1, t0
    ld      t2, COMPONENT_CAPABILITIES + CAPABILITY_TARGET(t1)
    addi    t4, tp, THREAD_FRAMES + DEPTH * FRAME_SIZE
    beq     t3, t4, ecall_in_c
    beqz    t2, ecall_in_c
    csrr    t4, sepc
    ld      t1, COMPONENT_CAPABILITIES + CAPABILITY_ENTRY(t1)
    sd      sp, FRAME_SP(t3)
    addi    t4, t4, 4
    sd      t4, FRAME_PC(t3)
    sd      t0, FRAME_COMPONENT(t3)
    addi    t3, t3, FRAME_SIZE
    sd      t3, THREAD_TOP(tp)
    sd      t2, THREAD_COMPONENT(tp)
    ld      t0, COMPONENT_ID(t0)
    ld      t3, THREAD_STACK(tp)
    ld      tp, COMPONENT_SATP(t2)
    ld      t2, COMPONENT_STACKS(t2)
    csrw    sepc, t1
    add     sp, t2, t3
    set_space tp, \has_asids
    sret

/* Return, a7 = -1. */
1:  addi    tp, tp, -CAUSE_ECALL_U
    bnez    tp, slow
    csrr    tp, sscratch
    addi    t0, a7, 1
    bnez    t0, ecall_in_c
    ld      t3, THREAD_TOP(tp)
    li      a0, OK
    ld      t0, FRAME_COMPONENT - FRAME_SIZE(t3)
    addi    t3, t3, -FRAME_SIZE
    beqz    t0, ecall_in_c
    sd      t3, THREAD_TOP(tp)
    ld      sp, FRAME_SP(t3)
    ld      t3, FRAME_PC(t3)
    sd      t0, THREAD_COMPONENT(tp)
    ld      tp, COMPONENT_SATP(t0)
    csrw    sepc, t3
    li      t0, 0
    set_space tp, \has_asids
    sret
    .endm

    .text
    define_entry entry_asids, 1
    define_entry entry_fence, 0

/*
 * tp: the thread. Of an ecall only sp and the arguments are kept, for the stubs say that the rest
 * may change: what resume() loads then is of the thread before.
 */
ecall_in_c:
    .irp    number, 2, 10, 11, 12, 13, 14, 15, 16, 17
    sd      x\number, (8 * \number)(tp)
    .endr
    j       1f

slow:
    csrr    tp, sscratch
    for_each_register sd, tp
    sd      a0, 80(tp)
1:  csrr    t0, sepc
    sd      t0, THREAD_PC(tp)
    mv      a0, tp
    csrr    a1, scause
    csrr    a2, stval
    lla     sp, kernel_stack_top
    call    trap

/* noreturn void resume(struct thread *), also where trap() goes on. */
    .globl  resume
resume:
    csrw    sscratch, a0
    ld      t0, THREAD_PC(a0)
    csrw    sepc, t0
    li      tp, 0
    for_each_register ld, a0
    ld      a0, 80(a0)
    sret

    .section .bss.kernel_stack, "aw", @nobits
    .balign 16
    .space  8192
kernel_stack_top:
