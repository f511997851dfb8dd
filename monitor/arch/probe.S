/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uint64_t probe_emulated_exceptions(void): tries each feature with mtvec set to the label behind
 * the try, so that the instruction there is reached with or without a trap, and t2 tells which.
 */
#include "arch/csr.h"

    .section .text.probe, "ax"
    .globl probe_emulated_exceptions
probe_emulated_exceptions:
    csrr t3, mtvec
    li a0, 0

    /* The time CSR. */
    lla t0, 1f
    csrw mtvec, t0
    li t2, EXCEPTION_ILLEGAL_INSTRUCTION
    csrr t1, time
    li t2, 0
    .balign 4
1:  or a0, a0, t2

    /* Misaligned loads and stores; the worst case, across a cache line, decides. */
    lla t0, 2f
    csrw mtvec, t0
    li t2, EXCEPTIONS_MISALIGNED
    lla t1, probe_lines + 64 - 4
    ld t0, 0(t1)
    li t2, 0
    .balign 4
2:  or a0, a0, t2

    csrw mtvec, t3
    ret

    .section .bss.probe, "aw", @nobits
    .balign 64
probe_lines:
    .space 128
