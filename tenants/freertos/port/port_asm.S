/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FreeRTOS port for RISC-V S-mode: trap entry and context switch.
 *
 * A task that does not run has a frame of 32 words on its stack, and the first word of its control
 * block (pxTopOfStack) points to it. Word n holds register xn; x0 and sp need no place, so word 0
 * holds sepc and word 2 sstatus.
 *
 * An interrupt saves the frame, calls port_interrupt(scause) on the interrupt stack, and returns to
 * whatever task pxCurrentTCB then names. An exception is fatal: it is told apart before anything is
 * stored, because a stack that has overflowed could not take the frame.
 */
#define FRAME_SIZE 256
#define FRAME_PC 0
#define FRAME_SSTATUS 16

    .macro  for_each_register instruction
    \instruction x1, 8(sp)
    .irp    number, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \instruction x\number, (8 * \number)(sp)
    .endr
    .endm

    .text
    .balign 4
    .globl  port_trap_entry, port_start_first_task
port_trap_entry:
    csrw    sscratch, t0
    csrr    t0, scause
    bgez    t0, exception
    csrr    t0, sscratch

    addi    sp, sp, -FRAME_SIZE
    for_each_register sd
    csrr    t0, sepc
    csrr    t1, sstatus
    sd      t0, FRAME_PC(sp)
    sd      t1, FRAME_SSTATUS(sp)
    lla     t2, pxCurrentTCB
    ld      t2, 0(t2)
    sd      sp, 0(t2)

    csrr    a0, scause
    lla     sp, interrupt_stack_top
    call    port_interrupt

/* Also the start of the scheduler: goes on with the task that pxCurrentTCB names. */
port_start_first_task:
    lla     t2, pxCurrentTCB
    ld      t2, 0(t2)
    ld      sp, 0(t2)
    ld      t0, FRAME_PC(sp)
    ld      t1, FRAME_SSTATUS(sp)
    csrw    sepc, t0
    csrw    sstatus, t1
    for_each_register ld
    addi    sp, sp, FRAME_SIZE
    sret

exception:
    mv      t0, sp
    lla     sp, interrupt_stack_top - FRAME_SIZE
    for_each_register sd
    mv      a0, sp
    mv      a1, t0
    call    port_exception

    .section .bss.interrupt_stack, "aw", @nobits
    .balign 16
    .space  4096
interrupt_stack_top:
