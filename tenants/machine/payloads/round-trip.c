/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a call costs from user mode to machine mode and back: with an entry of the PMP that opens
 * everything, and with entries that confine user mode to its code.
 */
#include "bench/samples.h"
#include "machine/machine.h"
#include "rt/console.h"

#define READ_EXECUTE_NAPOT 0x1dul
#define ALL_NAPOT 0x1ful

extern const char user_code[];
extern const char round_trip_entry[];
void user_calls(void);

/* In user mode t0 is not kept. a7 says whether the call is the one that ends it. */
__asm__(".pushsection .text.user, \"ax\"\n"
        ".balign 4096\n"
        "user_code:\n"
        "user_calls:\n"
        "li a7, 0\n"
        "csrr a0, cycle\n"
        "ecall\n"
        "csrr a1, cycle\n"
        "sub a0, a1, a0\n"
        "li a7, 1\n"
        "ecall\n"
        ".balign 4096\n"
        ".popsection\n"
        ".text\n"
        ".balign 4\n"
        "round_trip_entry:\n"
        "bnez a7, 1f\n"
        "csrr t0, mepc\n"
        "addi t0, t0, 4\n"
        "csrw mepc, t0\n"
        "mret\n"
        "1: lla t0, measured\n"
        "sd a0, 0(t0)\n"
        "j machine_direct\n");

__attribute__((used)) uint64_t measured;
static _Alignas(16) uint8_t handler_stack[4096];

void machine_trap(uint64_t *registers, uint64_t entry)
{
    (void)registers;
    (void)entry;
    CSR_SET(mstatus, MSTATUS_MPP);
    CSR_WRITE(mepc, machine_user_done);
}

static uint64_t measure(void)
{
    machine_call_user(user_calls, 0);
    return measured - bench_overhead();
}

void main(void)
{
    CSR_WRITE(mtvec, round_trip_entry);
    CSR_WRITE(mscratch, handler_stack + sizeof(handler_stack));
    CSR_WRITE(mcounteren, 7ul);
    CSR_WRITE(scounteren, 7ul); /* user mode of a hart that has S-mode asks this one, too */
    CSR_WRITE(pmpaddr0, (1ul << 54) - 1);
    CSR_WRITE(pmpcfg0, ALL_NAPOT);
    bench_sample("open", measure);
    CSR_WRITE(pmpaddr0, (uint64_t)user_code >> 2 | 0x1ff);
    CSR_WRITE(pmpcfg0, READ_EXECUTE_NAPOT);
    bench_sample("confined", measure);
    bench_finish();
}
