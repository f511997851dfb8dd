/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the core alone needs, without a monitor: the floor under every figure of `bench rtl`.
 *
 * A raw image for 0x80000000. M-mode opens all memory, enters S-mode, and there: eight ecalls to
 * the smallest handler possible, then eight timer interrupts, each set by the handler for the next
 * tick of mtime but four. The event log of the simulator holds the result. It says hello on result
 * port 0 first, and ends by the finisher.
 */
#define RESULT_PORT 0x10010000
#define FINISHER 0x10020000
#define FINISHER_PASS 0x5555
#define MTIMECMP 0x02004000
#define MTIME 0x0200bff8
#define MSTATUS_MPP_S 0x800
#define INTERRUPT_MTI 0x80
#define ROUNDS 8

    .section .text, "ax"
    .globl _start
_start:
    la t0, machine_handler
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f /* NAPOT over everything, rwx */
    csrw pmpcfg0, t0
    la t0, message
    li t1, RESULT_PORT
1:  lbu t2, 0(t0)
    beqz t2, 2f
    sd t2, 0(t1)
    addi t0, t0, 1
    j 1b
2:  li t0, MSTATUS_MPP_S
    csrw mstatus, t0
    li a7, 0
    la t0, supervisor
    csrw mepc, t0
    mret

    .balign 64
supervisor:
    li s0, ROUNDS
3:  ecall
    addi s0, s0, -1
    bnez s0, 3b
    li s0, ROUNDS
    li a7, 1
    ecall /* the first timer */
4:  bnez s0, 4b
    li t0, FINISHER
    li t1, FINISHER_PASS
    sw t1, 0(t0)
5:  j 5b

/* Interrupts count s0 down and set the next one; an ecall with a7 = 1 sets the first. */
    .balign 64
machine_handler:
    csrr t0, mcause
    bltz t0, 6f
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    bnez a7, 7f
    mret
6:  addi s0, s0, -1
7:  li t0, MTIME
    ld t1, 0(t0)
    addi t1, t1, 4
    li t0, MTIMECMP
    sd t1, 0(t0)
    li t0, INTERRUPT_MTI
    csrs mie, t0
    mret

message:
    .asciz "hello from the bare core\n"
