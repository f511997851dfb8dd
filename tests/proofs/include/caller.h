/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tenant with one or two vharts on one hart, of any state, and what calls of theirs reach of the
 * core: for the entries of the proofs of SBI extensions.
 */
#ifndef COTENANT_TESTS_PROOFS_CALLER_H
#define COTENANT_TESTS_PROOFS_CALLER_H

#include "core/hart.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "core/wanted.h"
#include "sbi/sbi.h"
#include "tenant_ram.h"

#define VHARTS 2

static struct bundle_tenant description;
static struct bundle_vhart vhart_description;
static struct vhart own[VHARTS];
static struct tenant tenant;
static uint64_t mtime;
struct hart harts[COTENANT_MAX_HARTS];
struct hart *const proof_hart = &harts[0];

/* As their proof says: any answer, and nothing is changed here. */
bool wanted_by_mail(const struct hart *hart)
{
    (void)hart;
    return any_bool();
}

void messages_send(struct vhart *vhart, uint32_t requests)
{
    (void)requests;
    //@ assert \valid_read(vhart);
    (void)vhart->state;
}

/* The times and the vharts' states are others at each call. */
static void pass_time(void)
{
    mtime = any64();
    for (uint32_t i = 0; i < VHARTS; i++) {
        MAKE_ANY(own[i].world.registers);
        own[i].world.mstatus = any64();
        own[i].state = (enum vhart_state)any_up_to(VHART_RESUME_PENDING);
        own[i].schedulable.state = (enum schedulable_state)any_up_to(SCHEDULABLE_THROTTLED);
        own[i].schedulable.switches = any64();
        own[i].schedulable.wake = any64();
        own[i].loading = any_bool();
    }
    harts[0].reschedule = any_bool();
}

static void set_up(void)
{
    description.flags = any32();
    tenant.description = &description;
    tenant.vharts = own;
    tenant.vhart_count = 1 + any_up_to(VHARTS - 1);
    tenant.index = any_up_to(COTENANT_MAX_TENANTS - 1);
    harts[0].mtime = &mtime;
    harts[0].features = any64();
    for (uint32_t i = 0; i < VHARTS; i++) {
        own[i].tenant = &tenant;
        own[i].description = &vhart_description;
        own[i].index = i;
        own[i].world.hart = &harts[0];
        own[i].world.vhart_id = i;
    }
    harts[0].loaded = &own[0];
    pass_time();
}

/* One of them, each on its own. */
static struct vhart *any_vhart(void)
{
    return &own[Frama_C_interval_split(0, VHARTS - 1)];
}

/* The registers from a0 on, of which a call has its arguments. */
static uint64_t *arguments_of(struct vhart *vhart)
{
    return &vhart->world.registers[REGISTER_A0];
}

#endif
