/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vector registers are kept for the tenants that may use them. They move with the floating-point
 * registers, and like these only when the next vhart that may use them is not the one whose values
 * are in the hart: S-mode turns sstatus.VS on and off without a trap. So a vhart that turns it on
 * finds its own values, or what is there at reset.
 *
 * How long a register is, the harts say at boot; the bundle has a place for the registers of each
 * vhart.
 */
#include "arch/csr.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "core/vhart.h"
#include "features/fp/vectors.h"

#define REGISTERS 32
#define MSTATUS_VS 0x600

/* registers.S knows its layout. In the bundle's place for it, of bundle.vectors.size bytes. */
struct vector_registers;

static bool kept[COTENANT_MAX_VHARTS]; /* else they are as at reset */
/* The vhart whose values are in each hart, or NULL. */
static struct vhart *owners[COTENANT_MAX_HARTS];

void vector_exchange(struct vector_registers *theirs, const struct vector_registers *own);
uint64_t vector_length(void);

static struct vector_registers *place_of(const struct vhart *vhart)
{
    const struct bundle_vectors *vectors = &bundle->vectors;

    return (struct vector_registers *)(vectors->base + vectors->size * vhart_index(vhart));
}

void vector_claim(struct vhart *vhart)
{
    struct vhart **owner = &owners[vhart->world.hart->index];
    struct vector_registers *theirs = NULL;

    if (*owner == vhart) {
        return;
    }
    CSR_SET(mstatus, MSTATUS_VS);
    if (*owner != NULL) {
        kept[vhart_index(*owner)] = true;
        theirs = place_of(*owner);
    }
    vector_exchange(theirs, kept[vhart_index(vhart)] ? place_of(vhart) : NULL);
    __atomic_store_n(owner, vhart, __ATOMIC_RELEASE); /* those of the other one are in its place */
}

bool vector_is_in_hart(const struct vhart *vhart)
{
    return __atomic_load_n(&owners[vhart->world.hart->index], __ATOMIC_ACQUIRE) == vhart;
}

void vector_drop(struct vhart *vhart)
{
    struct vhart **owner = &owners[vhart->world.hart->index];

    if (*owner == vhart) {
        *owner = NULL;
    }
    kept[vhart_index(vhart)] = false;
}

bool vector_fits(void)
{
    uint64_t room = bundle->vectors.size;

    if (room == 0) {
        return true; /* no tenant has any */
    }
    if ((CSR_READ(misa) & COTENANT_BOARD_VECTOR) == 0) {
        return false;
    }
    CSR_SET(mstatus, MSTATUS_VS);
    return REGISTERS * vector_length() <= room - COTENANT_VECTORS_HEAD;
}

static void begin(void)
{
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        vharts[i].has_vectors =
            (vharts[i].tenant->description->flags & COTENANT_TENANT_VECTOR) != 0;
    }
}

HOOK(machine_begins, begin);
FEATURE(vector);
