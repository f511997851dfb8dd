/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * On a hart with the H extension, a program in machine mode can have a guest: what the monitor
 * emulates quickly for machine mode must not take that guest's pc, which is translated, for an
 * address of the machine. The guest stores to mtimecmp from where the machine has nothing.
 */
#include "machine/machine.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define HSTATUS_SPV 0x80ul
#define GIGABYTE_SHIFT 30
#define EMPTY 4ul            /* a gigabyte of the machine that has neither memory nor devices */
#define ENTRY_OF_KERNEL 0xcf /* V, R, W, X, A, D */
#define ENTRY_OF_TABLE 0x01

static uint64_t table[512] __attribute__((aligned(4096)));
static uint8_t handler_stack[4096] __attribute__((aligned(16)));

void machine_trap(uint64_t *registers, uint64_t entry)
{
    (void)registers;
    (void)entry;
    print("PASS hostile-virtual\n");
    sbi_shutdown(false);
}

/* Each store is refused: the table for its address is not the tenant's. */
void guest(void);

__asm__(".balign 4\n.option push\n.option norvc\n.globl guest\nguest: sd zero, 0(a0)\n"
        "ecall\nj guest\n.option pop\n");

void main(void)
{
    uint64_t own = platform.memory_base >> GIGABYTE_SHIFT;
    uint64_t offset = (EMPTY - own) << GIGABYTE_SHIFT;

    table[0] = (platform.memory_base + platform.memory_size) >> 2 | ENTRY_OF_TABLE;
    table[EMPTY] = own << (GIGABYTE_SHIFT - 2) | ENTRY_OF_KERNEL;
    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, handler_stack + sizeof(handler_stack));
    CSR_WRITE(0x680, 0);                                  /* hgatp */
    CSR_WRITE(0x280, 8ul << 60 | (uintptr_t)table >> 12); /* vsatp */
    CSR_SET(0x600, HSTATUS_SPV);                          /* hstatus */
    CSR_WRITE(sepc, (uintptr_t)guest + offset);
    CSR_SET(sstatus, SSTATUS_SPP);
    __asm__ volatile("mv a0, %0\nsret" : : "r"((uint64_t)MTIMECMP) : "a0", "memory");
}
