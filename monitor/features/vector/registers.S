/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vector_exchange(a0 = theirs, a1 = own) moves all vector registers and their CSRs from the hart to
 * a struct vector_registers, unless that is NULL, and then those of another one to the hart, or
 * zeros if that is NULL; mstatus.VS is not off. The rest of the monitor is built without vectors.
 *
 * Eight registers at a time, of whatever length they have (unprivileged ISA, chapter "V", section
 * 7.9): such a move does not depend on vl and vtype, but on vstart, where a vector instruction that
 * trapped goes on.
 */
#include "abi/bundle.h"

#define VSTART 0
#define VCSR 8
#define VL 16
#define VTYPE 24

    .option arch, +v
    .attribute arch, "rv64imafdcv_zicsr"
    .section .text.vector_registers, "ax"

    .macro move_all operation, place, eight
    addi \place, \place, COTENANT_VECTORS_HEAD
    \operation v0, (\place)
    add \place, \place, \eight
    \operation v8, (\place)
    add \place, \place, \eight
    \operation v16, (\place)
    add \place, \place, \eight
    \operation v24, (\place)
    .endm

    .globl vector_exchange
vector_exchange:
    csrr t4, vlenb
    slli t4, t4, 3
    csrrw t0, vstart, zero
    beqz a0, 1f
    csrr t1, vcsr
    csrr t2, vl
    csrr t3, vtype
    sd t0, VSTART(a0)
    sd t1, VCSR(a0)
    sd t2, VL(a0)
    sd t3, VTYPE(a0)
    move_all vs8r.v, a0, t4
1:  beqz a1, 2f
    ld t0, VSTART(a1)
    ld t1, VCSR(a1)
    ld t2, VL(a1)
    ld t3, VTYPE(a1)
    move_all vl8re8.v, a1, t4
    vsetvl zero, t2, t3
    csrw vcsr, t1
    csrw vstart, t0
    ret

/* As at reset (section 3.11): vtype is what no instruction accepts. */
2:  vsetvli t0, zero, e8, m8, ta, ma
    vmv.v.i v0, 0
    vmv.v.i v8, 0
    vmv.v.i v16, 0
    vmv.v.i v24, 0
    li t0, -1
    li t1, 0
    vsetvl zero, t1, t0
    csrw vcsr, zero
    ret

/* The length of a vector register in bytes; mstatus.VS is not off. */
    .globl vector_length
vector_length:
    csrr a0, vlenb
    ret
