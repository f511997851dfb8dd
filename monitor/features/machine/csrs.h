/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine-mode CSRs that a tenant sees (privileged ISA chapter 3), of a hart with the modes M
 * and U. Pure: no register is touched here.
 *
 * A tenant in its machine mode runs in S-mode, and the hart's own supervisor registers hold the
 * state that hardware works with: sstatus.SIE, SPIE and SPP are its MIE, MPIE and MPP, bits 1, 5
 * and 9 of mie and mip its bits 3, 7 and 11, and sscratch, sepc, scause, stval its mscratch, mepc,
 * mcause, mtval. So the hart itself takes the tenant's interrupts and environment calls to the
 * tenant's handler. What has no such twin is in struct machine_csrs.
 */
#ifndef COTENANT_FEATURES_MACHINE_CSRS_H
#define COTENANT_FEATURES_MACHINE_CSRS_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of CSRs. */
#define CSR_SSTATUS 0x100
#define CSR_SIE 0x104
#define CSR_STVEC 0x105
#define CSR_SCOUNTEREN 0x106
#define CSR_SSCRATCH 0x140
#define CSR_SEPC 0x141
#define CSR_SCAUSE 0x142
#define CSR_STVAL 0x143
#define CSR_SIP 0x144
#define CSR_SATP 0x180
#define CSR_MSTATUS 0x300
#define CSR_MISA 0x301
#define CSR_MEDELEG 0x302
#define CSR_MIDELEG 0x303
#define CSR_MIE 0x304
#define CSR_MTVEC 0x305
#define CSR_MCOUNTEREN 0x306
#define CSR_MENVCFG 0x30a
#define CSR_MCOUNTINHIBIT 0x320
#define CSR_MHPMEVENT3 0x323
#define CSR_MHPMEVENT31 0x33f
#define CSR_MSCRATCH 0x340
#define CSR_MEPC 0x341
#define CSR_MCAUSE 0x342
#define CSR_MTVAL 0x343
#define CSR_MIP 0x344
#define CSR_PMPCFG0 0x3a0
#define CSR_PMPCFG2 0x3a2
#define CSR_PMPADDR0 0x3b0
#define CSR_PMPADDR15 0x3bf
#define CSR_MCYCLE 0xb00
#define CSR_MINSTRET 0xb02
#define CSR_MHPMCOUNTER3 0xb03
#define CSR_MHPMCOUNTER31 0xb1f
#define CSR_HPMCOUNTER3 0xc03
#define CSR_HPMCOUNTER31 0xc1f
#define CSR_MVENDORID 0xf11
#define CSR_MARCHID 0xf12
#define CSR_MIMPID 0xf13
#define CSR_MHARTID 0xf14
#define CSR_MCONFIGPTR 0xf15

#define MACHINE_PMP_ENTRIES 16

/* mstatus: bits that only a tenant with S-mode has. */
#define MSTATUS_TVM 0x100000
#define MSTATUS_TSR 0x400000

/* The mode that a CSR's number says (section 2.1). */
static inline bool csr_is_of_machine(uint32_t number)
{
    return (number >> 8 & 3) == 3;
}

struct machine_csrs {
    uint64_t status; /* MPRV and TW of mstatus */
    uint64_t mtvec;
    uint64_t counteren;
    uint64_t envcfg;
    /* What the tenant has written, less what the hart's counter was then. */
    uint64_t cycle_offset;
    uint64_t instret_offset;
    uint64_t pmp_address[MACHINE_PMP_ENTRIES];
    uint8_t pmp_config[MACHINE_PMP_ENTRIES];
};

/* mstatus, from what the hart has in its own with the tenant in machine mode. */
uint64_t machine_status(const struct machine_csrs *csrs, uint64_t hart_status);

/*
 * Writes mstatus and returns what the hart's is to be. A reserved MPP leaves it as it is. `fp`: the
 * tenant has floating-point registers.
 */
uint64_t machine_write_status(struct machine_csrs *csrs, uint64_t hart_status, uint64_t value,
                              bool fp);

/* mcause from scause, and scause from mcause: the same exchange of numbers. */
uint64_t machine_cause(uint64_t cause);

/* mie or mip from sie or sip, and back. */
static inline uint64_t machine_interrupts(uint64_t supervisor)
{
    return (supervisor & 0x222) << 2;
}

static inline uint64_t machine_interrupts_of_hart(uint64_t machine)
{
    return machine >> 2 & 0x222;
}

/* A reserved mode leaves it as it is. */
void machine_write_mtvec(struct machine_csrs *csrs, uint64_t value);

/* Where exceptions go. */
uint64_t machine_vector(const struct machine_csrs *csrs);

/* Interrupts go to a table by their numbers, so exceptions cannot go where the hart takes them. */
bool machine_is_vectored(const struct machine_csrs *csrs);

/*
 * What stvec is to be: the number of a supervisor interrupt is 2 below that of the machine's, so a
 * table begins two entries on.
 */
uint64_t machine_stvec(const struct machine_csrs *csrs);

/* pmpcfg0 or pmpcfg2, by its first entry, 0 or 8; section 3.7.1. Kept, and not applied. */
uint64_t machine_pmp_config(const struct machine_csrs *csrs, unsigned first);
void machine_write_pmp_config(struct machine_csrs *csrs, unsigned first, uint64_t value);
void machine_write_pmp_address(struct machine_csrs *csrs, unsigned entry, uint64_t value);

#endif
