/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fp_save(a0 = registers) and fp_load(a0 = registers) move all floating-point registers and fcsr
 * between the hart and a struct fp_registers; mstatus.FS is not off. The rest of the monitor is built
 * without floating point, so that only this file and arch/fp.S can touch those registers.
 */
    .attribute arch, "rv64imafdc_zicsr"
    .section .text.fp_registers, "ax"

    .macro move_all operation
    .set offset, 0
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \operation f\n, offset(a0)
    .set offset, offset + 8
    .endr
    .endm

    .globl fp_save
fp_save:
    move_all fsd
    frcsr t0
    sd t0, 32 * 8(a0)
    ret

    .globl fp_load
fp_load:
    move_all fld
    ld t0, 32 * 8(a0)
    fscsr t0
    ret
