/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of the board that a program for the whole machine has built in: QEMU's "virt". */
#ifndef COTENANT_MACHINE_MACHINE_H
#define COTENANT_MACHINE_MACHINE_H

#include <stdint.h>

#include "rt/csr.h"

#define MSIP 0x2000000
#define MTIMECMP 0x2004000
#define MTIME 0x200bff8
#define TIMEBASE_HZ 10000000

#define FINISHER 0x100000
#define FINISHER_FAIL 0x3333
#define FINISHER_PASS 0x5555
#define FINISHER_RESET 0x7777

/* A register of the machine. */
#define REGISTER32(address) (*(volatile uint32_t *)(address))
#define REGISTER64(address) (*(volatile uint64_t *)(address))

#define CSR_READ(name)                                                                             \
    ({                                                                                             \
        uint64_t csr_value;                                                                        \
        __asm__ volatile("csrr %0, " #name : "=r"(csr_value));                                     \
        csr_value;                                                                                 \
    })
#define CSR_WRITE(name, value) __asm__ volatile("csrw " #name ", %0" : : "r"(value) : "memory")
#define CSR_SET(name, bits) __asm__ volatile("csrs " #name ", %0" : : "r"(bits) : "memory")
#define CSR_CLEAR(name, bits) __asm__ volatile("csrc " #name ", %0" : : "r"(bits) : "memory")

#define MSTATUS_MIE 0x8ul
#define MSTATUS_MPIE 0x80ul
#define MSTATUS_MPP 0x1800ul
#define MSTATUS_MPRV 0x20000ul
#define MSTATUS_TW 0x200000ul
#define INTERRUPT_MSI 0x8ul
#define INTERRUPT_MTI 0x80ul
#define INTERRUPT_MEI 0x800ul
#define CAUSE_ILLEGAL_INSTRUCTION 2
#define CAUSE_ECALL_FROM_U 8
#define CAUSE_ECALL_FROM_M 11

/* Of trap.S: mscratch holds the stack of the handler. */
extern const char machine_direct[];
extern const char machine_vectors[];
extern const char machine_user_done[];
void machine_call_user(void (*function)(void), void *stack);
void machine_call_supervisor(void (*function)(void), void *stack);

/* The program's handler. */
void machine_trap(uint64_t *registers, uint64_t entry);

/* Of trap.S, for stvec: a program with S-mode has a handler of that as well. */
extern const char supervisor_entry[];
void supervisor_trap(uint64_t *registers);

#endif
