/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/control/idle.h"

#include <stdbool.h>

#include "abi/bundle.h"
#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "arch/instruction.h"
#include "core/clock.h"
#include "core/hart.h"
#include "core/tenant.h"
#include "core/vhart.h"
#include "core/wanted.h"
#include "core/work.h"

/* No multiple of what kernels tick with, so that it meets all parts of their periods. */
#define LOOK_US 3700
#define LOOKS_US 60000000

static struct {
    uint64_t due; /* of the next look; 0: no one is looking */
    uint64_t end; /* of the looks */
    struct {
        uint64_t seen; /* run time at the last look */
        uint64_t idle; /* of that, what was idle */
    } vharts[COTENANT_MAX_VHARTS];
} looks;

static bool waits_natively(const struct vhart *vhart)
{
    return vhart->world.hart->index == bundle->board.boot_hart &&
           (vhart->description->flags & COTENANT_VHART_WFI_YIELDS) == 0;
}

/* The loaded vhart, which this hart has just taken a trap from, was inside a WFI. */
static bool is_waiting(const struct vhart *vhart)
{
    uint64_t pc = vhart->world.registers[REGISTER_PC];

    return (vhart->world.mstatus & MSTATUS_MPP) == MSTATUS_MPP_S &&
           guest_fetch(vhart->tenant, CSR_READ(satp), pc - 4) == INSTRUCTION_WFI;
}

/* Only the loaded one's pc is known: what another one had waits for a later look. */
static void look(const struct vhart *vhart, uint64_t now)
{
    uint64_t ran = vhart_run_time(vhart, now);
    uint32_t index = vhart_index(vhart);

    if (vhart->world.hart == hart_self() && vhart->world.hart->loaded == vhart) {
        if (is_waiting(vhart)) {
            looks.vharts[index].idle += ran - looks.vharts[index].seen;
        }
        looks.vharts[index].seen = ran;
    }
}

static void begin(uint64_t now)
{
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        looks.vharts[i].seen = vhart_run_time(&vharts[i], now);
    }
    looks.due = now + ticks_from_us(LOOK_US);
    work_post();
}

uint64_t idle_computed(const struct vhart *vhart, uint64_t now)
{
    uint32_t index = vhart_index(vhart);

    if (looks.due == 0) {
        begin(now);
    }
    looks.end = now + ticks_from_us(LOOKS_US);
    if (!waits_natively(vhart)) {
        return vhart_run_time(vhart, now);
    }
    look(vhart, now);
    return looks.vharts[index].seen - looks.vharts[index].idle;
}

static uint64_t deadline(void)
{
    return looks.due == 0 ? TIME_NEVER : looks.due;
}

static unsigned step(uint64_t now)
{
    const struct vhart *loaded;

    if (looks.due == 0 || now < looks.due || hart_is_wanted()) {
        return WORK_NOTHING;
    }
    loaded = hart_self()->loaded;
    if (loaded != NULL && waits_natively(loaded)) {
        look(loaded, now);
    }
    looks.due = now < looks.end ? now + ticks_from_us(LOOK_US) : 0;
    return WORK_NOTHING;
}

WORK(idle, deadline, step);
