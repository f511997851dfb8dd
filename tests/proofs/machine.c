/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any instructions of a tenant in machine mode, and any exceptions and interrupts of one with an
 * S-mode of its own, in any order.
 */
#include "alone_in_lists.h"
#include "one_hart.h"
#include "tenant_ram.h"

#include "arch/guest_memory.h"
#include "core/hooks.h"
#include "features/machine/machine.h"

#define INDEX 1

struct machine machines[COTENANT_MAX_VHARTS];
struct machine_parked machine_parked[COTENANT_MAX_VHARTS];
struct machine_entries machine_entries;
struct clint_vhart clint_vharts[COTENANT_MAX_VHARTS];

static struct bundle system;
static struct vhart own[2];
static struct plic_vhart plic;

/* Of traps.c and state.c: nothing else is changed here. */
void trap_reflect(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    (void)cause;
    (void)value;
    vhart->world.registers[REGISTER_PC] = any64();
    vhart->world.mstatus = any64();
}

void machine_set_entry(struct vhart *vhart)
{
    (void)machine_protect(vhart);
}

void machine_set_vector(struct vhart *vhart)
{
    vhart->world.medeleg = any64();
}

/* As the proof of confined vharts says. */
void confine_begin(struct vhart *vhart, struct confinement *confinement)
{
    (void)vhart;
    confinement->end = any_bool() ? COTENANT_PMP_ENTRIES : 0;
}

void confine_put(struct vhart *vhart, const void *config)
{
    memcpy(vhart->world.pmp_config, config, sizeof(vhart->world.pmp_config));
}

void confine_forget(struct vhart *vhart, struct confinement *confinement)
{
    (void)vhart;
    (void)confinement;
}

static void set_up(void)
{
    MAKE_ANY(system);
    bundle = &system;
    tenants[0].description = &system.tenants[0];
    tenants[0].vharts = own;
    tenants[0].vhart_count = 1 + any_up_to(1);
    own[0].tenant = &tenants[0];
    own[0].description = &system.vharts[0];
    own[0].plic = &plic;
    own[0].index = INDEX;
    own[0].world.hart = &harts[0];
    own[0].schedulable.state = SCHEDULABLE_READY;
    harts[0].loaded = &own[0];
    harts[0].scheduler.ready = &own[0].schedulable;
    machines[INDEX].inner.in_machine = true;
    machine_begin_pmp(&own[0]);
}

/* What entry.S and the hart change. */
static void pass_time(void)
{
    pass_moment();
    MAKE_ANY(own[0].world.registers);
    own[0].world.mstatus = any64();
    own[0].world.pending = any64();
    plic.machine_line = any_bool();
    clint_vharts[INDEX].msip = any32();
    machine_parked[INDEX].mtimecmp = any64();
    own[0].schedulable.state = SCHEDULABLE_READY;
    own[0].schedulable.next = NULL;
    harts[0].scheduler.ready = &own[0].schedulable;
    harts[0].scheduler.waiting = NULL;
}

static void call(struct vhart *vhart)
{
    uint64_t size = 1ul << any_up_to(53);
    uint32_t instruction = any32();

    switch (any_up_to(4)) {
    case 0:
        machine_execute(vhart, instruction);
        break;
    case 1:
        machine_rewrite(vhart, any64(), instruction);
        break;
    case 2:
        inner_take_exception(vhart, any64(), any64());
        break;
    case 3:
        inner_settle(vhart);
        break;
    default:
        machines[INDEX].confinement.rights(vhart, any64(), &size);
        break;
    }
}

int main(void)
{
    set_up();
    while (any_bool()) {
        pass_time();
        call(&own[0]);
    }
    return 0;
}
