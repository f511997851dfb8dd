/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs with two harts: hart 0 says what hart 1 is to do, and waits for it. Hart 1 sleeps until
 * hart 0 interrupts it, without taking that; then it comes to machine_second_main().
 */
#ifndef COTENANT_MACHINE_TASKS_H
#define COTENANT_MACHINE_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

#define HARTS 2
#define MSIP_OF(hart) REGISTER32(MSIP + 4 * (hart))
#define MTIMECMP_OF(hart) REGISTER64(MTIMECMP + 8 * (hart))

/* Of the program, whose tasks count from 1. */
#define IDLE 0
static void carry_out(int wanted);
void machine_second_main(uint64_t hart, uint64_t devicetree);

_Alignas(16) uint8_t machine_second_stack[4096];
static int task; /* hart 1 puts IDLE there when it is done */
static bool arrived;

/* In the place of start.S'. */
__asm__(".section .text\n"
        ".globl machine_second\n"
        "machine_second:\n"
        "csrwi mie, 8\n"
        "1: wfi\n"
        "csrr t0, mip\n"
        "andi t0, t0, 8\n"
        "beqz t0, 1b\n"
        "lla sp, machine_second_stack + 4096\n"
        "call machine_second_main\n"
        "j .\n");

static inline void await_hart_1(void)
{
    MSIP_OF(1) = 1;
    while (!__atomic_load_n(&arrived, __ATOMIC_ACQUIRE)) {
    }
}

static inline __attribute__((noreturn)) void carry_out_all(void)
{
    __atomic_store_n(&arrived, true, __ATOMIC_RELEASE);
    for (;;) {
        int wanted = __atomic_load_n(&task, __ATOMIC_ACQUIRE);

        if (wanted != IDLE) {
            carry_out(wanted);
            __atomic_store_n(&task, IDLE, __ATOMIC_RELEASE);
        }
    }
}

static inline void begin(int wanted)
{
    __atomic_store_n(&task, wanted, __ATOMIC_RELEASE);
}

static inline void end(void)
{
    while (__atomic_load_n(&task, __ATOMIC_ACQUIRE) != IDLE) {
    }
}

#endif
