/* SPDX-License-Identifier: BSD-2-Clause */
/* The CSRs of machine mode and S-mode by number, as a tenant's machine mode above S-mode sees them.
 */
#include "arch/csr.h"
#include "arch/timer.h"
#include "features/machine/inner.h"
#include "features/machine/machine.h"
#include "features/machine/trap_registers.h"

#define MISA_S 0x40000

/* mstatus: what the hart's own register holds for the tenant, and what struct inner does. */
#define STATUS_SUPERVISOR                                                                          \
    (MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP | MSTATUS_FS | MSTATUS_SUM | MSTATUS_MXR)
#define STATUS_HELD                                                                                \
    (MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPRV | MSTATUS_TVM | MSTATUS_TW | MSTATUS_TSR)
#define STATUS_DIRTY 0x8000000000000000
#define STATUS_UXL_64 0x200000000
#define STATUS_SXL_64 0x800000000
#define MPP_RESERVED 0x1000

/* Causes that may be S-mode's: all but environment calls from machine mode; table 3.6. */
#define EXCEPTIONS_FOR_S 0xb3ff
#define MENVCFG_FIOM 0x1

static struct inner *inner_of(const struct vhart *vhart)
{
    return &machine_of(vhart)->inner;
}

uint64_t inner_pending(const struct vhart *vhart)
{
    uint64_t pending = CSR_READ(mip) & INTERRUPTS_SUPERVISOR;

    if (__atomic_load_n(&machine_of(vhart)->msip, __ATOMIC_RELAXED) != 0) {
        pending |= INTERRUPT_MSI;
    }
    if (machine_parked[vhart_index(vhart)].mtimecmp <= hart_now(vhart->world.hart)) {
        pending |= INTERRUPT_MTI;
    }
    return pending;
}

static uint64_t menvcfg_bits(const struct vhart *vhart)
{
    if ((vhart->world.hart->features & HART_ENVCFG) == 0) {
        return MENVCFG_FIOM;
    }
    return MENVCFG_FIOM | (CSR_READ(0x30a) & ~(uint64_t)MENVCFG_STCE);
}

static uint64_t supervisor_status(const struct vhart *vhart)
{
    uint64_t status = vhart->world.mstatus;

    return STATUS_UXL_64 | (status & (STATUS_SUPERVISOR | STATUS_DIRTY));
}

static void write_supervisor_status(struct vhart *vhart, uint64_t value)
{
    uint64_t bits = tenant_uses_fp(vhart->tenant) ? STATUS_SUPERVISOR
                                                  : STATUS_SUPERVISOR & ~(uint64_t)MSTATUS_FS;

    vhart->world.mstatus = (vhart->world.mstatus & ~bits) | (value & bits);
}

static void write_status(struct vhart *vhart, uint64_t value)
{
    struct inner *inner = inner_of(vhart);
    uint64_t mpp = value & MSTATUS_MPP;

    if (mpp == MPP_RESERVED) {
        mpp = inner->status & MSTATUS_MPP;
    }
    inner->status = (value & STATUS_HELD) | mpp;
    write_supervisor_status(vhart, value);
}

/* SSIP and STIP; SEIP is the interrupt controller's. */
static void write_pending(struct vhart *vhart, uint64_t value, uint64_t bits)
{
    bool native = timer_is_native(vhart->world.hart);

    if ((bits & INTERRUPT_STI) != 0 && native) {
        write_stimecmp((value & INTERRUPT_STI) != 0 ? 0 : TIME_NEVER);
        bits &= ~(uint64_t)INTERRUPT_STI;
    }
    vhart_clear_interrupt(vhart, bits & ~value);
    vhart_raise_interrupt(vhart, bits & value);
}

/* What the hart does not support is not taken. No access is made before satp is 0 again. */
static void write_satp(struct inner *inner, uint64_t value)
{
    uint64_t taken;

    CSR_WRITE(satp, value);
    taken = CSR_READ(satp);
    CSR_WRITE(satp, 0);
    if (taken >> SATP_MODE_SHIFT == value >> SATP_MODE_SHIFT) {
        inner->satp = taken;
    }
}

static bool read_supervisor(const struct vhart *vhart, uint32_t number, uint64_t *value)
{
    const struct inner *inner = inner_of(vhart);

    switch (number) {
    case CSR_SSTATUS:
        *value = supervisor_status(vhart);
        return true;
    case CSR_SIE:
        *value = inner->mie & inner->mideleg;
        return true;
    case CSR_STVEC:
        *value = CSR_READ(stvec);
        return true;
    case CSR_SCOUNTEREN:
        *value = inner->scounteren;
        return true;
    case CSR_SIP:
        *value = inner_pending(vhart) & inner->mideleg;
        return true;
    case CSR_SATP:
        *value = inner->satp;
        return true;
    default:
        return trap_register_read(number, value);
    }
}

static bool write_supervisor(struct vhart *vhart, uint32_t number, uint64_t value)
{
    struct inner *inner = inner_of(vhart);

    switch (number) {
    case CSR_SSTATUS:
        write_supervisor_status(vhart, value);
        return true;
    case CSR_SIE:
        inner->mie = (inner->mie & ~inner->mideleg) | (value & inner->mideleg);
        return true;
    case CSR_STVEC:
        CSR_WRITE(stvec, value);
        return true;
    case CSR_SCOUNTEREN:
        inner->scounteren = value & COUNTERS_BASIC;
        return true;
    case CSR_SIP:
        write_pending(vhart, value, INTERRUPT_SSI & inner->mideleg);
        return true;
    case CSR_SATP:
        write_satp(inner, value);
        return true;
    default:
        return trap_register_write(number, value);
    }
}

/* Those of machine mode that are not as in a machine without S-mode. */
static bool read_own(struct vhart *vhart, uint32_t number, uint64_t *value)
{
    const struct inner *inner = inner_of(vhart);

    switch (number) {
    case CSR_MSTATUS:
        *value = supervisor_status(vhart) | STATUS_SXL_64 | inner->status;
        return true;
    case CSR_MIE:
        *value = inner->mie;
        return true;
    case CSR_MIP:
        *value = inner_pending(vhart);
        return true;
    case CSR_MEDELEG:
        *value = inner->medeleg;
        return true;
    case CSR_MIDELEG:
        *value = inner->mideleg;
        return true;
    case CSR_MSCRATCH:
        *value = inner->mscratch;
        return true;
    case CSR_MEPC:
        *value = inner->mepc;
        return true;
    case CSR_MCAUSE:
        *value = inner->mcause;
        return true;
    case CSR_MTVAL:
        *value = inner->mtval;
        return true;
    default:
        return false;
    }
}

static bool write_own(struct vhart *vhart, uint32_t number, uint64_t value)
{
    struct inner *inner = inner_of(vhart);
    struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    switch (number) {
    case CSR_MSTATUS:
        write_status(vhart, value);
        return true;
    case CSR_MIE:
        inner->mie = value & INTERRUPTS_ALL;
        return true;
    case CSR_MIP:
        write_pending(vhart, value, INTERRUPT_SSI | INTERRUPT_STI);
        return true;
    case CSR_MEDELEG:
        inner->medeleg = value & EXCEPTIONS_FOR_S;
        return true;
    case CSR_MIDELEG:
        inner->mideleg = value & INTERRUPTS_SUPERVISOR;
        return true;
    case CSR_MTVEC:
        machine_write_mtvec(csrs, value);
        return true;
    case CSR_MCOUNTEREN:
        csrs->counteren = value & COUNTERS_BASIC;
        return true;
    case CSR_MENVCFG:
        csrs->envcfg = value & menvcfg_bits(vhart);
        return true;
    case CSR_MSCRATCH:
        inner->mscratch = value;
        return true;
    case CSR_MEPC:
        inner->mepc = value & ~1ul;
        return true;
    case CSR_MCAUSE:
        inner->mcause = value;
        return true;
    case CSR_MTVAL:
        inner->mtval = value;
        return true;
    default:
        return false;
    }
}

bool inner_read_csr(struct vhart *vhart, uint32_t number, uint64_t *value)
{
    if (number >= CSR_HPMCOUNTER3 && number <= CSR_HPMCOUNTER31) {
        *value = 0;
        return true;
    }
    if (read_own(vhart, number, value) || read_supervisor(vhart, number, value)) {
        return true;
    }
    if (!csr_is_of_machine(number) || !machine_read_csr(vhart, number, value)) {
        return false;
    }
    *value |= number == CSR_MISA ? MISA_S : 0;
    return true;
}

bool inner_write_csr(struct vhart *vhart, uint32_t number, uint64_t value)
{
    return write_own(vhart, number, value) || write_supervisor(vhart, number, value) ||
           (csr_is_of_machine(number) && machine_write_csr(vhart, number, value));
}
