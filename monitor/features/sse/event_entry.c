/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/sse/event_entry.h"

#include "arch/csr.h"
#include "arch/interrupts.h"
#include "core/hooks.h"

/* Puts a value into sepc and returns the old one. */
static uint64_t exchange_sepc(struct vhart *vhart, uint64_t value)
{
    uint64_t old;

    if (vhart_is_loaded(vhart)) {
        old = CSR_READ(sepc);
        CSR_WRITE(sepc, value);
    } else {
        old = vhart->world.sepc;
        vhart->world.sepc = value;
    }
    return old;
}

void event_enter(struct vhart *vhart, uint64_t pc, uint64_t argument,
                 struct interrupted *interrupted)
{
    struct world *world = &vhart->world;
    uint64_t before;
    uint64_t status;

    if (world_naps(world)) {
        vhart_nap_ends(vhart);
    }
    before = world->mstatus;
    interrupted->sepc = exchange_sepc(vhart, world->registers[REGISTER_PC]);
    interrupted->flags = ((before & MSTATUS_SPP) != 0 ? SBI_SSE_FLAG_SPP : 0) |
                         ((before & MSTATUS_SPIE) != 0 ? SBI_SSE_FLAG_SPIE : 0);
    interrupted->a6 = world->registers[REGISTER_A6];
    interrupted->a7 = world->registers[REGISTER_A7];

    status = before & ~(uint64_t)(MSTATUS_SPP | MSTATUS_SPIE | MSTATUS_SIE | MSTATUS_MPP);
    status |= (before & MSTATUS_MPP) == MSTATUS_MPP_S ? MSTATUS_SPP : 0;
    status |= (before & MSTATUS_SIE) != 0 ? MSTATUS_SPIE : 0;
    world->mstatus = status | MSTATUS_MPP_S;
    world->registers[REGISTER_A6] = world->vhart_id;
    world->registers[REGISTER_A7] = argument;
    world->registers[REGISTER_PC] = pc;
}

void event_leave(struct vhart *vhart, const struct interrupted *interrupted)
{
    struct world *world = &vhart->world;
    uint64_t before = world->mstatus;
    uint64_t status;

    status = before & ~(uint64_t)(MSTATUS_SPP | MSTATUS_SPIE | MSTATUS_SIE | MSTATUS_MPP);
    status |= (before & MSTATUS_SPP) != 0 ? MSTATUS_MPP_S : 0;
    status |= (before & MSTATUS_SPIE) != 0 ? MSTATUS_SIE : 0;
    status |= (interrupted->flags & SBI_SSE_FLAG_SPIE) != 0 ? MSTATUS_SPIE : 0;
    status |= (interrupted->flags & SBI_SSE_FLAG_SPP) != 0 ? MSTATUS_SPP : 0;
    world->mstatus = status;
    world->registers[REGISTER_PC] = exchange_sepc(vhart, interrupted->sepc);
    world->registers[REGISTER_A6] = interrupted->a6;
    world->registers[REGISTER_A7] = interrupted->a7;
}
