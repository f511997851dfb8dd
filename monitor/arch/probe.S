/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uint64_t probe_hart(void): tries each feature by an instruction of four bytes, with mtvec set to what
 * counts its trap in t2 and goes on behind it.
 */
#include "arch/csr.h"

    .section .text.probe, "ax"
    .balign 4
count_and_skip:
    addi t2, t2, 1
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    mret

    .globl probe_hart
probe_hart:
    csrr t3, mtvec
    lla t0, count_and_skip
    csrw mtvec, t0
    /* The time CSR: EXCEPTION_ILLEGAL_INSTRUCTION. */
    li t2, 0
    csrr t1, time
    slli a0, t2, 2
    /* Misaligned loads and stores; the worst case, across a cache line, decides. */
    li t2, 0
    lla t1, probe_lines + 64 - 4
    ld t0, 0(t1)
    neg t2, t2
    andi t2, t2, EXCEPTIONS_MISALIGNED
    or a0, a0, t2
    /* Registers of S-mode that the monitor does not switch: monitor/state.toml. */
    li t2, 0
    csrr t1, 0x017 /* jvt */
    csrr t1, 0x150 /* siselect */
    csrr t1, 0x181 /* srmcfg */
    csrr t1, 0x5a8 /* scontext */
    slli t2, t2, 60
    or a0, a0, t2
    csrw mtvec, t3
    ret

    .section .bss.probe, "aw", @nobits
    .balign 64
probe_lines:
    .space 128
