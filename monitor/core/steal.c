/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/steal.h"

#include "arch/hart.h"
#include "core/tenant.h"

/* Budget of a vhart that may run as long as it likes but is accounted for: ages of ticks. */
#define BUDGET_WITHOUT_LIMIT (1ul << 62)

/* Section 16.1: layout of the shared memory, 64 bytes. */
struct steal_time {
    uint32_t sequence;
    uint32_t flags;
    uint64_t steal; /* nanoseconds */
    uint8_t preempted;
    uint8_t pad[47];
};

static uint64_t nanoseconds(uint64_t ticks)
{
    uint64_t hz = bundle->board.timebase_hz;

    return ticks / hz * 1000000000 + ticks % hz * 1000000000 / hz;
}

static volatile struct steal_time *shared(const struct vhart *vhart)
{
    return (volatile struct steal_time *)vhart->steal.address;
}

void steal_begin(struct vhart *vhart, uint64_t address)
{
    volatile uint64_t *words = (volatile uint64_t *)address;
    struct hart *hart = vhart->world.hart;

    steal_end(vhart);
    for (unsigned i = 0; i < sizeof(struct steal_time) / sizeof(uint64_t); i++) {
        words[i] = 0;
    }
    vhart->steal = (struct steal){.on = true, .address = address};
    if (vhart->schedulable.budget == 0) {
        vhart->schedulable.budget = BUDGET_WITHOUT_LIMIT;
        vhart->schedulable.period = TIME_NEVER;
    }
    hart->accounts++;
    hart->accounted = &vhart->schedulable;
    hart->next_up = NULL; /* chosen when the vhart had no budget */
}

void steal_end(struct vhart *vhart)
{
    if (!vhart->steal.on) {
        return;
    }
    vhart->steal.on = false;
    vhart->world.hart->accounts--;
    if (vhart->schedulable.budget == BUDGET_WITHOUT_LIMIT) {
        vhart->schedulable.budget = 0;
        vhart->schedulable.period = 0;
    }
}

void steal_leave(struct vhart *vhart, uint64_t now, bool idle)
{
    struct steal *steal = &vhart->steal;

    steal->left = now;
    steal->waits = vhart->schedulable.state == SCHEDULABLE_WAITING;
    steal->idle = idle || vhart->schedulable.state == SCHEDULABLE_OFF;
    if (!steal->idle && !steal->waits) {
        shared(vhart)->preempted = 1;
    }
}

/* Who waited could run again from the moment of its wake-up on. */
void steal_enter(struct vhart *vhart, uint64_t now)
{
    volatile struct steal_time *memory = shared(vhart);
    struct steal *steal = &vhart->steal;
    uint64_t since = steal->waits ? vhart->schedulable.wake : steal->left;

    if (steal->idle || since > now) {
        return;
    }
    steal->stolen += now - since;
    steal->sequence++;
    memory->sequence = steal->sequence;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memory->steal = nanoseconds(steal->stolen);
    memory->preempted = 0;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    steal->sequence++;
    memory->sequence = steal->sequence;
}
