/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CSRs of machine mode, and of S-mode below it, by number, wherever their state is: csrs.h and
 * machine.h have that.
 */
#include "arch/csr.h"
#include "arch/timer.h"
#include "features/machine/machine.h"

#define MISA_RV64IMACU 0x8000000000101105
#define MISA_FD 0x28
#define MISA_S 0x40000

/* The one bit of menvcfg without S-mode; section 3.1.18. */
#define MENVCFG_FIOM 0x1
/* Causes that may be S-mode's: all but environment calls from machine mode; table 3.6. */
#define EXCEPTIONS_FOR_S 0xb3ff

/* mstatus above S-mode: what the hart's own register holds, and what struct inner does. */
#define STATUS_SUPERVISOR                                                                          \
    (MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP | MSTATUS_FS | MSTATUS_SUM | MSTATUS_MXR)
#define STATUS_HELD                                                                                \
    (MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPRV | MSTATUS_TVM | MSTATUS_TW | MSTATUS_TSR)
#define STATUS_SXL_64 0x800000000
#define MPP_RESERVED 0x1000

/* CSRs that are in memory: where, and the bits that can be written. */
struct kept {
    uint16_t first;
    uint16_t last;
    uint32_t place; /* in struct machine */
    uint64_t writable;
};

#define RANGE(first, last, field, writable)                                                        \
    {                                                                                              \
        first, last, offsetof(struct machine, field), writable                                     \
    }
#define KEPT(number, field, writable) RANGE(number, number, field, writable)
#define ZEROS(first, last) RANGE(first, last, zero, 0)

static const struct kept kept[] = {
    /* Zero for ever: no counters but the basic ones, and no delegation without S-mode. */
    ZEROS(CSR_MEDELEG, CSR_MIDELEG),
    ZEROS(CSR_MCOUNTINHIBIT, CSR_MCOUNTINHIBIT),
    ZEROS(CSR_MHPMEVENT3, CSR_MHPMEVENT31),
    ZEROS(CSR_MHPMCOUNTER3, CSR_MHPMCOUNTER31),
    ZEROS(CSR_MVENDORID, CSR_MIMPID),
    ZEROS(CSR_MCONFIGPTR, CSR_MCONFIGPTR),
    ZEROS(CSR_HPMCOUNTER3, CSR_HPMCOUNTER31),
    KEPT(CSR_MTVEC, csrs.mtvec, 0),
    KEPT(CSR_MCOUNTEREN, csrs.counteren, COUNTERS_BASIC),
    KEPT(CSR_MENVCFG, csrs.envcfg, MENVCFG_FIOM),
    /* Of a tenant with S-mode: */
    KEPT(CSR_MEDELEG, inner.medeleg, EXCEPTIONS_FOR_S),
    KEPT(CSR_MIDELEG, inner.mideleg, INTERRUPTS_SUPERVISOR),
    KEPT(CSR_MIE, inner.mie, INTERRUPTS_ALL),
    KEPT(CSR_MSCRATCH, inner.mscratch, UINT64_MAX),
    KEPT(CSR_MEPC, inner.mepc, ~1ul),
    KEPT(CSR_MCAUSE, inner.mcause, UINT64_MAX),
    KEPT(CSR_MTVAL, inner.mtval, UINT64_MAX),
    KEPT(CSR_SCOUNTEREN, inner.scounteren, COUNTERS_BASIC),
    KEPT(CSR_SATP, inner.satp, 0),
};

#define KEPT_WITHOUT_S_MODE 10
#define KEPT_WITH_S_MODE (sizeof(kept) / sizeof(kept[0]))

/* NULL: it is none that the tenant has. */
static uint64_t *find(struct vhart *vhart, uint32_t number, uint64_t *writable)
{
    bool inner = is_inner(vhart);

    for (size_t i = inner ? 1 : 0; i < (inner ? KEPT_WITH_S_MODE : KEPT_WITHOUT_S_MODE); i++) {
        if (number >= kept[i].first && number <= kept[i].last) {
            *writable = kept[i].writable;
            return (uint64_t *)((char *)machine_of(vhart) + kept[i].place);
        }
    }
    return NULL;
}

static uint64_t read_machine(struct vhart *vhart, uint32_t number, bool *is_known)
{
    const struct machine_csrs *csrs = &machine_of(vhart)->csrs;
    uint64_t writable;
    uint64_t value;
    const uint64_t *place = find(vhart, number, &writable);

    switch (number) {
    case CSR_MSTATUS:
        return machine_status(csrs, vhart->world.mstatus);
    case CSR_MISA:
        return MISA_RV64IMACU | (tenant_uses_fp(vhart->tenant) ? MISA_FD : 0) |
               (is_inner(vhart) ? MISA_S : 0);
    case CSR_MIE:
        return machine_interrupts(CSR_READ(mie));
    case CSR_MIP:
        return machine_interrupts(CSR_READ(mip));
    case CSR_MSCRATCH:
    case CSR_SSCRATCH: /* those of S-mode have the same place where they are others' */
        return CSR_READ(sscratch);
    case CSR_MEPC:
    case CSR_SEPC:
        return CSR_READ(sepc);
    case CSR_MCAUSE:
        return machine_cause(CSR_READ(scause));
    case CSR_MTVAL:
    case CSR_STVAL:
        return CSR_READ(stval);
    case CSR_MCYCLE:
        return CSR_READ(mcycle) + csrs->cycle_offset;
    case CSR_MINSTRET:
        return CSR_READ(minstret) + csrs->instret_offset;
    case CSR_MHARTID:
        return vhart->world.vhart_id;
    default:
        if (pmp_set_read(&csrs->pmp, number, &value)) {
            return value;
        }
        *is_known = place != NULL;
        return place != NULL ? *place : 0;
    }
}

static bool write_machine(struct vhart *vhart, uint32_t number, uint64_t value)
{
    struct machine_csrs *csrs = &machine_of(vhart)->csrs;
    uint64_t writable = 0;
    uint64_t *place = find(vhart, number, &writable);

    switch (number) {
    case CSR_MSTATUS:
        vhart->world.mstatus =
            machine_write_status(csrs, vhart->world.mstatus, value, tenant_uses_fp(vhart->tenant));
        machine_set_entry(vhart);
        break;
    case CSR_MIE:
        CSR_WRITE(mie, INTERRUPTS_MACHINE | machine_interrupts_of_hart(value));
        break;
    case CSR_MTVEC:
        machine_write_mtvec(csrs, value);
        machine_set_vector(vhart);
        break;
    case CSR_MSCRATCH:
    case CSR_SSCRATCH:
        CSR_WRITE(sscratch, value);
        break;
    case CSR_MEPC:
    case CSR_SEPC:
        CSR_WRITE(sepc, value);
        break;
    case CSR_MCAUSE:
        CSR_WRITE(scause, machine_cause(value));
        break;
    case CSR_MTVAL:
    case CSR_STVAL:
        CSR_WRITE(stval, value);
        break;
    case CSR_MISA:
    case CSR_MIP: /* MSIP, MTIP and MEIP are read only (section 3.1.9) */
        break;
    case CSR_MCYCLE:
        csrs->cycle_offset = value - CSR_READ(mcycle);
        break;
    case CSR_MINSTRET:
        csrs->instret_offset = value - CSR_READ(minstret);
        break;
    default:
        if (place != NULL) {
            *place = value & writable;
            CSR_WRITE(scounteren, csrs->counteren);
        } else if (machine_write_pmp(vhart, number, value)) {
            machine_set_entry(vhart);
        } else {
            return false;
        }
    }
    return true;
}

uint64_t inner_pending(const struct vhart *vhart)
{
    uint64_t pending = CSR_READ(mip) & INTERRUPTS_SUPERVISOR;

    if (__atomic_load_n(&clint_of(vhart)->msip, __ATOMIC_RELAXED) != 0) {
        pending |= INTERRUPT_MSI;
    }
    if (machine_parked[vhart_index(vhart)].mtimecmp <= hart_now(vhart->world.hart)) {
        pending |= INTERRUPT_MTI;
    }
    if (__atomic_load_n(&vhart->plic->machine_line, __ATOMIC_RELAXED)) {
        pending |= INTERRUPT_MEI;
    }
    return pending;
}

static bool has_stimecmp(const struct vhart *vhart)
{
    return (machine_of(vhart)->csrs.envcfg & MENVCFG_STCE) != 0;
}

/* With STCE, which needs Sstc, stimecmp is S-mode's; without, write_pending() makes STIP by it. */
static void write_environment(struct vhart *vhart, uint64_t value)
{
    uint64_t stce = timer_is_native(vhart->world.hart) ? MENVCFG_STCE : 0;
    uint64_t taken = value & (MENVCFG_FIOM | stce);

    if (((taken ^ machine_of(vhart)->csrs.envcfg) & MENVCFG_STCE) != 0) {
        write_stimecmp(TIME_NEVER);
    }
    machine_of(vhart)->csrs.envcfg = taken;
}

/* SSIP, and STIP without STCE; SEIP is the interrupt controller's. */
static void write_pending(struct vhart *vhart, uint64_t value, uint64_t bits)
{
    bool native = timer_is_native(vhart->world.hart);

    if ((bits & INTERRUPT_STI) != 0 && native && !has_stimecmp(vhart)) {
        write_stimecmp((value & INTERRUPT_STI) != 0 ? 0 : TIME_NEVER);
    }
    bits &= native ? ~(uint64_t)INTERRUPT_STI : UINT64_MAX;
    vhart_clear_interrupt(vhart, bits & ~value);
    vhart_raise_interrupt(vhart, bits & value);
}

static uint64_t supervisor_status(const struct vhart *vhart)
{
    return STATUS_UXL_64 | (vhart->world.mstatus & (STATUS_SUPERVISOR | STATUS_DIRTY));
}

static void write_supervisor_status(struct vhart *vhart, uint64_t value)
{
    uint64_t bits = tenant_uses_fp(vhart->tenant) ? STATUS_SUPERVISOR
                                                  : STATUS_SUPERVISOR & ~(uint64_t)MSTATUS_FS;

    vhart->world.mstatus = (vhart->world.mstatus & ~bits) | (value & bits);
}

static void write_status(struct vhart *vhart, uint64_t value)
{
    struct inner *inner = &machine_of(vhart)->inner;
    uint64_t mpp = value & MSTATUS_MPP;

    if (mpp == MPP_RESERVED) {
        mpp = inner->status & MSTATUS_MPP;
    }
    inner->status = (value & STATUS_HELD) | mpp;
    write_supervisor_status(vhart, value);
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

static uint64_t read_inner(struct vhart *vhart, uint32_t number, bool *is_known)
{
    const struct inner *inner = &machine_of(vhart)->inner;
    uint64_t writable;
    const uint64_t *place = find(vhart, number, &writable);

    if (place != NULL) {
        return *place;
    }
    switch (number) {
    case CSR_MSTATUS:
        return supervisor_status(vhart) | STATUS_SXL_64 | inner->status;
    case CSR_SSTATUS:
        return supervisor_status(vhart);
    case CSR_SIE:
        return inner->mie & inner->mideleg;
    case CSR_MIP:
        return inner_pending(vhart);
    case CSR_SIP:
        return inner_pending(vhart) & inner->mideleg;
    case CSR_STVEC:
        return CSR_READ(stvec);
    case CSR_SCAUSE:
        return CSR_READ(scause);
    case CSR_STIMECMP:
        *is_known = timer_is_native(vhart->world.hart);
        return *is_known ? read_stimecmp() : 0;
    default:
        return read_machine(vhart, number, is_known);
    }
}

static bool write_inner(struct vhart *vhart, uint32_t number, uint64_t value)
{
    struct machine *machine = machine_of(vhart);
    uint64_t mideleg = machine->inner.mideleg;
    uint64_t writable = 0;
    uint64_t *place = find(vhart, number, &writable);

    switch (number) {
    case CSR_MSTATUS:
        write_status(vhart, value);
        break;
    case CSR_SSTATUS:
        write_supervisor_status(vhart, value);
        break;
    case CSR_SIE:
        machine->inner.mie = (machine->inner.mie & ~mideleg) | (value & mideleg);
        break;
    case CSR_MIP:
        write_pending(vhart, value, INTERRUPT_SSI | INTERRUPT_STI);
        break;
    case CSR_SIP:
        write_pending(vhart, value, INTERRUPT_SSI & mideleg);
        break;
    case CSR_MTVEC:
        machine_write_mtvec(&machine->csrs, value);
        break;
    case CSR_SATP:
        write_satp(&machine->inner, value);
        break;
    case CSR_STVEC:
        CSR_WRITE(stvec, value);
        break;
    case CSR_SCAUSE:
        CSR_WRITE(scause, value);
        break;
    case CSR_MENVCFG:
        write_environment(vhart, value);
        break;
    case CSR_STIMECMP:
        if (has_stimecmp(vhart)) {
            write_stimecmp(value);
        }
        break;
    default:
        if (place == NULL) {
            return write_machine(vhart, number, value);
        }
        *place = value & writable;
    }
    return true;
}

bool machine_read_csr(struct vhart *vhart, uint32_t number, uint64_t *value)
{
    bool is_known = true;

    *value = is_inner(vhart) ? read_inner(vhart, number, &is_known)
                             : read_machine(vhart, number, &is_known);
    return is_known;
}

bool machine_write_csr(struct vhart *vhart, uint32_t number, uint64_t value)
{
    return is_inner(vhart) ? write_inner(vhart, number, value)
                           : write_machine(vhart, number, value);
}
