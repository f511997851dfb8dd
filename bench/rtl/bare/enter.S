/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enters OpenSBI's "fw_dynamic" as its own earlier boot stage does: a0 = hart id (kept), a1 = device
 * tree, a2 = what comes after the firmware. A raw image that the tool puts at 0x80300000, with the
 * device tree at 0x80310000, the firmware at 0x80000000 and the next stage at 0x80200000.
 */
#define FIRMWARE 0x80000000
#define NEXT_STAGE 0x80200000
#define DEVICE_TREE 0x80310000
#define DYNAMIC_INFO_MAGIC 0x4942534f
#define DYNAMIC_INFO_VERSION 2
#define NEXT_MODE_S 1

    .section .text, "ax"
    .globl _start
_start:
    li a1, DEVICE_TREE
    lla a2, information
    li t0, FIRMWARE
    jr t0

    .balign 8
information:
    .dword DYNAMIC_INFO_MAGIC
    .dword DYNAMIC_INFO_VERSION
    .dword NEXT_STAGE
    .dword NEXT_MODE_S
    .dword 0 /* options */
    .dword 0 /* boot hart */
