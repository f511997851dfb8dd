/* SPDX-License-Identifier: BSD-2-Clause */
/* First instructions of a floor: in machine mode, on a machine with one hart. */
#include "rt/begin.h"

    .section .text.start, "ax"
    .globl _start
_start:
    clear_bss_and_set_stack
    call main
    call board_end
    wait_for_ever
