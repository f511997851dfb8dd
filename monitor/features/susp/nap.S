/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sleep of a vhart that keeps its hart while it waits.
 *
 * The vhart itself runs this, in M-mode: its world is loaded, mscratch holds it, and a machine
 * interrupt saves and schedules it as if it ran its own code. So others preempt it as ever, its own
 * interrupts are seen where they arrive, the passed-through ones of the hart's S-mode context
 * included, and nothing else in the monitor has to know. Supervisor interrupts are delegated: they
 * end the WFI but are not taken in M-mode. Machine interrupts are let in at one place only, so that
 * nothing comes between the look at mip and the mret that ends the nap.
 *
 * vhart_nap: entered by world_enter() with MPP = M; a0 and a1 may change. It ends in S-mode at
 * its nap_pc with a0 and a1 from the world and all other registers as they were.
 */
#include "arch/csr.h"
#include "features/susp/nap.h"
#include "offsets.h"

    .section .text.nap, "ax"
    .globl vhart_nap
vhart_nap:
    csrci mstatus, MSTATUS_MIE
    wfi
    csrr a0, mip
    csrr a1, mie
    and a0, a0, a1
    andi a0, a0, INTERRUPTS_SUPERVISOR
    bnez a0, 1f
    csrsi mstatus, MSTATUS_MIE
    j vhart_nap

1:  li a0, MSTATUS_MPP | MSTATUS_MPIE
    csrc mstatus, a0
    li a0, MSTATUS_MPP_S
    csrs mstatus, a0
    csrr a0, mscratch
    lwu a0, VHART_INDEX(a0)
    li a1, SUSPEND_SIZE
    mul a0, a0, a1
    lla a1, suspends
    add a0, a0, a1
    ld a1, SUSPEND_NAP_PC(a0)
    csrw mepc, a1
    sd zero, SUSPEND_NAP_PC(a0)
    ld a1, SUSPEND_NAP_ARGUMENTS + 8(a0)
    ld a0, SUSPEND_NAP_ARGUMENTS(a0)
    mret
