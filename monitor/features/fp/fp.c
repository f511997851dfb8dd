/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point registers are kept for the tenants that use them. They move only when the next
 * vhart that uses them is not the one whose values are in the hart: S-mode can change sstatus.FS
 * without a trap, so FS tells nothing, and Linux has it off in the kernel while a process's values
 * are live. Vector registers go along (features/vector).
 */
#include <stddef.h>

#include "arch/csr.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "core/vhart.h"
#include "features/fp/vectors.h"

/* In the order of registers.S. */
struct fp_registers {
    uint64_t f[32];
    uint64_t fcsr;
    bool kept; /* else they are as at reset */
};

/* Of vharts, unless they are in the hart. */
static struct fp_registers saved[COTENANT_MAX_VHARTS];
static struct fp_registers at_reset; /* never written; not const, or the image would hold it */
/* The vhart whose values are in each hart, and where they will be kept; or NULL. */
static struct owner {
    struct vhart *vhart;
    struct fp_registers *registers;
} owners[COTENANT_MAX_HARTS];

/*
 * features/fp/registers.S: the hart's registers to `theirs`, if there is one, and those of `own`.
 * *brings becomes true when theirs are kept: a vhart that brings its registers, a guest's, may be
 * taken by another hart.
 */
void fp_exchange(struct fp_registers *theirs, const struct fp_registers *own, bool *brings);

/* The exchange comes last, as a jump: on the way to a vhart, each register kept aside costs. */
static inline __attribute__((always_inline)) void claim(struct vhart *vhart)
{
    struct owner *owner = &owners[vhart->world.hart->index];
    struct owner other = *owner;
    struct fp_registers *own = &saved[vhart_index(vhart)];

    __asm__("" : "+r"(own)); /* found once */
    CSR_SET(mstatus, MSTATUS_FS);
    *owner = (struct owner){vhart, own};
    if (other.vhart != NULL) {
        other.registers->kept = true;
    }
    vhart->brings_registers = false;
    vhart->keeps_registers = true;
    fp_exchange(other.registers, own->kept ? own : &at_reset,
                (bool *)((uintptr_t)other.vhart + offsetof(struct vhart, brings_registers)));
}

/* Apart, so that the others save no register for it. */
static __attribute__((noinline)) void claim_with_vectors(struct vhart *vhart)
{
    vector_claim(vhart);
    claim(vhart);
}

void fp_claim(struct vhart *vhart)
{
    if (HAS(vector) && vhart->has_vectors) {
        claim_with_vectors(vhart);
        return;
    }
    claim(vhart);
}

void fp_drop(struct vhart *vhart)
{
    struct owner *owner = &owners[vhart->world.hart->index];

    if (owner->vhart == vhart) {
        *owner = (struct owner){NULL, NULL};
    }
    saved[vhart_index(vhart)].kept = false;
    vhart->brings_registers = vhart->keeps_registers || tenant_uses_fp(vhart->tenant);
    vhart->keeps_registers = false;
    if (HAS(vector) && vhart->has_vectors) {
        vector_drop(vhart);
    }
}

static void begin(void)
{
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        vharts[i].brings_registers = tenant_uses_fp(vharts[i].tenant);
    }
}

HOOK(machine_begins, begin);
FEATURE(fp);
