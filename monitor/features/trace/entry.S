/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trap entry while a trace is recorded, in place of the one in entry/trap.S: the plain path for
 * every trap, by way of trace_trap(), and none of the fast paths, which record nothing. It leaves
 * mscratch, the world and the stack as that one does before it calls trap_dispatch().
 */
#include "entry/save_world.h"

    .section .text.trap, "ax"
    .globl trace_entry
    .balign 64
trace_entry:
    csrrw sp, mscratch, sp
    beqz sp, 1f
    sd t0, REGISTER(5)(sp)
    sd t1, REGISTER(6)(sp)
    leave_to trace_trap
1:  csrrw sp, mscratch, sp
    j trap_entry /* a trap inside the monitor */
