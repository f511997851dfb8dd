/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any traps of a tenant in machine mode, with an S-mode of its own or without, in any order with
 * starts of its two vharts, writes of its CLINT and interrupts that are routed to it. Whatever is
 * called may give the hart to another vhart, or end the tenant's life and begin the next one.
 */
#include "any_emulators.h"
#include "asked_vharts.h"
#include "one_hart.h"

#include "arch/trap_vector.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/recorder.h"

#include "features/machine/interrupts.c"
#include "features/machine/state.c"
#include "features/machine/traps.c"

#define VHARTS 2
#define FIRST 1
#define RESUME 0x80000100ul
#define INNER_RESUME 0x80000200ul

struct vhart vharts[COTENANT_MAX_VHARTS];
struct machine_entries machine_entries;
struct clint_vhart clint_vharts[COTENANT_MAX_VHARTS];
const struct recorder *recorder;

static struct bundle system;
static struct plic_vhart plic[VHARTS];
static uint64_t mtimecmp;
static struct tenant *const tenant = &tenants[0];
static struct vhart *const mine = &vharts[FIRST];
static struct vhart *const other = &vharts[0];

HAS_ENTRIES(vhart_begins, &vhart_begins_begins);
HAS_ENTRIES(vhart_is_routed, &vhart_is_routed_look_at_line);

/* Only the vhart that has the hart is served. */
static void is_served(const struct vhart *vhart)
{
    //@ assert vhart == mine && harts[0].loaded == mine;
    (void)vhart;
}

/*
 * A step of the scheduler: it may stop the tenant, which then may have begun anew. What it returns
 * is the world whose registers are kept.
 */
static world_change schedules(struct hart *hart)
{
    //@ assert hart == &harts[0];
    hart->reschedule = false;
    hart->loaded = any_bool() ? mine : other;
    if (any_bool()) {
        tenant->lives = 1;
    }
    return (world_change)(uintptr_t)(any_bool() ? &mine->world : &other->world);
}

/* Of a shortcut, which may leave it to others. */
static world_change may_switch(struct hart *hart)
{
    //@ assert hart == &harts[0];
    hart->reschedule = any_bool();
    return any_bool() ? schedules(hart) : NO_CHANGE;
}

world_change hart_schedule(struct hart *hart)
{
    return schedules(hart);
}

world_change fast_preempt(struct hart *hart)
{
    return schedules(hart);
}

world_change fast_wake(struct hart *hart, uint64_t now)
{
    (void)now;
    return may_switch(hart);
}

world_change fast_wait(struct hart *hart)
{
    return may_switch(hart);
}

world_change fast_load(struct hart *hart)
{
    is_served(hart->loaded);
    return may_switch(hart);
}

world_change fast_store(struct hart *hart)
{
    return fast_load(hart);
}

world_change trap_dispatch(struct hart *hart)
{
    world_change change = schedules(hart);

    hart->reschedule = any_bool();
    return any_bool() ? NO_CHANGE : change;
}

void trap_use_fast_paths(bool use)
{
    (void)use;
}

static void goes_elsewhere(struct vhart *vhart)
{
    is_served(vhart);
    vhart->world.registers[REGISTER_PC] = any64();
    vhart->world.mstatus = any64();
    harts[0].reschedule |= any_bool();
}

void trap_reflect(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    (void)cause;
    (void)value;
    goes_elsewhere(vhart);
}

bool trap_find_instruction(const struct vhart *vhart, uint64_t pc, uint64_t bits,
                           uint32_t *instruction)
{
    (void)pc;
    (void)bits;
    is_served(vhart);
    if (any_bool()) {
        return false;
    }
    *instruction = any_bool() ? INSTRUCTION_WFI : any32();
    return true;
}

bool trap_reads_time(struct vhart *vhart, uint32_t instruction)
{
    (void)instruction;
    goes_elsewhere(vhart);
    return any_bool();
}

/* As the proof of instructions of machine mode says. */

bool machine_execute(struct vhart *vhart, uint32_t instruction)
{
    struct machine *machine = machine_of(vhart);

    (void)instruction;
    goes_elsewhere(vhart);
    machine->csrs.status = any64();
    machine->csrs.mtvec = any64();
    machine->confined = any_bool();
    machine->locked = any_bool();
    machine->inner.in_machine = any_bool();
    machine->inner.status = any64();
    machine->inner.satp = any64();
    machine_set_vector(vhart);
    machine_set_entry(vhart);
    if (any_bool()) {
        vhart->schedulable.state = SCHEDULABLE_WAITING;
    }
    return any_bool();
}

void machine_rewrite(struct vhart *vhart, uint64_t pc, uint32_t instruction)
{
    (void)pc;
    (void)instruction;
    is_served(vhart);
}

void machine_begin_pmp(struct vhart *vhart)
{
    struct machine_parked *parked = &machine_parked[vhart_index(vhart)];

    parked->rights = RIGHTS_OWN;
    machine_of(vhart)->confinement = (struct confinement){.purpose = &parked->rights};
    machine_of(vhart)->confined = false;
    machine_of(vhart)->locked = false;
}

bool machine_protect(struct vhart *vhart)
{
    is_vhart(vhart);
    machine_parked[vhart_index(vhart)].rights = any_up_to(RIGHTS_WITHDRAWN);
    return any_bool();
}

void inner_take_exception(struct vhart *vhart, uint64_t cause, uint64_t value)
{
    (void)cause;
    (void)value;
    goes_elsewhere(vhart);
    machine_of(vhart)->inner.in_machine = any_bool();
    machine_of(vhart)->inner.status = any64();
}

void inner_settle(struct vhart *vhart)
{
    struct machine_parked *parked = &machine_parked[vhart_index(vhart)];

    goes_elsewhere(vhart);
    machine_of(vhart)->inner.in_machine = any_bool();
    machine_of(vhart)->inner.status = any64();
    parked->deadline = any64();
    parked->mideleg = any64();
    (void)machine_protect(vhart);
}

/* What the proof of confined vharts says: to be looked up, a purpose is in force. */
enum confine_verdict confine_look_up(struct vhart *vhart, struct confinement *confinement,
                                     uint64_t cause, uint64_t address)
{
    is_served(vhart);
    //@ assert *confinement->purpose < CONFINE_PURPOSES;
    (void)confinement;
    (void)cause;
    (void)address;
    return (enum confine_verdict)any_up_to(CONFINE_ELSEWHERE);
}

enum confine_verdict confine_allows(struct vhart *vhart, struct confinement *confinement,
                                    uint64_t satp, bool store, uint64_t address)
{
    is_served(vhart);
    //@ assert *confinement->purpose != RIGHTS_OWN;
    (void)confinement;
    (void)satp;
    (void)store;
    (void)address;
    return (enum confine_verdict)any_up_to(CONFINE_ELSEWHERE);
}

/* Of other vharts and the scheduler: objects that there are. */

void vhart_prepare_start(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    (void)address;
    (void)argument;
    is_vhart(vhart);
}

void schedule_wake(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    //@ assert \valid(scheduler) && \valid(entity);
    (void)scheduler;
    (void)now;
    entity->state = SCHEDULABLE_READY;
}

static void runs(const struct hart *hart, const struct vhart *vhart)
{
    is_vhart(vhart);
    //@ assert hart == &harts[0];
    (void)hart;
}

static const struct recorder recording = {.runs = runs};

static void set_up(uint32_t count, bool has_s_mode)
{
    MAKE_ANY(system);
    bundle = &system;
    tenant->description = &system.tenants[0];
    tenant->vharts = mine;
    tenant->vhart_count = count;
    system.tenants[0].flags = COTENANT_TENANT_MACHINE | (has_s_mode ? COTENANT_TENANT_S_MODE : 0);
    other->tenant = &tenants[1];
    tenants[1].description = &system.tenants[1];
    for (uint32_t id = 0; id < VHARTS; id++) {
        mine[id].tenant = tenant;
        mine[id].description = &system.vharts[id];
        mine[id].plic = &plic[id];
        mine[id].index = FIRST + id;
        mine[id].world.vhart_id = id;
        mine[id].world.hart = &harts[id];
        harts[id].mtimecmp = &mtimecmp;
        harts[id].mtime = &mtime;
        harts[id].emulated_exceptions = any64();
    }
    machine_entries.plain = any64();
    machine_entries.fast = any64();
    machine_entries.confined = any64();
    machine_entries.resume = RESUME;
    machine_entries.inner_resume = INNER_RESUME;
    vhart_begins(mine);
    for (uint32_t id = 1; id < count; id++) {
        vhart_begins(&mine[id]);
    }
}

/* What entry.S, the hart and other harts change. */
static void pass_time(void)
{
    pass_moment();
    MAKE_ANY(mine->world.registers);
    mine->world.mstatus = any64();
    mine->schedulable.state = (enum schedulable_state)any_up_to(SCHEDULABLE_THROTTLED);
    plic[0].machine_line = any_bool();
    clint_vharts[FIRST].msip = any32();
    machine_parked[FIRST].mtimecmp = any64();
    harts[0].event_deadline = any64();
    harts[0].loaded = mine;
    tenant->lives = 0;
    recorder = any_bool() ? &recording : NULL;
}

/* If the trap exit keeps its registers, it goes on where it was, or where it is taken up again. */
static void trap(void)
{
    world_change change = machine_trap(&harts[0]);
    uint64_t pc = mine->world.registers[REGISTER_PC];

    if ((uintptr_t)change == (uintptr_t)&mine->world && harts[0].loaded != mine) {
        //@ assert pc == RESUME || pc == INNER_RESUME;
        (void)pc;
    }
}

static void call(void)
{
    harts[0].loaded = mine;
    switch (any_up_to(3)) {
    case 0:
        vhart_begins(mine);
        break;
    case 1:
        harts[0].loaded = any_bool() ? mine : other;
        machine_look_at_clint_listener(mine, any32());
        break;
    case 2:
        harts[0].loaded = any_bool() ? mine : other;
        vhart_is_routed(mine);
        break;
    default:
        trap();
        break;
    }
}

static void run_with(uint32_t count, bool has_s_mode)
{
    set_up(count, has_s_mode);
    while (any_bool()) {
        pass_time();
        call();
    }
}

int main(void)
{
    switch (any_up_to(2)) {
    case 0:
        run_with(1, false);
        break;
    case 1:
        run_with(VHARTS, false);
        break;
    default:
        run_with(VHARTS, true);
        break;
    }
    return 0;
}
