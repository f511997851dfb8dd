/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uint64_t trigger_probe(void): 1 if tselect (0x7a0), tdata1 and tdata2 are there, else 0. An access
 * that traps goes on behind the last one, as in arch/probe.S.
 */
    .section .text.trigger_probe, "ax"
    .globl trigger_probe
trigger_probe:
    csrr t3, mtvec
    li a0, 0
    lla t0, 1f
    csrw mtvec, t0
    csrw 0x7a0, zero
    csrr t1, 0x7a1
    csrr t1, 0x7a2
    li a0, 1
    .balign 4
1:  csrw mtvec, t3
    ret
