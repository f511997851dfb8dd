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
    .globl probe_hart
probe_hart:
    csrr t3, mtvec
    li a0, 0
    /* The time CSR. */
    try EXCEPTION_ILLEGAL_INSTRUCTION, csrr t1, time
    /* Misaligned loads and stores; the worst case, across a cache line, decides. */
    lla t1, probe_lines + 64 - 4
    try EXCEPTIONS_MISALIGNED, ld t0, 0(t1)
    /* Registers of S-mode that the monitor does not switch (monitor/state.toml): PROBE_ALL_IS_KEPT. */
    try 1 << 60, csrr t1, 0x017 /* jvt */
    try 1 << 61, csrr t1, 0x150 /* siselect */
    try 1 << 62, csrr t1, 0x181 /* srmcfg */
    try 1 << 63, csrr t1, 0x5a8 /* scontext */
    csrw mtvec, t3
    ret

    .section .bss.probe, "aw", @nobits
    .balign 64
probe_lines:
    .space 128
