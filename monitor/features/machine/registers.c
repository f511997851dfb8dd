/* SPDX-License-Identifier: BSD-2-Clause */
/* The CSRs of machine mode by number, wherever their state is: see csrs.h. */
#include "arch/csr.h"
#include "features/machine/machine.h"
#include "features/machine/trap_registers.h"

#define MISA_64 0x8000000000000000
#define MISA_A 0x1
#define MISA_C 0x4
#define MISA_D 0x8
#define MISA_F 0x20
#define MISA_I 0x100
#define MISA_M 0x1000
#define MISA_U 0x100000

/* The one bit of menvcfg without S-mode; section 3.1.18. */
#define MENVCFG_FIOM 0x1

static uint64_t misa(const struct vhart *vhart)
{
    return MISA_64 | MISA_A | MISA_C | MISA_I | MISA_M | MISA_U |
           (tenant_uses_fp(vhart->tenant) ? MISA_D | MISA_F : 0);
}

/* The trap setup group, 0x300 and on. */
static bool read_setup(struct vhart *vhart, uint32_t number, uint64_t *value)
{
    const struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    switch (number) {
    case CSR_MSTATUS:
        *value = machine_status(csrs, vhart->world.mstatus);
        return true;
    case CSR_MISA:
        *value = misa(vhart);
        return true;
    case CSR_MIE:
        *value = machine_interrupts(CSR_READ(mie));
        return true;
    case CSR_MTVEC:
        *value = csrs->mtvec;
        return true;
    case CSR_MCOUNTEREN:
        *value = csrs->counteren;
        return true;
    case CSR_MENVCFG:
        *value = csrs->envcfg;
        return true;
    case CSR_MEDELEG:
    case CSR_MIDELEG:
    case CSR_MCOUNTINHIBIT:
        *value = 0;
        return true;
    default:
        *value = 0;
        return number >= CSR_MHPMEVENT3 && number <= CSR_MHPMEVENT31;
    }
}

/* Those of a trap, and what is protected. */
static bool read_handling(const struct machine_csrs *csrs, uint32_t number, uint64_t *value)
{
    switch (number) {
    case CSR_MCAUSE:
        *value = machine_cause(CSR_READ(scause));
        return true;
    case CSR_MSCRATCH:
    case CSR_MEPC:
    case CSR_MTVAL:
        return trap_register_read(number - CSR_MSCRATCH + CSR_SSCRATCH, value);
    case CSR_MIP:
        *value = machine_interrupts(CSR_READ(mip));
        return true;
    case CSR_PMPCFG0:
    case CSR_PMPCFG2:
        *value = machine_pmp_config(csrs, 4 * (number - CSR_PMPCFG0));
        return true;
    default:
        if (number < CSR_PMPADDR0 || number > CSR_PMPADDR15) {
            return false;
        }
        *value = csrs->pmp_address[number - CSR_PMPADDR0];
        return true;
    }
}

/* Counters, and who the hart is. */
static bool read_information(const struct vhart *vhart, uint32_t number, uint64_t *value)
{
    const struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    *value = 0;
    switch (number) {
    case CSR_MCYCLE:
        *value = CSR_READ(mcycle) + csrs->cycle_offset;
        return true;
    case CSR_MINSTRET:
        *value = CSR_READ(minstret) + csrs->instret_offset;
        return true;
    case CSR_MHARTID:
        *value = vhart->world.vhart_id;
        return true;
    case CSR_MVENDORID:
    case CSR_MARCHID:
    case CSR_MIMPID:
    case CSR_MCONFIGPTR:
        return true;
    default:
        return number >= CSR_MHPMCOUNTER3 && number <= CSR_MHPMCOUNTER31;
    }
}

bool machine_read_csr(struct vhart *vhart, uint32_t number, uint64_t *value)
{
    if (number < CSR_MSCRATCH) {
        return read_setup(vhart, number, value);
    }
    return number < CSR_MCYCLE ? read_handling(&machine_of(vhart)->csrs, number, value)
                               : read_information(vhart, number, value);
}

static bool write_setup(struct vhart *vhart, uint32_t number, uint64_t value)
{
    struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    switch (number) {
    case CSR_MSTATUS:
        vhart->world.mstatus =
            machine_write_status(csrs, vhart->world.mstatus, value, tenant_uses_fp(vhart->tenant));
        machine_set_entry(vhart);
        return true;
    case CSR_MIE:
        CSR_WRITE(mie, INTERRUPTS_MACHINE | machine_interrupts_of_hart(value));
        return true;
    case CSR_MTVEC:
        machine_write_mtvec(csrs, value);
        machine_set_vector(vhart);
        return true;
    case CSR_MCOUNTEREN:
        csrs->counteren = value & COUNTERS_BASIC;
        CSR_WRITE(scounteren, csrs->counteren);
        return true;
    case CSR_MENVCFG:
        csrs->envcfg = value & MENVCFG_FIOM;
        return true;
    case CSR_MISA:
    case CSR_MEDELEG:
    case CSR_MIDELEG:
    case CSR_MCOUNTINHIBIT:
        return true;
    default:
        return number >= CSR_MHPMEVENT3 && number <= CSR_MHPMEVENT31;
    }
}

static bool write_handling(struct machine_csrs *csrs, uint32_t number, uint64_t value)
{
    switch (number) {
    case CSR_MCAUSE:
        CSR_WRITE(scause, machine_cause(value));
        return true;
    case CSR_MSCRATCH:
    case CSR_MEPC:
    case CSR_MTVAL:
        return trap_register_write(number - CSR_MSCRATCH + CSR_SSCRATCH, value);
    case CSR_MIP:
        return true; /* MSIP, MTIP and MEIP are read only (section 3.1.9) */
    case CSR_PMPCFG0:
    case CSR_PMPCFG2:
        machine_write_pmp_config(csrs, 4 * (number - CSR_PMPCFG0), value);
        return true;
    default:
        if (number < CSR_PMPADDR0 || number > CSR_PMPADDR15) {
            return false;
        }
        machine_write_pmp_address(csrs, number - CSR_PMPADDR0, value);
        return true;
    }
}

bool machine_write_csr(struct vhart *vhart, uint32_t number, uint64_t value)
{
    struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    if (number < CSR_MSCRATCH) {
        return write_setup(vhart, number, value);
    }
    if (number < CSR_MCYCLE) {
        return write_handling(csrs, number, value);
    }
    if (number == CSR_MCYCLE) {
        csrs->cycle_offset = value - CSR_READ(mcycle);
    } else if (number == CSR_MINSTRET) {
        csrs->instret_offset = value - CSR_READ(minstret);
    }
    return number == CSR_MCYCLE || number == CSR_MINSTRET ||
           (number >= CSR_MHPMCOUNTER3 && number <= CSR_MHPMCOUNTER31);
}
