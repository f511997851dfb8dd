/* SPDX-License-Identifier: BSD-2-Clause */
/* The code that clears a guest's memory, and goes on to its kernel or powers it off. */
#include "machine.h"

#ifdef __riscv

extern const char clearing_code[], clearing_code_end[];
extern const char power_off_code[], power_off_code_end[];

/*
 * Runs in the guest's S mode without address translation, wherever it lies; the list is behind it.
 * a0 and a1 are for the kernel. All of the guest's memory passes here, so that a round of the loop
 * clears as much as the list's numbers are multiples of, at most: 512 bytes.
 */
__asm__(".section .rodata\n"
        ".balign 8\n"
        "clearing_code:\n"
        "    lla  t0, clearing_code_end\n"
        "1:  ld   t1, 0(t0)\n"
        "    ld   t2, 8(t0)\n"
        "    addi t0, t0, 16\n"
        "    beqz t2, 3f\n"
        "2:  .set offset, 0\n"
        "    .rept 64\n"
        "    sd   zero, offset(t1)\n"
        "    .set offset, offset + 8\n"
        "    .endr\n"
        "    addi t1, t1, 512\n"
        "    bltu t1, t2, 2b\n"
        "    j    1b\n"
        "3:  jr   t1\n"
        ".balign 8\n"
        "clearing_code_end:\n"
        ".text\n");

/* SBI 2.0, section 10.1: a shutdown without a reason. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        "power_off_code:\n"
        "    li   a7, 0x53525354\n"
        "    li   a6, 0\n"
        "    li   a0, 0\n"
        "    li   a1, 0\n"
        "    ecall\n"
        "1:  j    1b\n"
        "power_off_code_end:\n"
        ".text\n");

const void *machine_power_off_code(size_t *size)
{
    *size = (size_t)(power_off_code_end - power_off_code);
    return power_off_code;
}

const void *machine_clearing_code(size_t *size)
{
    *size = (size_t)(clearing_code_end - clearing_code);
    return clearing_code;
}

#else

/* Guests of another machine are only those of tests. */
const void *machine_clearing_code(size_t *size)
{
    *size = 0;
    return "";
}

const void *machine_power_off_code(size_t *size)
{
    *size = 0;
    return "";
}

#endif
