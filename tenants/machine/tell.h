/* SPDX-License-Identifier: BSD-2-Clause */
/* Payloads that tell what they try, and what becomes of it. */
#ifndef COTENANT_MACHINE_TELL_H
#define COTENANT_MACHINE_TELL_H

#include <stdint.h>

#include "machine/machine.h"
#include "rt/console.h"

/* Prints an instruction, a text, and executes it; it may use t0. */
#define TRY(instruction)                                                                           \
    do {                                                                                           \
        print("%s\n", instruction);                                                                \
        __asm__ volatile(instruction : : : "t0", "memory");                                        \
    } while (0)

/* Writes a CSR, and prints what was written and what it reads then. */
#define WRITE_AND_READ(name, value)                                                                \
    do {                                                                                           \
        CSR_WRITE(name, (uint64_t)(value));                                                        \
        print(#name " 0x%lx -> 0x%lx\n", (uint64_t)(value), (uint64_t)CSR_READ(name));             \
    } while (0)

#endif
