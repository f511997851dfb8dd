/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * First instructions of a program that has the whole machine: entered at reset in machine mode by
 * every hart, a0 = hart id, a1 = address of the device tree. Hart 0 goes on to rt_main(); others go
 * to machine_second, with these registers and no stack, which is to wait for hart 0. Without one of
 * the program's they wait for ever.
 */
#include "rt/begin.h"

    .section .text.start, "ax"
    .globl _start
_start:
    csrw    mie, zero
    csrci   mstatus, 8
    csrr    t0, mhartid
    beqz    t0, first
    tail    machine_second

first:
    clear_bss_and_set_stack
    call    rt_main

    .weak   machine_second
machine_second:
    wait_for_ever
