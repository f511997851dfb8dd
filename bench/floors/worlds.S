/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine mode's way into the worlds and back, of which nothing is counted.
 *
 * floor_go(a0 = target, a1 = argument) jumps to the target, with the argument in t6, and returns when
 * a trap comes to floor_check: all registers of the hart are then in the world SEEN. floor_enter is a
 * target, which goes where mepc and mstatus say.
 */
#include "moves.h"

    .macro move_kept operation
    \operation ra, 0(t0)
    \operation sp, 8(t0)
    \operation gp, 16(t0)
    \operation tp, 24(t0)
    .set at, 32
    .irp n, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    \operation x\n, at(t0)
    .set at, at + 8
    .endr
    .endm

    .text
    .globl floor_go, floor_enter, floor_check
floor_go:
    lla t0, kept
    move_kept sd
    mv t6, a1
    jr a0

floor_enter:
    mret

    .balign 4
floor_check:
    csrrw sp, mscratch, sp
    move_general sd, SEEN
    csrrw t0, mscratch, sp
    sd t0, SEEN + REGISTER(2)(sp)
    csrr t0, mepc
    sd t0, SEEN + PC(sp)
    li t0, MSTATUS_FS
    csrrs t0, mstatus, t0
    sd t0, SEEN + WORLD_MSTATUS(sp)
    move_floating fsd, SEEN, sp
    csrr t0, fcsr
    sd t0, SEEN + WORLD_FCSR(sp)
    lla t0, kept
    move_kept ld
    ret

    .bss
    .balign 8
kept:
    .space 16 * 8
