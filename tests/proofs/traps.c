/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any traps of the vhart that has the hart, in any order: what is done for it itself, and where it
 * goes on. Below machine mode, that is.
 */
#include "alone_in_lists.h"
#include "any_emulators.h"
#include "any_lock.h"
#include "one_hart.h"

#include "core/hooks.h"
#include "core/lifecycle.h"
#include "features/hypervisor/hypervisor.h"

#include "entry/trap.c"
#include "features/hypervisor/trap.c"

static struct vhart own[2];
static struct vhart *const mine = &own[0];
static struct tenant *const tenant = &tenants[0];

static void change_by_others(void)
{
}

/* All that it is served with is its own, and the lock is its to ask for. */
static void is_served(const struct vhart *vhart)
{
    //@ assert vhart == mine && !lock_is_held;
    (void)vhart;
}

/* Its registers may be any then, but the mode that it goes on in is below machine mode. */
static void goes_elsewhere(struct vhart *vhart)
{
    uint64_t status = any64() & ~(uint64_t)MSTATUS_MPP;

    is_served(vhart);
    MAKE_ANY(vhart->world.registers);
    vhart->world.mstatus = any_bool() ? status | MSTATUS_MPP_S : status;
    harts[0].reschedule |= any_bool();
}

static void note_exception(struct vhart *vhart, uint64_t cause)
{
    (void)cause;
    is_served(vhart);
}

HOOK(exception_is_shown, note_exception);
HAS_ENTRIES(exception_is_shown, &exception_is_shown_note_exception);

static void note_instruction(struct vhart *vhart, uint32_t instruction, uint64_t pc)
{
    (void)instruction;
    (void)pc;
    is_served(vhart);
}

HOOK(instruction_is_refused, note_instruction);
HAS_ENTRIES(instruction_is_refused, &instruction_is_refused_note_instruction);

static void count(struct vhart *vhart, unsigned event)
{
    is_served(vhart);
    (void)event;
}

HOOK(firmware_event, count);
HAS_ENTRIES(firmware_event, &firmware_event_count);

void sbi_dispatch(struct vhart *vhart)
{
    goes_elsewhere(vhart);
}

uint32_t guest_fetch(const struct tenant *of, uint64_t satp, uint64_t address)
{
    //@ assert of == tenant;
    (void)of;
    (void)satp;
    (void)address;
    return any32();
}

void tenant_crash(struct vhart *vhart, const uint64_t values[CRASH_PC])
{
    uint64_t sum = 0;

    //@ assert vhart == mine && lock_is_held;
    for (unsigned i = 0; i < CRASH_PC; i++) {
        sum += values[i];
    }
    vhart->tenant->crash[0] = sum;
    harts[0].reschedule = true;
}

/* It does not return before a vhart can run, which may be another one. */
static world_change schedules(struct hart *hart)
{
    //@ assert hart == &harts[0] && !lock_is_held;
    hart->reschedule = false;
    hart->loaded = &own[any_up_to(1)];
    return change_world(NULL, NULL);
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
    hart->reschedule = any_bool();
    return any_bool() ? schedules(hart) : NO_CHANGE;
}

void hart_poll_interrupts(struct hart *hart)
{
    //@ assert hart == &harts[0] && !lock_is_held;
    hart->reschedule |= any_bool();
}

static void trap(void)
{
    uint64_t mode;

    pass_moment();
    harts[0].features = 0; /* it is not alone */
    harts[0].event_deadline = any64();
    harts[0].loaded = mine;
    mine->schedulable.state = SCHEDULABLE_READY;
    mine->schedulable.next = NULL;
    harts[0].scheduler = (struct scheduler){.ready = &mine->schedulable};
    goes_elsewhere(mine);
    (void)(any_bool() ? hypervisor_trap(&harts[0]) : trap_dispatch(&harts[0]));
    mode = mine->world.mstatus & MSTATUS_MPP;
    //@ assert mode != MSTATUS_MPP && !lock_is_held;
    (void)mode;
}

int main(void)
{
    for (unsigned i = 0; i < 2; i++) {
        own[i].tenant = &tenants[i];
        own[i].world.hart = &harts[0];
    }
    while (any_bool()) {
        trap();
    }
    return 0;
}
