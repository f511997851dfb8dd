/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uint64_t probe_hart(void): tries each feature with mtvec set to the label behind the try, so that the
 * instruction there is reached with or without a trap, and t2 tells which.
 */
#include "arch/csr.h"

    .macro try bits, instruction:vararg
    lla t0, 1f
    csrw mtvec, t0
    li t2, \bits
    \instruction
    li t2, 0
    .balign 4
1:  or a0, a0, t2
    .endm

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
    li a0, 0
    /* The time CSR. */
    try EXCEPTION_ILLEGAL_INSTRUCTION, csrr t1, time
    /* Misaligned loads and stores; the worst case, across a cache line, decides. */
    lla t1, probe_lines + 64 - 4
    try EXCEPTIONS_MISALIGNED, ld t0, 0(t1)
    /* Registers of S-mode that the monitor does not switch (monitor/state.toml): t2 counts the traps. */
    lla t0, count_and_skip
    csrw mtvec, t0
    li t2, 0
    .irp number, 0x017, 0x150, 0x181, 0x5a8 /* jvt, siselect, srmcfg, scontext */
    csrr t1, \number
    .endr
    slli t2, t2, 60
    or a0, a0, t2
    csrw mtvec, t3
    ret

    .section .bss.probe, "aw", @nobits
    .balign 64
probe_lines:
    .space 128
