/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * First instructions of a program that has the whole machine: entered at reset in machine mode by
 * every hart, a0 = hart id, a1 = address of the device tree. Hart 0 goes on to rt_main(); others go
 * to machine_second, with these registers and no stack, which is to wait for hart 0. Without one of
 * the program's they wait for ever.
 */
    .section .text.start, "ax"
    .globl _start
_start:
    csrw    mie, zero
    csrci   mstatus, 8
    csrr    t0, mhartid
    beqz    t0, 1f
    tail    machine_second

1:  lla     t1, bss_start
    lla     t2, bss_end
3:  bgeu    t1, t2, 4f
    sd      zero, 0(t1)
    addi    t1, t1, 8
    j       3b

4:  lla     sp, stack_top
    call    rt_main
5:  wfi
    j       5b

    .weak   machine_second
machine_second:
    j       5b

    .section .bss.stack, "aw", @nobits
    .balign 16
    .space  16384
stack_top:
