/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/sta/steal.h"

#include "arch/guest_fetch.h"
#include "arch/instruction.h"
#include "core/attended.h"
#include "core/clock.h"
#include "core/hooks.h"
#include "core/tenant.h"

/* Section 16.1: layout of the shared memory, 64 bytes. */
struct steal_time {
    uint32_t sequence;
    uint32_t flags;
    uint64_t steal; /* nanoseconds */
    uint8_t preempted;
    uint8_t pad[47];
};

static struct steal {
    bool on; /* and so attended */
    enum {
        STEAL_NONE, /* it was told since it lost the hart */
        STEAL_WORK, /* it would have gone on */
        STEAL_WAIT, /* it waited, until schedulable.wake */
        STEAL_IDLE, /* it had nothing to do */
    } away;
    uint32_t sequence;
    volatile struct steal_time *memory; /* shared with the tenant */
    uint64_t left;                      /* when it lost the hart, ticks */
    uint64_t switches;                  /* its schedulable.switches then */
    uint64_t stolen;                    /* ticks in which another vhart had the hart instead */
} steals[COTENANT_MAX_VHARTS];

void steal_begin(struct vhart *vhart, uint64_t address)
{
    struct steal *steal = &steals[vhart_index(vhart)];
    volatile uint64_t *words = (volatile uint64_t *)address;

    for (unsigned i = 0; i < sizeof(struct steal_time) / sizeof(uint64_t); i++) {
        words[i] = 0;
    }
    *steal = (struct steal){.on = steal->on, .memory = (volatile struct steal_time *)address};
    attended_begin(vhart, &steal->on);
    vhart->world.hart->attended_last = &vhart->schedulable;
}

void steal_end(struct vhart *vhart)
{
    attended_end(vhart, &steals[vhart_index(vhart)].on);
}

/*
 * A vhart that keeps the hart while it waits has nothing to do if it was taken from it in a WFI or
 * in a suspend; nor has one that is about to suspend for longer.
 */
static inline bool is_idle(const struct vhart *vhart)
{
    return vhart->loading ||
           (vhart->world.hart->loaded == vhart &&
            (world_naps(&vhart->world) ||
             guest_fetch_in_line(vhart->world.registers[REGISTER_PC] - 4) == INSTRUCTION_WFI));
}

static inline void note_leaving(struct vhart *vhart, struct steal *steal)
{
    enum schedulable_state state = vhart->schedulable.state;

    steal->left = hart_now(vhart->world.hart);
    steal->switches = vhart->schedulable.switches;
    if (state == SCHEDULABLE_OFF || is_idle(vhart)) {
        steal->away = STEAL_IDLE;
    } else if (state == SCHEDULABLE_WAITING) {
        steal->away = STEAL_WAIT;
    } else {
        steal->away = STEAL_WORK;
        steal->memory->preempted = 1;
    }
}

/* It is noted already where the hart is taken from it during a call: sbi/dispatch.c. */
static void leave(struct vhart *vhart)
{
    struct steal *steal = &steals[vhart_index(vhart)];

    __asm__("" : "+r"(steal)); /* found once, not in each branch */
    if (steal->on && (steal->away == STEAL_NONE || vhart->loading ||
                      vhart->schedulable.state != SCHEDULABLE_READY)) {
        note_leaving(vhart, steal);
    }
}

/*
 * A vhart that waited could run again from the moment of its wake-up on. Of what the monitor did
 * for it nothing is stolen.
 */
static void enter(struct vhart *vhart)
{
    struct steal *steal = &steals[vhart_index(vhart)];
    uint64_t since = steal->away == STEAL_WAIT ? vhart->schedulable.wake : steal->left;
    bool lost = steal->away != STEAL_IDLE && steal->switches != vhart->schedulable.switches;
    uint64_t now;

    if (!steal->on || steal->away == STEAL_NONE) {
        return;
    }
    now = hart_now(vhart->world.hart);
    steal->away = STEAL_NONE;
    if (lost && since <= now) {
        steal->stolen += now - since;
    }
    steal->sequence++;
    steal->memory->sequence = steal->sequence;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    steal->memory->steal = nanoseconds_from_ticks(steal->stolen);
    steal->memory->preempted = 0;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    steal->sequence++;
    steal->memory->sequence = steal->sequence;
}

static void show(const struct vhart *vhart, uint64_t *stolen)
{
    *stolen = steals[vhart_index(vhart)].stolen;
}

HOOK(vhart_enters, enter);
HOOK(vhart_leaves, leave);
HOOK(vhart_ends, steal_end);
HOOK(steal_time_shown, show);
