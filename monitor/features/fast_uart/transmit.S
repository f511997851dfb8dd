/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the trap entry does with an exception that is no call, where this feature is: a store of a
 * byte to THR of the virtual UART goes into the ring at once, if struct transmit_site has the page
 * and the instruction, and vuart_put() would take the byte. Everything else goes on as without the
 * feature, with nothing changed.
 *
 * The page is believed as in device_recall(): if its entry reads the same. The instruction is
 * fetched anew by guest_fetch_native(), whose loads may fault; mscratch is zero meanwhile, as
 * always in the monitor, and what such a trap overwrites is put right. With t0 and t1 saved and sp
 * the world.
 */
#include "arch/csr.h"
#include "entry/save_world.h"
#include "offsets.h"

#define PC REGISTER(0)
#define RA REGISTER(1)
#define SP REGISTER(2)
#define T0 REGISTER(5)
#define T1 REGISTER(6)
#define T2 REGISTER(7)
#define A0 REGISTER(10)

/* struct transmit_site, which struct plic_vhart begins with; transmit.c checks these. */
#define SITE_ADDRESS 0
#define SITE_SATP 8
#define SITE_SATP_MASK 16
#define SITE_LEAF_ADDRESS 24
#define SITE_LEAF 32
#define SITE_INSTRUCTION 40
#define SITE_READER 48
#define SITE_UART 56

/* struct vuart. */
#define UART_HEAD 36
#define UART_TAIL 40
#define UART_LEFT 96
#define UART_DATA 100
#define UART_MASK 1023

    .section .text.trap, "ax"
    .globl fast_exception
fast_exception: /* t0: the cause less CAUSE_ECALL_FROM_S */
    addi t0, t0, CAUSE_ECALL_FROM_S - CAUSE_STORE_ACCESS
    beqz t0, transmit_store
    save_world
    addi t0, t0, CAUSE_STORE_ACCESS - CAUSE_ILLEGAL_INSTRUCTION
    beqz t0, 2f
    addi t0, t0, CAUSE_ILLEGAL_INSTRUCTION - CAUSE_LOAD_ACCESS
    bnez t0, 1f
    call fast_load
    enter_world
    beqz a0, 1f
    go_on
2:  call fast_wait
    switch_world
1:  mv a0, tp
    call trap_dispatch
    j world_enter

transmit_store:
    ld t1, VHART_PLIC(sp) /* all that can store where something is emulated have it */
    csrr t0, mtval
    ld t1, SITE_ADDRESS(t1)
    bne t0, t1, transmit_others
    sd t2, T2(sp)
    ld t1, VHART_PLIC(sp)
    csrr t0, satp
    ld t2, SITE_SATP_MASK(t1)
    and t0, t0, t2
    beqz t0, transmit_other /* nothing is remembered, or there are no page tables */
    ld t2, SITE_SATP(t1)
    bne t0, t2, transmit_other
    ld t0, SITE_LEAF_ADDRESS(t1)
    ld t2, SITE_LEAF(t1)
    ld t0, 0(t0)
    bne t0, t2, transmit_other
    ld t2, SITE_UART(t1)
    lw t0, UART_LEFT(t2)
    beqz t0, transmit_other
    lw t0, UART_HEAD(t2)
    lw t2, UART_TAIL(t2)
    beq t0, t2, transmit_other
    sd a0, A0(sp)
    sd ra, RA(sp)
    csrr t0, mstatus
    csrr a0, mepc
    csrrw t1, mscratch, zero
    sd t0, WORLD_MSTATUS(sp)
    sd a0, PC(sp)
    sd t1, SP(sp)
    jal guest_fetch_native
    ld t0, WORLD_MSTATUS(sp)
    ld t1, SP(sp)
    csrw mstatus, t0
    csrw mscratch, t1
    ld t1, VHART_PLIC(sp)
    ld ra, RA(sp)
    ld t2, SITE_INSTRUCTION(t1)
    bne a0, t2, transmit_another
    ld a0, A0(sp)
    ld t0, SITE_READER(t1)
    jr t0
transmit_put:
    ld t1, SITE_UART(t1)
    andi t0, t0, 0xff
    addi t2, t0, -'\n'
    beqz t2, transmit_other
    lw t2, UART_LEFT(t1)
    addi t2, t2, -1
    sw t2, UART_LEFT(t1)
    lw t2, UART_HEAD(t1)
    addiw t2, t2, 1
    sw t2, UART_HEAD(t1)
    addi t2, t2, -1
    andi t2, t2, UART_MASK
    add t2, t2, t1
    sb t0, UART_DATA(t2)
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    ld t2, T2(sp)
    ld t1, T1(sp)
    ld t0, T0(sp)
    csrrw sp, mscratch, sp
    mret

transmit_another: /* instruction, or none: then there was a trap */
    ld t0, PC(sp)
    ld t2, SITE_ADDRESS(t1)
    csrw mepc, t0
    csrw mtval, t2
    li t0, CAUSE_STORE_ACCESS
    csrw mcause, t0
    ld a0, A0(sp)
transmit_other:
    ld t2, T2(sp)
transmit_others:
    save_world
    call fast_store
    enter_world
    beqz a0, 1b
    go_on

/* What brings register n to t0 is at n times 4 bytes. */
    .option push
    .option norelax
    .macro reader instruction:vararg
    .balign 4
    \instruction
    j transmit_put
    .endm
    .globl transmit_readers
    .balign 4
transmit_readers:
    reader li t0, 0
    reader mv t0, ra
    .balign 4
    j transmit_of_sp
    reader mv t0, gp
    reader mv t0, tp
    reader ld t0, T0(sp)
    reader ld t0, T1(sp)
    reader ld t0, T2(sp)
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    reader mv t0, x\n
    .endr
    .org transmit_readers + 32 * 4
transmit_of_sp:
    csrr t0, mscratch
    j transmit_put
    .option pop
