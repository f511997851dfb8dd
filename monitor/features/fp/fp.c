/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point registers are kept for the tenants that use them. They move only when the next
 * vhart that uses them is not the one whose values are in the hart: S-mode can change sstatus.FS
 * without a trap, so FS tells nothing, and Linux has it off in the kernel while a process's values
 * are live.
 */
#include <stddef.h>

#include "arch/csr.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "core/vhart.h"

/* In the order of registers.S. */
struct fp_registers {
    uint64_t f[32];
    uint64_t fcsr;
    bool kept; /* else they are as at reset */
};

/* Of vharts, unless they are in the hart. */
static struct fp_registers saved[COTENANT_MAX_VHARTS];
static struct fp_registers at_reset; /* never written; not const, or the image would hold it */
/* The vhart whose values are in each hart, or NULL. */
static struct vhart *owners[COTENANT_MAX_HARTS];

/* features/fp/registers.S: the hart's registers to `theirs`, if there is one, and those of `own`.
 */
void fp_exchange(struct fp_registers *theirs, const struct fp_registers *own);

/* The exchange comes last, as a jump: on the way to a vhart, each register kept aside costs. */
static void claim(struct vhart *vhart)
{
    struct vhart **owner = &owners[vhart->world.hart->index];
    struct vhart *other = *owner;
    const struct fp_registers *own = &saved[vhart_index(vhart)];
    struct fp_registers *theirs = NULL;

    CSR_SET(mstatus, MSTATUS_FS);
    if (other != NULL) {
        theirs = &saved[vhart_index(other)];
        theirs->kept = true;
        other->brings_registers = true;
    }
    vhart->brings_registers = false;
    vhart->keeps_registers = true;
    *owner = vhart;
    fp_exchange(theirs, own->kept ? own : &at_reset);
}

static void forget(struct vhart *vhart)
{
    struct vhart **owner = &owners[vhart->world.hart->index];

    if (*owner == vhart) {
        *owner = NULL;
    }
    saved[vhart_index(vhart)].kept = false;
    vhart->brings_registers = tenant_uses_fp(vhart->tenant);
}

static void begin(void)
{
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        vharts[i].brings_registers = tenant_uses_fp(vharts[i].tenant);
    }
}

HOOK(vhart_brings_registers, claim);
HOOK(vhart_drops_registers, forget);
HOOK(machine_begins, begin);
FEATURE(fp);
