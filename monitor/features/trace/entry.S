/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trap entry while a trace is recorded, in place of the one in entry/trap.S: the plain path for
 * every trap, by way of trace_trap(), and none of the fast paths, which record nothing. It leaves
 * mscratch, the world and the stack as that one does before it calls trap_dispatch().
 */
#include "offsets.h"

#define REGISTER(n) ((n) * 8)

    .section .text.trap, "ax"
    .globl trace_entry
    .balign 64
trace_entry:
    csrrw sp, mscratch, sp
    beqz sp, 1f
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    sd x\n, REGISTER(\n)(sp)
    .endr
    csrrw t0, mscratch, zero /* the tenant's sp */
    csrr t1, mepc
    csrr t2, mstatus
    sd t0, REGISTER(2)(sp)
    sd t1, REGISTER(0)(sp)
    sd t2, WORLD_MSTATUS(sp)
    ld tp, WORLD_HART(sp)
    ld sp, HART_STACK_TOP(tp)
    mv a0, tp
    call trace_trap
    j world_enter
1:  csrrw sp, mscratch, sp
    j trap_entry /* a trap inside the monitor */
