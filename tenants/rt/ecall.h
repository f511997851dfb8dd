/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COTENANT_RT_ECALL_H
#define COTENANT_RT_ECALL_H

#include <stdint.h>

/* Declares a0 to a5 as variables in these registers, for an ecall to read and to write. */
#define ECALL_ARGUMENTS(arg0, arg1, arg2, arg3, arg4, arg5)                                        \
    register uint64_t a0 __asm__("a0") = arg0;                                                     \
    register uint64_t a1 __asm__("a1") = arg1;                                                     \
    register uint64_t a2 __asm__("a2") = arg2;                                                     \
    register uint64_t a3 __asm__("a3") = arg3;                                                     \
    register uint64_t a4 __asm__("a4") = arg4;                                                     \
    register uint64_t a5 __asm__("a5") = arg5

#endif
