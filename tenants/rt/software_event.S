/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * software_event_entry: SBI 3.0, section 17.5. a6 = hart id, a7 = struct software_event_handler; all
 * other registers are those of whoever was interrupted, and the SBI restores only a6 and a7.
 */
#include "abi/sbi.h"

#define FRAME_SIZE 128

    .macro  for_temporary_registers instruction
    \instruction ra, 0(sp)
    \instruction t0, 8(sp)
    \instruction t1, 16(sp)
    \instruction t2, 24(sp)
    \instruction a0, 32(sp)
    \instruction a1, 40(sp)
    \instruction a2, 48(sp)
    \instruction a3, 56(sp)
    \instruction a4, 64(sp)
    \instruction a5, 72(sp)
    \instruction t3, 80(sp)
    \instruction t4, 88(sp)
    \instruction t5, 96(sp)
    \instruction t6, 104(sp)
    \instruction a7, 112(sp)
    .endm

    .section .text.software_event, "ax"
    .balign 4
    .globl  software_event_entry
software_event_entry:
    sd      sp, 0(a7)
    ld      sp, 8(a7)
    addi    sp, sp, -FRAME_SIZE
    for_temporary_registers sd
    mv      a0, a6
    mv      a1, a7
    ld      t0, 16(a7)
    jalr    t0
    for_temporary_registers ld
    ld      sp, 0(a7)
    li      a6, SBI_SSE_COMPLETE
    li      a7, SBI_EXT_SSE
    ecall
    unimp
