/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tenants in machine mode: images that were built for the whole machine, as they are shipped.
 *
 * While such a vhart has the hart, its traps come to entry.S of this folder, and no other vhart
 * pays for it. All functions are called by the vhart's own hart with
 * interrupts off, the vhart being loaded unless they say otherwise.
 */
#ifndef COTENANT_FEATURES_MACHINE_MACHINE_H
#define COTENANT_FEATURES_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"
#include "core/vhart.h"
#include "entry/trap.h"
#include "features/clint/clint.h"
#include "features/confine/confine.h"
#include "features/machine/csrs.h"
#include "features/plic/plic_vhart.h"

/*
 * Tenants in machine mode that have S-mode as well: firmware with a kernel above it.
 *
 * Their machine mode runs in U-mode without translation, so that each access to a CSR, those of
 * S-mode too, comes to the monitor. Their S-mode and U-mode are the hart's own: page tables,
 * delegated traps and interrupts, sret and sfence.vma are the hardware's affair. The hart's
 * supervisor registers always hold the tenant's, whichever mode runs, but for satp, scounteren and
 * mie: those of S-mode are in struct inner while machine mode has the hart.
 *
 * SSIP, STIP and SEIP of the hart are the tenant's; MSIP, MTIP and MEIP are computed here. mideleg
 * of the hart is the tenant's while it runs, and the monitor's whenever C code does.
 *
 * All functions are called by the vhart's own hart with interrupts off, the vhart being loaded.
 */
#define INTERRUPTS_ALL (INTERRUPTS_SUPERVISOR | INTERRUPTS_MACHINE)

struct inner {
    bool in_machine;
    uint64_t status; /* MIE, MPIE, MPP, MPRV, TVM, TW and TSR of mstatus; the hart has the rest */
    uint64_t mie;    /* bits of S-mode: those of the hart, unless in_machine */
    uint64_t mideleg;
    uint64_t medeleg;
    uint64_t mepc;
    uint64_t mcause;
    uint64_t mtval;
    uint64_t mscratch;
    /* Of S-mode, while in_machine. */
    uint64_t satp;
    uint64_t scounteren;
    uint64_t stimecmp; /* while STCE of menvcfg is 0 */
};

/* What the vhart's mode may access, by the hart's PMP entries; purposes of a confinement. */
enum machine_rights {
    /* Of what is the tenant's, by its own entries: */
    RIGHTS_BELOW,    /* that of the modes below machine mode */
    RIGHTS_MODIFIED, /* their data and all code: MPRV counts, and there is no S-mode */
    RIGHTS_LOCKED,   /* all but what locked entries take from machine mode */
    /* Not by them: */
    RIGHTS_OWN = CONFINE_PURPOSES, /* all that is the tenant's */
    RIGHTS_WITHDRAWN, /* but no data: MPRV counts, each load and store comes to the monitor */
};

struct machine {
    struct machine_csrs csrs;
    struct inner inner; /* of a tenant with S-mode */
    struct confinement confinement;
    bool confined; /* some of its entries are on, and do not open everything */
    bool locked;   /* some are locked */
};

/* What entry.S knows of a vhart. */
struct __attribute__((aligned(128))) machine_parked {
    /* While it is not loaded: where it goes on, and with which MPP of the hart's mstatus. */
    uint64_t pc;
    uint64_t mode;
    uint64_t entry; /* for its traps: mtvec */
    uint64_t mtimecmp;
    uint64_t mtimecmp_address;
    /* Of a tenant with S-mode: mideleg of the hart, and the deadline for its machine mode. */
    uint64_t mideleg;
    uint64_t deadline;
    uint64_t external; /* SEIP as machine mode has set it */
    uint64_t rights;   /* the enum machine_rights in force */
    /* If the tenant confines its U-mode, for calls of that and the return from them: what both
     * modes have, and where pmpcfg for it is. */
    uint64_t machine_rights;
    const void *machine_config;
    const void *user_config;
};

extern struct machine machines[COTENANT_MAX_VHARTS];

/* What its mode may access may be another set than before. */
static inline bool machine_has_rules(const struct machine *machine)
{
    return machine->confined || machine->locked || *machine->confinement.purpose != RIGHTS_OWN;
}

static inline struct machine *machine_of(const struct vhart *vhart)
{
    return &machines[vhart_index(vhart)];
}

/* It has S-mode. */
static inline bool is_inner(const struct vhart *vhart)
{
    return (vhart->tenant->description->flags & COTENANT_TENANT_S_MODE) != 0;
}

extern struct machine_parked machine_parked[COTENANT_MAX_VHARTS];

/* Of entry.S. */
extern struct machine_entries {
    uint64_t fast;
    uint64_t confined;
    uint64_t plain;
    uint64_t resume; /* where a vhart goes on that has been given the hart */
    uint64_t inner_resume;
} machine_entries;

/* Registers of the vhart's CLINT have been written: CLINT_... */
void machine_look_at_clint(struct vhart *vhart, uint32_t registers);

/* Its world, not loaded from now on, leads to entry.S when it gets the hart. */
void machine_park(struct vhart *vhart);

/* What entry.S calls in the place of trap_dispatch(), in the same state. */
world_change machine_trap(struct hart *hart);

/*
 * What the vhart's mode may access, what of it traps, and which entry its traps come to, by what
 * mstatus is now. After a write of it in C.
 */
void machine_set_entry(struct vhart *vhart);

/* Which exceptions the hart takes to the tenant by itself, and where. After a write of mtvec. */
void machine_set_vector(struct vhart *vhart);

/* Of pmp.c: the reset state; a write of one of the tenant's PMP CSRs. False: it is none. */
void machine_begin_pmp(struct vhart *vhart);
bool machine_write_pmp(struct vhart *vhart, uint32_t number, uint64_t value);

/*
 * Brings the hart's PMP entries to what the vhart's mode may access. False: they say so. Without
 * S-mode the hart takes traps to machine mode by itself: then this may come later, when an access
 * is refused that machine mode may make. It never comes too late for U-mode: mret traps, or as sret
 * by TSR.
 */
bool machine_protect(struct vhart *vhart);

/*
 * Reads a CSR of machine mode, or writes it; `value` is then what is left. False: the tenant has
 * none of that number, or none that can be written.
 */
bool machine_access_csr(struct vhart *vhart, uint32_t number, bool store, uint64_t *value);

/*
 * Does an instruction that only machine mode may execute, and moves the pc on. False: it is none,
 * or the tenant's machine mode may not either.
 */
bool machine_execute(struct vhart *vhart, uint32_t instruction);

/*
 * The instruction at `pc`, which has just been done for the tenant, may from now on be one that
 * does the same without the monitor. Nothing if there is none.
 */
void machine_rewrite(struct vhart *vhart, uint64_t pc, uint32_t instruction);

/* Of a tenant with S-mode, in inner.c, but for the first one. */

/* mip as its machine mode reads it. */
uint64_t inner_pending(const struct vhart *vhart);

/* A trap to machine mode, from any mode: privileged ISA 3.1.6, 3.1.7. */
void inner_enter_machine(struct vhart *vhart, uint64_t cause, uint64_t value);

/* Shows an exception to the mode that medeleg says. */
void inner_take_exception(struct vhart *vhart, uint64_t cause, uint64_t value);

/* MRET, and SRET in machine mode, which may do so. */
void inner_return_from_machine(struct vhart *vhart);
void inner_return_from_supervisor(struct vhart *vhart);

/* WFI in machine mode or S-mode. */
void inner_wait(struct vhart *vhart);

/* Loads and stores of machine mode are made as by the mode in MPP: section 3.1.6.3. */
static inline bool inner_modifies_privilege(const struct vhart *vhart)
{
    const struct inner *inner = &machine_of(vhart)->inner;

    return inner->in_machine && (inner->status & MSTATUS_MPRV) != 0 &&
           (inner->status & MSTATUS_MPP) != MSTATUS_MPP;
}

/* Takes an interrupt that is due for machine mode, and brings the hart to what the state says. */
void inner_settle(struct vhart *vhart);

#endif
