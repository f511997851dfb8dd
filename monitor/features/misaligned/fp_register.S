/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of fp_register.h, called from C; mstatus.FS is not off. fp_read_register(a0 =
 * number) and fp_write_register(a0 = number, a1 = value) move one register, by a jump into a table
 * of entries of 8 bytes.
 */
    .attribute arch, "rv64imafdc_zicsr"
    .section .text.fp, "ax"

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
