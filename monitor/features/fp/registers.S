/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fp_exchange(a0 = theirs, a1 = own, a2 = brings) moves all floating-point registers and fcsr from
 * the hart to a struct fp_registers, unless that is NULL, and sets the bool to true; and then those
 * of another one to the hart; mstatus.FS is not off. The rest of the monitor is built without
 * floating point, so that only this file and features/misaligned/fp_register.S can touch those
 * registers.
 */
    .attribute arch, "rv64imafdc_zicsr"
    .section .text.fp_registers, "ax"

    .macro move_all operation, registers
    .set offset, 0
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \operation f\n, offset(\registers)
    .set offset, offset + 8
    .endr
    .endm

    .globl fp_exchange
fp_exchange:
    beqz a0, 1f
    move_all fsd, a0
    frcsr t0
    sd t0, 32 * 8(a0)
    li t0, 1
    fence w, w                          /* for a hart that sees it set */
    sb t0, 0(a2)
1:  move_all fld, a1
    ld t0, 32 * 8(a1)
    fscsr t0
    ret
