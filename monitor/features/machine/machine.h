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
#include "features/machine/csrs.h"
#include "features/machine/inner.h"

struct machine {
    struct machine_csrs csrs;
    struct inner inner; /* of a tenant with S-mode */
    uint32_t msip;      /* written by all harts of the tenant, atomically */
};

/* What entry.S knows of a vhart. */
struct __attribute__((aligned(64))) machine_parked {
    /* While it is not loaded: where it goes on, and with which MPP of the hart's mstatus. */
    uint64_t pc;
    uint64_t mode;
    uint64_t entry; /* for its traps: mtvec */
    uint64_t mtimecmp;
    uint64_t mtimecmp_address;
    /* Of a tenant with S-mode: mideleg of the hart, and the deadline for its machine mode. */
    uint64_t mideleg;
    uint64_t deadline;
};

extern struct machine machines[COTENANT_MAX_VHARTS];

static inline struct machine *machine_of(const struct vhart *vhart)
{
    return &machines[vhart_index(vhart)];
}

static inline bool tenant_has_machine_mode(const struct tenant *tenant)
{
    return (tenant->description->flags & COTENANT_TENANT_MACHINE) != 0;
}

static inline bool tenant_has_s_mode(const struct tenant *tenant)
{
    return (tenant->description->flags & COTENANT_TENANT_S_MODE) != 0;
}

extern struct machine_parked machine_parked[COTENANT_MAX_VHARTS];

/* Of entry.S, which entries.c looks up. */
extern struct machine_entries {
    uint64_t fast;
    uint64_t plain;
    uint64_t resume; /* where a vhart goes on that has been given the hart */
    uint64_t inner;  /* both of a tenant with S-mode */
    uint64_t inner_resume;
} machine_entries;

/* The vhart's msip may have been written. */
void machine_look_at_msip(struct vhart *vhart);

/* Its world, not loaded from now on, leads to entry.S when it gets the hart. */
void machine_park(struct vhart *vhart);

/* What entry.S calls in the place of trap_dispatch(), in the same state. */
world_change machine_trap(struct hart *hart);

/* Shows the tenant an exception in its machine mode. */
void machine_take_exception(struct vhart *vhart, uint64_t cause, uint64_t value);

/* Whether the first entry is right for what mstatus is now. After a write of it in C. */
void machine_set_entry(struct vhart *vhart);

/*
 * mtimecmp or mtime at `address`, without a search: a tick is mostly that. False: it is another
 * access, with nothing done.
 */
bool machine_access_timer(struct vhart *vhart, uint64_t cause, uint64_t address);

/* Which exceptions the hart takes to the tenant by itself, and where. After a write of mtvec. */
void machine_set_vector(struct vhart *vhart);

/*
 * Reads a CSR of machine mode, or writes it. False: the tenant has none of that number, or none
 * that can be written.
 */
bool machine_read_csr(struct vhart *vhart, uint32_t number, uint64_t *value);
bool machine_write_csr(struct vhart *vhart, uint32_t number, uint64_t value);

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

/*
 * A load or store of `size` bytes at the tenant's CLINT. False: none of its registers are there, or
 * not in that size. The shared lock is not needed.
 */
bool machine_access_clint(struct vhart *vhart, uint64_t address, uint32_t size, bool store,
                          uint64_t *value);

#endif
