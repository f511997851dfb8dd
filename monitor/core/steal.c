/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/steal.h"

#include "core/clock.h"
#include "core/plain_path.h"
#include "core/tenant.h"

/* Section 16.1: layout of the shared memory, 64 bytes. */
struct steal_time {
    uint32_t sequence;
    uint32_t flags;
    uint64_t steal; /* nanoseconds */
    uint8_t preempted;
    uint8_t pad[47];
};

static volatile struct steal_time *shared(const struct vhart *vhart)
{
    return (volatile struct steal_time *)vhart->steal.address;
}

void steal_begin(struct vhart *vhart, uint64_t address)
{
    volatile uint64_t *words = (volatile uint64_t *)address;

    for (unsigned i = 0; i < sizeof(struct steal_time) / sizeof(uint64_t); i++) {
        words[i] = 0;
    }
    vhart->steal = (struct steal){.on = true, .address = address};
    plain_path_begin(vhart, PLAIN_PATH_STEAL);
}

void steal_end(struct vhart *vhart)
{
    vhart->steal.on = false;
    plain_path_end(vhart, PLAIN_PATH_STEAL);
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
    memory->steal = nanoseconds_from_ticks(steal->stolen);
    memory->preempted = 0;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    steal->sequence++;
    memory->sequence = steal->sequence;
}
