/* SPDX-License-Identifier: BSD-2-Clause */
/* For the first instructions of a program, in assembly: its memory, and its stack of 16 KB. */
#ifndef COTENANT_RT_BEGIN_H
#define COTENANT_RT_BEGIN_H

/* clang-format off */
/* Clears .bss and sets sp; uses t1 and t2. */
    .macro clear_bss_and_set_stack
    lla     t1, bss_start
    lla     t2, bss_end
.Lclear\@:
    bgeu    t1, t2, .Lcleared\@
    sd      zero, 0(t1)
    addi    t1, t1, 8
    j       .Lclear\@
.Lcleared\@:
    lla     sp, stack_top
    .endm

/* Stays here, and reserves the stack. */
    .macro wait_for_ever
.Lwait\@:
    wfi
    j       .Lwait\@

    .section .bss.stack, "aw", @nobits
    .balign 16
    .space  16384
stack_top:
    .endm
/* clang-format on */

#endif
