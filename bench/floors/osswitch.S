/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor under a switch between two members of a group, each with a virtual UART, and with a virtio
 * device and a clock that they share: from the call of the one that suspends to the first instruction
 * of the other, which has suspended before.
 *
 * In it are the general registers, which stay with each, with where it resumes; the reset of the two
 * devices, and the look whether the virtio device has followed; their interrupts in the PLIC, a claim
 * of each completed, nothing enabled, no priority, and a look that nothing is pending; the registers
 * of the virtual UART that is left, and the other one's input opened; all registers of S-mode and of
 * floating point as after a reset; delegation, PMP permissions, the timer, the reservation, and the
 * fence. Left out is what has to be found out: which call it was (the vector of mtvec has a jump for
 * it), whether its address may be, who is next and still wants to, which devices, sources and vharts
 * there are, who has what registers; the virtual PLICs, schedules and states of two lives, and looks
 * at interrupts between the parts.
 */
#include "moves.h"
#include "osswitch.h"

    .section .text.floor, "ax"
    .balign 256
    .globl os_switch
os_switch:
    .option push
    .option norvc
    j leave
    .org os_switch + 4 * 3
    j floor_check
    .option pop
leave:
    csrrw sp, mscratch, sp
    move_general sd, A
    csrrw t0, mscratch, sp
    sd t0, A + REGISTER(2)(sp)
    sd a1, A + PC(sp)
    /* The devices. */
    li t0, VIRTIO
    sw zero, VIRTIO_STATUS(t0)
1:  lw t1, VIRTIO_STATUS(t0)
    bnez t1, 1b
    li t0, RTC
    li t1, 1
    sw zero, RTC_IRQ_ENABLED(t0)
    sw t1, RTC_CLEAR_ALARM(t0)
    sw t1, RTC_CLEAR_INTERRUPT(t0)
    /* Their interrupts: the completer listens to sources that are enabled. */
    li t0, PLIC
    li t2, PLIC_ENABLES
    li t3, PLIC_THRESHOLD_S
    li t4, 1 << VIRTIO_SOURCE | 1 << RTC_SOURCE
    li t5, RTC_SOURCE
    sw t4, PLIC_ENABLE_S(t2)
    sw t1, PLIC_CLAIM(t3)
    sw t5, PLIC_CLAIM(t3)
    sw zero, PLIC_ENABLE_S(t2)
    sw zero, 0(t3)
    sw zero, VIRTIO_SOURCE * 4(t0)
    sw zero, RTC_SOURCE * 4(t0)
    li t0, PLIC_PENDING
    lw t0, 0(t0)
    and t0, t0, t4
    bnez t0, . /* never: the lines are low */
    /* The virtual UARTs. */
    sd zero, UART_A + UART_RECEIVE(sp)
    sd zero, UART_A + UART_LOOPBACK(sp)
    li t0, MODEM_READY_SHIFTED_DOWN
    slli t0, t0, MODEM_SHIFT
    sd t0, UART_A + UART_REGISTERS(sp)
    li t0, UART_READY_AND_CLOSED
    sw t0, UART_A + UART_STATUS(sp)
    sw zero, UART_A + UART_LEFT(sp)
    sb zero, UART_B + UART_STATUS + UART_CLOSED(sp)
    /* The other one's registers. */
    li t0, MSTATUS_FS
    csrs mstatus, t0
    .option push
    .option arch, +d
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fmv.d.x f\n, zero
    .endr
    .option pop
    csrw fcsr, zero
    .irp register, stvec, sscratch, sepc, scause, stval, CSR_SENVCFG, mip, satp
    csrw \register, zero
    .endr
    csrwi scounteren, COUNTERS_BASIC
    li t0, INTERRUPTS_MACHINE
    csrw mie, t0
    li t0, -1
    li t1, MTIMECMP
    sd t0, 0(t1)
    ld t0, B + PC(sp)
    ld t1, B + WORLD_MSTATUS(sp)
    ld t2, B + WORLD_MEDELEG(sp)
    ld t3, B + WORLD_PMPCFG0(sp)
    csrw mepc, t0
    csrw mstatus, t1
    csrw medeleg, t2
    csrw pmpcfg0, t3
    sc.d zero, zero, (sp)
    sfence.vma
    /* a0 is the hart, and a1 what it has asked for in a2. */
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    ld x\n, B + REGISTER(\n)(sp)
    .endr
    li a0, 0
    mv a1, a2
    ld sp, B + REGISTER(2)(sp)
    mret

/* The members, in S-mode; t6 is what the one has in its registers. */
    .text
    .globl one_begins, two_resumes, two_stays
one_begins:
    move_floating fld, 0, t6
    ld t0, WORLD_FCSR(t6)
    csrw fcsr, t0
    mv sp, t6
    move_general ld, 0
    ld sp, REGISTER(2)(sp)
    ecall

    .balign 4
two_resumes: /* t0 is the software interrupt's register */
    sw t1, 0(t0)
two_stays:
    j two_stays
