/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest_fetch_native(a0 = virtual address): the instruction there, as the loaded vhart sees it when
 * it was in the mode that mstatus.MPP names; a compressed one in the low 16 bits. All ones if it
 * cannot be read. Called from C after a trap, interrupts off, before anything changes mstatus.MPP.
 *
 * The hart reads with the tenant's translation and protection (mstatus.MPRV and MXR, privileged ISA
 * 3.1.6.3), which costs a tenth of a walk in software. The two loads may fault, for example when
 * another hart has just changed the page tables: the trap entry then goes on at
 * guest_fetch_failed, having changed t1 and t2 only.
 */
#include "arch/csr.h"

    .section .text.trap, "ax"
    .globl guest_fetch_native
    .globl guest_fetch_low
    .globl guest_fetch_high
    .globl guest_fetch_failed
guest_fetch_native:
    li t0, MSTATUS_MPRV | MSTATUS_MXR
    mv t1, a0
    csrs mstatus, t0
guest_fetch_low:
    lhu a0, 0(t1)
    andi t2, a0, 3
    addi t2, t2, -3
    bnez t2, 1f
guest_fetch_high:
    lhu t2, 2(t1)
    slli t2, t2, 16
    or a0, a0, t2
1:  csrc mstatus, t0
    ret

guest_fetch_failed:
    li a0, -1
    j 1b
