/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * First instructions of every tenant, at the first byte of its image.
 *
 * Entered once, in S-mode, satp = 0, by the monitor (or any SBI firmware): a0 = hart id, a1 =
 * address of the device tree, all else unknown. The image is linked at address 0 and may have been
 * loaded at any address that is a multiple of 4096. It relocates itself: the build makes sure that
 * R_RISCV_RELATIVE is the only kind of relocation (ELF psABI for RISC-V, "Relocations"), so that an
 * entry {offset, info, addend} means: the word at load address + offset = load address + addend.
 * Then it clears .bss, sets the stack and tp (harts.h) and calls rt_main(hart id, device tree), which stays away.
 */
#include "rt/begin.h"

    .section .text.start, "ax"
    .globl _start
_start:
    csrw    sie, zero
    csrci   sstatus, 2

    lla     t0, image_start
    lla     t1, relocations_start
    lla     t2, relocations_end
1:  bgeu    t1, t2, 2f
    ld      t3, 0(t1)
    ld      t4, 16(t1)
    add     t3, t3, t0
    add     t4, t4, t0
    sd      t4, 0(t3)
    addi    t1, t1, 24
    j       1b

2:  clear_bss_and_set_stack
    lla     tp, first_hart
    call    rt_main
    wait_for_ever
