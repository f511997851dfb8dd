/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of arch/fp.h, called from C; mstatus.FS is not off. fp_save(a0 = world) and
 * fp_load(a0 = world) move all floating-point registers and fcsr between the hart and a world;
 * fp_read_register(a0 = number) and fp_write_register(a0 = number, a1 = value) move one, by a jump
 * into a table of entries of 8 bytes. The rest of the monitor is built without floating point, so
 * that only this file can touch those registers.
 */
#include "offsets.h"

    .attribute arch, "rv64imafdc_zicsr"
    .section .text.fp, "ax"

    .macro move_all operation
    .set offset, VHART_FP
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \operation f\n, offset(a0)
    .set offset, offset + 8
    .endr
    .endm

    .globl fp_save
fp_save:
    move_all fsd
    frcsr t0
    sd t0, VHART_FCSR(a0)
    ret

    .globl fp_load
fp_load:
    move_all fld
    ld t0, VHART_FCSR(a0)
    fscsr t0
    ret

    .macro enter_table
    lla t0, 1f
    slli a0, a0, 3
    add t0, t0, a0
    jr t0
    .endm

    .option norvc
    .globl fp_read_register
fp_read_register:
    enter_table
1:  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fmv.x.d a0, f\n
    ret
    .endr

    .globl fp_write_register
fp_write_register:
    enter_table
1:  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fmv.d.x f\n, a1
    ret
    .endr
