/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps from components. Invocation and return have a hot path here; whatever is not plain in them,
 * and all else, goes to trap() in C, which can do those two as well.
 *
 * While a component runs, sscratch holds the current struct thread. All traps come from U-mode, but
 * for a fault of the kernel itself, which trap() reports.
 *
 * The hot path makes no difference between who calls whom: it checks that the capability exists and
 * that the invocation stack has room, pushes {pc, sp, component}, and goes on in the callee's page
 * table and on the stack that the thread has there. Caller-saved registers are free in it, for the
 * stubs of an ecall say so; in the end none holds an address of the kernel any more.
 * Its instructions are 36 and 26; tests/system/test_components.py holds what is measured.
 *
 * It is there twice: for harts with ASIDs, and, with a fence behind each change of page tables, for
 * those without. main() chooses. The kernel's own pages are global: the fence does not touch them.
 */
#include "components/interface.h"
#include "components/kernel/offsets.h"

#define CAUSE_ECALL_U 8

    .macro  for_each_register instruction, base
    .irp    number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
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
    csrrw   sp, sscratch, sp
    sd      t0, 40(sp)
    csrr    t0, scause
    addi    t0, t0, -CAUSE_ECALL_U
    bnez    t0, slow
    li      t0, CAPABILITIES
    bgeu    a7, t0, 1f

/* Invocation of capability a7. */
    ld      t0, THREAD_COMPONENT(sp)
    slli    t1, a7, CAPABILITY_SHIFT
    add     t1, t1, t0
    ld      t2, COMPONENT_CAPABILITIES + CAPABILITY_TARGET(t1)
    beqz    t2, ecall_in_c
    ld      t3, THREAD_TOP(sp)
    addi    t4, sp, THREAD_FRAMES + DEPTH * FRAME_SIZE
    beq     t3, t4, ecall_in_c
    ld      t1, COMPONENT_CAPABILITIES + CAPABILITY_ENTRY(t1)
    csrr    t4, sepc
    csrr    t6, sscratch
    addi    t4, t4, 4
    sd      t4, FRAME_PC(t3)
    sd      t6, FRAME_SP(t3)
    sd      t0, FRAME_COMPONENT(t3)
    addi    t3, t3, FRAME_SIZE
    sd      t3, THREAD_TOP(sp)
    sd      t2, THREAD_COMPONENT(sp)
    csrw    sepc, t1
    ld      a7, COMPONENT_ID(t0)
    ld      t3, THREAD_STACK(sp)
    ld      t0, COMPONENT_STACKS(t2)
    ld      t2, COMPONENT_SATP(t2)
    add     t3, t3, t0
    set_space t2, \has_asids
    csrw    sscratch, sp
    mv      sp, t3
    sret

/* Return, a7 = -1. */
1:  addi    t0, a7, 1
    bnez    t0, ecall_in_c
    ld      t3, THREAD_TOP(sp)
    addi    t4, sp, THREAD_FRAMES
    beq     t3, t4, ecall_in_c
    addi    t3, t3, -FRAME_SIZE
    sd      t3, THREAD_TOP(sp)
    ld      t0, FRAME_COMPONENT(t3)
    ld      t4, FRAME_SP(t3)
    ld      t3, FRAME_PC(t3)
    sd      t0, THREAD_COMPONENT(sp)
    ld      t0, COMPONENT_SATP(t0)
    csrw    sepc, t3
    set_space t0, \has_asids
    li      a0, OK
    csrw    sscratch, sp
    mv      sp, t4
    sret
    .endm

    .text
    define_entry entry_asids, 1
    define_entry entry_fence, 0

/*
 * sp: the thread; the component's sp is in sscratch. Of an ecall only the arguments are kept, for
 * the stubs say that the rest may change: what resume() loads then is of the thread before.
 */
ecall_in_c:
    .irp    number, 10, 11, 12, 13, 14, 15, 16, 17
    sd      x\number, (8 * \number)(sp)
    .endr
    mv      a0, sp
    csrrw   t0, sscratch, a0
    sd      t0, 16(a0)
    j       1f

/* All else: t0 is saved. */
slow:
    sd      a0, 80(sp)
    mv      a0, sp
    csrr    sp, sscratch
    csrw    sscratch, a0
    ld      t0, 40(a0)
    for_each_register sd, a0
1:  csrr    t0, sepc
    sd      t0, THREAD_PC(a0)
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
    for_each_register ld, a0
    ld      a0, 80(a0)
    sret

    .section .bss.kernel_stack, "aw", @nobits
    .balign 16
    .space  8192
kernel_stack_top:
