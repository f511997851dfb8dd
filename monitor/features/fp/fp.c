/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point registers are kept for the tenants that use them. They move only when the next
 * vhart that uses them is not the one whose values are in the hart: S-mode can change sstatus.FS
 * without a trap, so FS tells nothing, and Linux has it off in the kernel while a process's values
 * are live.
 */
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

/* features/fp/registers.S */
void fp_save(struct fp_registers *registers);
void fp_load(const struct fp_registers *registers);

static void claim(struct vhart *vhart)
{
    struct vhart **owner = &owners[vhart->world.hart->index];
    struct fp_registers *own = &saved[vhart_index(vhart)];

    CSR_SET(mstatus, MSTATUS_FS);
    if (*owner != NULL) {
        struct fp_registers *theirs = &saved[vhart_index(*owner)];

        fp_save(theirs);
        theirs->kept = true;
        (*owner)->brings_registers = true;
    }
    fp_load(own->kept ? own : &at_reset);
    vhart->brings_registers = false;
    vhart->uses_features = true;
    *owner = vhart;
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
HOOK(vhart_ends, forget);
HOOK(machine_begins, begin);
FEATURE(fp);
