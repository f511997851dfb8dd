/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry of the bundle. Every hart arrives here in M-mode from the reset vector or the previous boot
 * stage, at any address that is a multiple of 4096, with nothing set up. a1 and a2 may tell of more.
 *
 * The boot hart, named by the bundle behind this image, copies the image and the bundle to where
 * the bundle wants the monitor, moves the addresses in the copy's data and calls monitor_main. All
 * other harts wait here until the copy is complete and then in it, because this place will belong to
 * a tenant, until monitor_main lets them go by setting released_harts and raising their software
 * interrupts: those on which tenants run stay in hart_main, others park for good. If the bundle
 * cannot be found, hart 0 stays and says so.
 */
#include "abi/bundle.h"
#include "arch/csr.h"
#include "offsets.h"

/* Bytes of stack until the copy is made. */
#define FIRST_STACK_SIZE 2048

    .section .text.start, "ax"
    .globl monitor_start
monitor_start:
    .option push
    .option norvc
    j start
    nop
    .option pop
    .dword COTENANT_MONITOR_MAGIC
    .dword monitor_image_end - monitor_start
    .dword monitor_end - monitor_start
    .globl early_console
early_console: /* filled in by the tool: see struct monitor_header */
    .dword 0
    .word 0, 0
    .dword 0
    .word 0, 0
    .fill COTENANT_UART_SETUP_WRITES * 2, 8, 0

start:
    mv s4, a2 /* see core/handover.h */
    mv s5, a1
    csrw mie, zero
    csrw mip, zero
    lla s0, monitor_start
    ld s1, MONITOR_HEADER_IMAGE_SIZE(s0)
    add s1, s1, s0 /* struct bundle in the file */
    csrr s2, mhartid
    /* Who is the boot hart? harts[boot_hart].id, or hart 0 if this is not a bundle. */
    li t1, 0
    ld t0, 0(s1)
    li t2, COTENANT_BUNDLE_MAGIC
    bne t0, t2, 1f
    li t2, BUNDLE_BOOT_HART
    add t0, s1, t2
    lw t0, 0(t0)
    andi t0, t0, COTENANT_MAX_HARTS - 1
    slli t0, t0, 3 /* sizeof(struct bundle_hart), checked below */
    add t0, t0, s1
    li t2, BUNDLE_HARTS
    add t0, t0, t2
    lhu t1, 0(t0)
1:  bne s2, t1, wait_for_copy
    .if SIZEOF_BUNDLE_HART - 8
    .error "struct bundle_hart has changed its size"
    .endif

    /* In the file the bundle lies where bss will be: nothing but .data can be written here. */
    lla sp, first_stack_top
    mv a0, s0
    mv a1, s1
    mv a2, s4
    mv a3, s5
    call boot_relocate /* returns the address of the copy */
    mv s3, a0
    /* Let the others go to the copy, and continue there ourselves. */
    lla t0, copy_address
    fence rw, rw
    sd s3, 0(t0)
    lla t0, in_copy
    sub t0, t0, s0
    add t0, t0, s3
    fence.i
    jr t0
in_copy:
    lla sp, boot_stack_top
    mv a1, s0 /* where the file was loaded */
    lla s0, monitor_start
    lla a0, monitor_end /* struct bundle in the copy */
    mv a2, s4
    call monitor_main
    j park

wait_for_copy:
    lla t0, copy_address
3:  ld t1, 0(t0)
    beqz t1, 3b
    fence.i
    fence rw, rw
    lla t0, wait_for_release
    sub t0, t0, s0
    add t0, t0, t1
    jr t0

wait_for_release:
    lla t0, waiting_harts
    li t1, 1
    amoadd.w zero, t1, (t0)
    csrsi mie, INTERRUPT_MSI
    lla t0, released_harts
4:  wfi
    lw t1, 0(t0)
    beqz t1, 4b
    fence rw, rw
    /* Which of harts[] is this? */
    lla tp, harts
    lw t2, 4(t0) /* how many there are */
    li t3, SIZEOF_HART
5:  beqz t2, park
    lw t1, HART_ID(tp)
    beq t1, s2, 6f
    add tp, tp, t3
    addi t2, t2, -1
    j 5b
6:  ld sp, HART_STACK_TOP(tp)
    mv a0, tp
    call hart_main

/* Harts that the bundle does not need, and the boot hart when it must not go on. */
    .globl park
park:
    csrw mie, zero
7:  wfi
    j 7b

    .section .data
    .balign 8
copy_address:
    .dword 0
    .globl waiting_harts
waiting_harts:
    .word 0
    .word 0
    .globl released_harts
released_harts:
    .word 0 /* not 0: the others may go on */
    .word 0 /* how many harts[] has */
    .balign 16
    .skip FIRST_STACK_SIZE
first_stack_top:
