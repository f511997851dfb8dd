/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of each vhart in machine mode, and where the hart has it from. */
#include "arch/csr.h"
#include "arch/interrupts.h"
#include "core/feature.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "features/machine/machine.h"

/* Of the environment calls, that from S-mode is the tenant's own from machine mode. */
#define EXCEPTION_ECALL_FROM_S 0x200

struct machine machines[COTENANT_MAX_VHARTS];
struct machine_parked machine_parked[COTENANT_MAX_VHARTS];

FEATURE(machine);

void machine_set_entry(struct vhart *vhart)
{
    const struct machine *machine = machine_of(vhart);
    struct machine_parked *parked = &machine_parked[vhart_index(vhart)];
    uint64_t status = machine->csrs.status;
    bool inner = is_inner(vhart);

    if (!inner) { /* to U-mode only by the monitor, which confines it and clears MPRV */
        vhart->world.mstatus &= ~(uint64_t)MSTATUS_TSR;
        vhart->world.mstatus |= machine->confined || (status & MSTATUS_MPRV) != 0 ? MSTATUS_TSR : 0;
    }
    if (machine_has_rules(machine)) {
        machine_protect(vhart);
    }
    parked->entry = machine_entries.plain;
    if (status == 0 && !inner) {
        parked->entry = machine->confined ? machine_entries.confined : machine_entries.fast;
    }
}

void machine_set_vector(struct vhart *vhart)
{
    const struct machine_csrs *csrs = &machine_of(vhart)->csrs;
    struct world *world = &vhart->world;

    world->medeleg = 0;
    if (!machine_is_vectored(csrs)) {
        world->medeleg = ((EXCEPTIONS_DELEGATED & ~(uint64_t)EXCEPTION_ILLEGAL_INSTRUCTION) |
                          EXCEPTION_ECALL_FROM_S) &
                         ~world->hart->emulated_exceptions;
    }
    CSR_WRITE(medeleg, world->medeleg);
    CSR_WRITE(stvec, machine_stvec(csrs));
}

void machine_park(struct vhart *vhart)
{
    struct machine_parked *parked = &machine_parked[vhart_index(vhart)];
    struct world *world = &vhart->world;

    parked->pc = world->registers[REGISTER_PC];
    parked->mode = world->mstatus & MSTATUS_MPP;
    world->registers[REGISTER_PC] =
        is_inner(vhart) ? machine_entries.inner_resume : machine_entries.resume;
    world->mstatus = (world->mstatus & ~(uint64_t)MSTATUS_MPIE) | MSTATUS_MPP;
}

/* Its reset state, of one with S-mode. */
static void begin_inner(struct vhart *vhart)
{
    struct inner *inner = &machine_of(vhart)->inner;
    struct world *world = &vhart->world;

    *inner = (struct inner){.in_machine = true, .status = MSTATUS_MPP, .stimecmp = TIME_NEVER};
    world->medeleg = 0;
    world->mstatus = (world->mstatus & ~(uint64_t)MSTATUS_MPP) | MSTATUS_TW;
    world->scounteren = COUNTERS_BASIC;
    machine_parked[vhart_index(vhart)].mideleg = 0;
    machine_parked[vhart_index(vhart)].deadline = TIME_NEVER;
    machine_parked[vhart_index(vhart)].external = 0;
}

/* Its reset state. Apart: the start of other vharts has a length that is held. */
static void __attribute__((noinline)) begin(struct vhart *vhart)
{
    const struct bundle_tenant *tenant = vhart->tenant->description;
    struct world *world = &vhart->world;
    uint32_t first = world->vhart_id == 0 ? 0 : tenant_vhart_count(vhart->tenant);

    machine_of(vhart)->csrs = (struct machine_csrs){0};
    machine_begin_pmp(vhart);
    /* The fast one takes the pc of U- and S-mode for a physical address; a guest's is none. */
    if ((world->hart->features & HART_HYPERVISOR) != 0) {
        machine_entries.fast = machine_entries.plain;
        machine_entries.confined = machine_entries.plain;
    }
    /* Nothing is the tenant's to take before it has said where, but its machine mode's CSRs. */
    world->medeleg &= ~(uint64_t)EXCEPTION_ILLEGAL_INSTRUCTION;
    world->mstatus &= ~(uint64_t)MSTATUS_FS;
    world->scounteren = 0;
    machine_set_entry(vhart);
    if (is_inner(vhart)) {
        begin_inner(vhart);
    }
    for (uint32_t i = first; i < tenant_vhart_count(vhart->tenant); i++) {
        machine_parked[vhart_index(vhart + i)].mtimecmp = TIME_NEVER;
        *clint_of(vhart + i) =
            (struct clint_vhart){.mtimecmp = &machine_parked[vhart_index(vhart + i)].mtimecmp};
        if (i != 0) { /* all harts, others than this one, come from reset with it */
            vhart_prepare_start(vhart + i, tenant->entry, tenant->devicetree);
            messages_post(vhart + i, REQUEST_START);
        }
    }
    /* Written between the start of the tenant and that of the vhart, which the message missed. */
    machine_look_at_clint(vhart, CLINT_MSIP | CLINT_MTIMECMP);
    machine_park(vhart);
}

static void begins(struct vhart *vhart)
{
    if ((vhart->tenant->description->flags & COTENANT_TENANT_MACHINE) != 0) {
        begin(vhart);
    }
}

HOOK(vhart_begins, begins);
