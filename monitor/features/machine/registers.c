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

/* In a switch: what a write does, and what is read, then too. */
#define REGISTER(number, write, read)                                                              \
    case number:                                                                                   \
        if (store) {                                                                               \
            write;                                                                                 \
        }                                                                                          \
        *value = (read);                                                                           \
        return true
#define FIXED(number, read) REGISTER(number, (void)0, read)
/* In memory, and the bits that can be written. */
#define KEPT(number, place, bits) REGISTER(number, (place) = *value & (bits), place)
/* One of the hart's; or a counter of it, and what the tenant has written less what that was. */
#define OF_HART(number, name) REGISTER(number, CSR_WRITE(name, *value), CSR_READ(name))
#define COUNTER(number, name, offset)                                                              \
    REGISTER(number, (offset) = *value - CSR_READ(name), CSR_READ(name) + (offset))

static bool access_hart(uint32_t number, bool store, uint64_t *value)
{
    switch (number) {
        OF_HART(CSR_STVEC, stvec);
        OF_HART(CSR_SSCRATCH, sscratch);
        OF_HART(CSR_SEPC, sepc);
        OF_HART(CSR_SCAUSE, scause);
        OF_HART(CSR_STVAL, stval);
        OF_HART(CSR_SENVCFG, 0x10a);
    default:
        return false;
    }
}

/* Zero for ever: no counters but the basic ones, and no delegation without S-mode. */
static bool is_zero(uint32_t number)
{
    return (number >= CSR_MHPMEVENT3 && number <= CSR_MHPMEVENT31) ||
           (number >= CSR_MHPMCOUNTER3 && number <= CSR_MHPMCOUNTER31) ||
           (number >= CSR_HPMCOUNTER3 && number <= CSR_HPMCOUNTER31) ||
           (number >= CSR_MVENDORID && number <= CSR_MCONFIGPTR) || number == CSR_MCOUNTINHIBIT ||
           number == CSR_MEDELEG || number == CSR_MIDELEG;
}

static bool access_common(struct vhart *vhart, uint32_t number, bool store, uint64_t *value)
{
    struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    switch (number) {
        COUNTER(CSR_MCYCLE, mcycle, csrs->cycle_offset);
        COUNTER(CSR_MINSTRET, minstret, csrs->instret_offset);
        FIXED(CSR_MHARTID, vhart->world.vhart_id);
        FIXED(CSR_MISA, MISA_RV64IMACU | (tenant_uses_fp(vhart->tenant) ? MISA_FD : 0) |
                            (is_inner(vhart) ? MISA_S : 0));
    default:
        if (is_zero(number)) {
            *value = 0;
            return true;
        }
        if (store && machine_write_pmp(vhart, number, *value)) {
            machine_set_entry(vhart);
            return true;
        }
        return !store && pmp_set_read(&csrs->pmp, number, value);
    }
}

static void write_mtvec(struct vhart *vhart, uint64_t value)
{
    machine_write_mtvec(&machine_of(vhart)->csrs, value);
    if (!is_inner(vhart)) {
        machine_set_vector(vhart);
    }
}

static void write_status(struct vhart *vhart, uint64_t value)
{
    vhart->world.mstatus = machine_write_status(&machine_of(vhart)->csrs, vhart->world.mstatus,
                                                value, tenant_uses_fp(vhart->tenant));
    machine_set_entry(vhart);
}

static bool access_plain(struct vhart *vhart, uint32_t number, bool store, uint64_t *value)
{
    struct machine_csrs *csrs = &machine_of(vhart)->csrs;

    switch (number) {
        REGISTER(CSR_MSTATUS, write_status(vhart, *value),
                 machine_status(csrs, vhart->world.mstatus));
        REGISTER(CSR_MIE, CSR_WRITE(mie, INTERRUPTS_MACHINE | machine_interrupts_of_hart(*value)),
                 machine_interrupts(CSR_READ(mie)));
        FIXED(CSR_MIP, machine_interrupts(CSR_READ(mip))); /* read only: section 3.1.9 */
        REGISTER(CSR_MTVEC, write_mtvec(vhart, *value), csrs->mtvec);
        REGISTER(CSR_MCAUSE, CSR_WRITE(scause, machine_cause(*value)),
                 machine_cause(CSR_READ(scause)));
    case CSR_MSCRATCH:
    case CSR_MEPC:
    case CSR_MTVAL:
        return access_hart(number - CSR_MSCRATCH + CSR_SSCRATCH, store, value);
        REGISTER(CSR_MCOUNTEREN, CSR_WRITE(scounteren, csrs->counteren = *value & COUNTERS_BASIC),
                 csrs->counteren);
        KEPT(CSR_MENVCFG, csrs->envcfg, MENVCFG_FIOM);
    default:
        return access_common(vhart, number, store, value);
    }
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
    struct machine *machine = machine_of(vhart);
    uint64_t stce = timer_is_native(vhart->world.hart) ? MENVCFG_STCE : 0;
    bool had_it = has_stimecmp(vhart);

    machine->csrs.envcfg = value & (MENVCFG_FIOM | stce);
    if (had_it && !has_stimecmp(vhart)) {
        machine->inner.stimecmp = read_stimecmp();
        write_stimecmp(TIME_NEVER);
    } else if (!had_it && has_stimecmp(vhart)) {
        write_stimecmp(machine->inner.stimecmp);
    }
}

static bool access_stimecmp(struct vhart *vhart, bool store, uint64_t *value)
{
    uint64_t *elsewhere = &machine_of(vhart)->inner.stimecmp;

    if (!has_stimecmp(vhart)) {
        *(store ? elsewhere : value) = *(store ? value : elsewhere);
    } else if (store) {
        write_stimecmp(*value);
    } else {
        *value = read_stimecmp();
    }
    return timer_is_native(vhart->world.hart);
}

/* STIP with STCE is stimecmp's, and SEIP the interrupt controller's or machine mode's. */
static void write_pending(struct vhart *vhart, uint64_t value, uint64_t bits)
{
    bool native = timer_is_native(vhart->world.hart);

    if ((bits & INTERRUPT_SEI) != 0) {
        machine_parked[vhart_index(vhart)].external = value & INTERRUPT_SEI;
        if ((vhart->world.pending & INTERRUPT_SEI) == 0) {
            CSR_CLEAR(mip, INTERRUPT_SEI); /* until inner_settle() */
        }
    }
    if ((bits & INTERRUPT_STI) != 0 && native && !has_stimecmp(vhart)) {
        write_stimecmp((value & INTERRUPT_STI) != 0 ? 0 : TIME_NEVER);
    }
    bits &= native ? INTERRUPT_SSI : INTERRUPT_SSI | INTERRUPT_STI;
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

static void write_inner_status(struct vhart *vhart, uint64_t value)
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

static bool access_inner(struct vhart *vhart, uint32_t number, bool store, uint64_t *value)
{
    struct machine_csrs *csrs = &machine_of(vhart)->csrs;
    struct inner *inner = &machine_of(vhart)->inner;
    uint64_t delegated = inner->mideleg;

    switch (number) {
        REGISTER(CSR_MSTATUS, write_inner_status(vhart, *value),
                 supervisor_status(vhart) | STATUS_SXL_64 | inner->status);
        REGISTER(CSR_SSTATUS, write_supervisor_status(vhart, *value), supervisor_status(vhart));
        REGISTER(CSR_SIE, inner->mie = (inner->mie & ~delegated) | (*value & delegated),
                 inner->mie & delegated);
        REGISTER(CSR_MIP, write_pending(vhart, *value, UINT64_MAX), inner_pending(vhart));
        REGISTER(CSR_SIP, write_pending(vhart, *value, INTERRUPT_SSI & delegated),
                 inner_pending(vhart) & delegated);
        KEPT(CSR_MIE, inner->mie, INTERRUPTS_ALL);
        KEPT(CSR_MEDELEG, inner->medeleg, EXCEPTIONS_FOR_S);
        KEPT(CSR_MIDELEG, inner->mideleg, INTERRUPTS_SUPERVISOR);
        KEPT(CSR_MSCRATCH, inner->mscratch, UINT64_MAX);
        KEPT(CSR_MEPC, inner->mepc, ~1ul);
        KEPT(CSR_MCAUSE, inner->mcause, UINT64_MAX);
        KEPT(CSR_MTVAL, inner->mtval, UINT64_MAX);
        KEPT(CSR_SCOUNTEREN, inner->scounteren, COUNTERS_BASIC);
        KEPT(CSR_MCOUNTEREN, csrs->counteren, COUNTERS_BASIC);
        REGISTER(CSR_SATP, write_satp(inner, *value), inner->satp);
        REGISTER(CSR_MTVEC, write_mtvec(vhart, *value), csrs->mtvec);
        REGISTER(CSR_MENVCFG, write_environment(vhart, *value), csrs->envcfg);
    case CSR_STIMECMP:
        return access_stimecmp(vhart, store, value);
    case CSR_SENVCFG:
        return (vhart->world.hart->features & HART_ENVCFG) != 0 &&
               access_hart(number, store, value);
    default:
        return access_hart(number, store, value) || access_common(vhart, number, store, value);
    }
}

bool machine_access_csr(struct vhart *vhart, uint32_t number, bool store, uint64_t *value)
{
    return (is_inner(vhart) ? access_inner : access_plain)(vhart, number, store, value);
}
