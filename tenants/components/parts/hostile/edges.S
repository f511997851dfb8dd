/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What C cannot do. again and sink, invoked with any sp, use no stack: each invokes itself through
 * entry 0 or 1 of the capability table until the kernel refuses.
 */
#include "components/interface.h"

/* Of a C caller's, in `keep`: the other side of an ecall may leave anything in them. */
    .macro  kept instruction, base
    \instruction sp, 0(\base)
    \instruction ra, 8(\base)
    .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    \instruction s\number, (16 + 8 * \number)(\base)
    .endr
    .endm

    .text
    .globl  export_again, export_sink, hostile_registers, hostile_with_stack
export_again:
    li      a7, 0
    ecall
    beqz    a0, 1f
    addi    a0, a0, -ERROR_DEPTH
    seqz    a1, a0
    j       2f
1:  addi    a1, a1, 1
2:  li      a7, CALL_RETURN
    ecall
    unimp

export_sink:
    li      a7, 1
    ecall
    beqz    a0, 2b
    unimp

hostile_registers:
    la      a2, keep
    kept    sd, a2
    sd      a1, 112(a2)
    mv      a7, a0
    ecall
    la      a2, keep
    kept    ld, a2
    ld      a1, 112(a2)
    sd      t0, 0(a1)
    sd      t1, 8(a1)
    sd      t2, 16(a1)
    sd      t3, 24(a1)
    sd      t4, 32(a1)
    sd      t5, 40(a1)
    sd      t6, 48(a1)
    sd      tp, 56(a1)
    ret

hostile_with_stack:
    la      a2, keep
    kept    sd, a2
    mv      sp, a0
    li      a7, 0
    ecall
    mv      a0, sp
    la      a2, keep
    kept    ld, a2
    ret

    .bss
    .balign 8
keep:
    .space  120

    .text

/* void hostile_reply_twice(void): the first is the reply; behind it this thread is elsewhere. */
    .globl  hostile_reply_twice
hostile_reply_twice:
    li      a0, ERROR_FAILED
    li      a1, 0
    li      a7, CALL_RETURN
    ecall
    li      a0, ERROR_FAILED
    li      a1, 2
    li      a7, CALL_RETURN
    ecall
    unimp
