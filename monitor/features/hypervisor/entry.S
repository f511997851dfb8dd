/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trap entries of harts that have the H extension, in place of those in entry/trap.S: an
 * exception from VS- or VU-mode (V = 1) comes to hypervisor_trap() in C, in the state in which the
 * other entry calls trap_dispatch(). Everything else goes on at the other entry, as if it had come
 * there.
 */
#include "entry/save_world.h"
#include "features/hypervisor/hypervisor.h"

    .section .text.trap, "ax"

    .macro filter others
    csrrw sp, mscratch, sp
    beqz sp, 1f
    sd t0, REGISTER(5)(sp)
    csrr t0, mstatus
    slli t0, t0, 63 - MSTATUS_MPV_SHIFT
    bltz t0, 3f
2:  ld t0, REGISTER(5)(sp)
1:  csrrw sp, mscratch, sp
    j \others
3:  csrr t0, mcause
    bltz t0, 2b
    sd t1, REGISTER(6)(sp)
    leave_to hypervisor_trap
    .endm

    .globl hypervisor_entry
    .balign 64
hypervisor_entry:
    filter trap_entry

    .globl hypervisor_plain_entry
    .balign 4
hypervisor_plain_entry:
    filter trap_plain_entry
