/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Harts that have the H extension, which no tenant is told of. Where misa lets it be turned off, it
 * is, and no more is to be done. Elsewhere S-mode is HS-mode, in which a tenant can use all of the
 * extension: so each vhart has its own registers of it, which change hands with the rest of its
 * world (registers.S), and a tenant that is interrupted in VS- or VU-mode goes on there.
 *
 * What happens in those modes is between the tenant and its guest: trap.c.
 */
#include "features/hypervisor/hypervisor.h"

#include "arch/csr.h"
#include "arch/memory.h"
#include "arch/trap_vector.h"
#include "core/feature.h"
#include "core/hooks.h"
#include "core/vhart.h"

/* Environment calls of guests, guest-page faults and virtual instructions: causes 10, 20 to 23. */
#define EXCEPTIONS_OF_GUESTS 0xf00400

uint64_t hypervisor_registers[COTENANT_MAX_VHARTS + 1][HYPERVISOR_REGISTERS];

static void look_at_hart(struct hart *hart)
{
    CSR_CLEAR(misa, MISA_H);
    if ((CSR_READ(misa) & MISA_H) == 0) {
        return;
    }
    hart->features |= HART_HYPERVISOR;
    if (CSR_READ(mtvec) == (uintptr_t)trap_entry) { /* else what is recorded goes on there */
        trap_vector_init(hypervisor_entry, hypervisor_plain_entry);
        trap_use_fast_paths(true);
    }
}

/* All registers are 0, but one which would be in the past. */
static void begin_life(struct vhart *vhart)
{
    uint64_t *registers = hypervisor_registers[vhart_index(vhart)];

    if ((vhart->world.hart->features & HART_HYPERVISOR) != 0) {
        memset(registers, 0, sizeof(hypervisor_registers[0]));
        registers[HYPERVISOR_VSTIMECMP] = TIME_NEVER;
        vhart->world.medeleg |= EXCEPTIONS_OF_GUESTS;
    }
}

HOOK(hart_begins, look_at_hart);
HOOK(vhart_begins, begin_life);
FEATURE(hypervisor);
