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

#include "abi/csr_numbers.h"
#include "features/confine/pmp_set.h"

/* mstatus: bits that only a tenant with S-mode has. */
#define MSTATUS_TVM 0x100000
#define MSTATUS_TSR 0x400000

/* mstatus: the bits SD and UXL. */
#define STATUS_DIRTY 0x8000000000000000
#define STATUS_UXL_64 0x200000000

/* mcause: the bit. */
#define INTERRUPT 0x8000000000000000

#define MTVEC_MODE 3
#define MTVEC_VECTORED 1

struct machine_csrs {
    uint64_t status; /* MPRV and TW of mstatus */
    uint64_t mtvec;
    uint64_t counteren;
    uint64_t envcfg;
    /* What the tenant has written, less what the hart's counter was then. */
    uint64_t cycle_offset;
    uint64_t instret_offset;
    struct pmp_set pmp;
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
static inline void machine_write_mtvec(struct machine_csrs *csrs, uint64_t value)
{
    csrs->mtvec = (value & MTVEC_MODE) <= MTVEC_VECTORED ? value : csrs->mtvec;
}

/* Where exceptions go. */
static inline uint64_t machine_vector(const struct machine_csrs *csrs)
{
    return csrs->mtvec & ~(uint64_t)MTVEC_MODE;
}

/* Interrupts go to a table by their numbers, so exceptions cannot go where the hart takes them. */
static inline bool machine_is_vectored(const struct machine_csrs *csrs)
{
    return (csrs->mtvec & MTVEC_MODE) == MTVEC_VECTORED;
}

/*
 * What stvec is to be: the number of a supervisor interrupt is 2 below that of the machine's, so a
 * table begins two entries on.
 */
static inline uint64_t machine_stvec(const struct machine_csrs *csrs)
{
    return machine_is_vectored(csrs) ? csrs->mtvec + 2 * sizeof(uint32_t) : csrs->mtvec;
}

#endif
