/* SPDX-License-Identifier: BSD-2-Clause */
/* The slots of hosts, made at boot: a tenant each, behind those of the bundle. */
#include "arch/memory.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "features/hosted/guests.h"
#include "features/plic/vplic.h"

struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
struct guest_vhart guest_vharts[COTENANT_MAX_VHARTS];

/* Vharts of the monitor, those of slots included. */
static uint32_t vhart_count;

static void make_vhart(struct tenant *tenant, const struct tenant *host, uint32_t id)
{
    struct vhart *vhart = &tenant->vharts[id];
    struct vhart *first = &host->vharts[id % host->vhart_count];
    struct bundle_vhart *description = &guest_vharts[vhart - vharts].description;

    *description = (struct bundle_vhart){
        .id = id,
        .priority = first->description->priority,
        .flags = COTENANT_VHART_WFI_YIELDS,
        .plic_m_context = COTENANT_NONE,
        .plic_s_context = 2 * id + 1, /* behind a machine context, as on most boards */
        .plic_claim_entry = COTENANT_NONE,
    };
    vhart->description = description;
    vhart->index = (uint32_t)(vhart - vharts);
    vhart->tenant = tenant;
    vhart->world.hart = first->world.hart;
    vhart->world.vhart_id = id;
    vhart->schedulable.priority = first->schedulable.priority - 1;
    vhart->schedulable.slice = first->schedulable.slice;
    vhart->work_patience = first->work_patience;
    vhart->brings_registers = tenant_uses_fp(tenant);
}

static void make_slot(struct tenant *host, uint32_t slot)
{
    struct tenant *tenant = &tenants[tenant_count];
    struct guest *guest = guest_of(&(struct tenant){.index = tenant_count});
    struct bundle_tenant *description = &guest->description;

    guest->tenant = tenant;
    guest->host = host;
    guest->slot = slot;
    memcpy(description->name, "guest.", 6); /* no tenant of a file is called so */
    description->name[6] = (char)('0' + (guest - guests));
    description->flags = host->description->flags & COTENANT_TENANT_FP;
    description->plic_base = bundle->board.plic_base;
    description->group = COTENANT_NONE;
    tenant->description = description;
    tenant->index = tenant_count++;
    tenant->vharts = &vharts[vhart_count];
    tenant->vhart_count = host->description->guest_vharts;
    tenant->loader.phase = LOADER_IDLE;
    vhart_count += tenant->vhart_count;
    for (uint32_t id = 0; id < tenant->vhart_count; id++) {
        make_vhart(tenant, host, id);
    }
    vuart_init(&tenant->uart);
    tenant->uart.closed = true;
    tenant_is_set_up(tenant);
    for (uint32_t source = 1; source < COTENANT_HOSTED_SOURCES; source++) {
        vplic_add_virtual(tenant->plic, source);
    }
}

static void make_slots(void)
{
    vhart_count = bundle->vhart_count;
    for (uint32_t i = 0; i < bundle->tenant_count; i++) {
        for (uint32_t slot = 0; slot < tenants[i].description->guest_count; slot++) {
            make_slot(&tenants[i], slot);
        }
    }
    if (tenant_count > bundle->tenant_count) {
        guest_divert_calls();
    }
}

HOOK(machine_begins, make_slots);

struct guest *guest_in_slot(const struct tenant *host, uint64_t slot)
{
    for (uint32_t i = 0; i < COTENANT_HOSTED_MAX_SLOTS; i++) {
        if (guests[i].host == host && guests[i].slot == slot) {
            return &guests[i];
        }
    }
    return NULL;
}

/* The slot is free from now on. */
static void end_guest(struct guest *guest)
{
    guest->token = 0;
    guest->size = 0;
    memset(guest->description.memory, 0, sizeof(guest->description.memory));
    for (uint32_t id = 0; id < guest->host->description->guest_vharts; id++) {
        struct guest_vhart *own = guest_vhart_of(&guest->tenant->vharts[id]);

        own->run = NULL;
        own->owes = GUEST_OWES_NOTHING;
        own->called = 0;
    }
}

/* A guest has stopped, or a host has, whose guests none can go on. */
static void leaves(struct tenant *tenant)
{
    if (is_guest(tenant)) {
        end_guest(guest_of(tenant));
        return;
    }
    if (tenant->description->guest_count == 0 ||
        (tenant->state != TENANT_STOPPED && tenant->state != TENANT_CRASHED)) {
        return; /* or it suspends, and its guests with it */
    }
    for (uint32_t i = 0; i < COTENANT_HOSTED_MAX_SLOTS; i++) {
        if (guests[i].host == tenant && guests[i].tenant->state == TENANT_RUNNING) {
            tenant_halt(guests[i].tenant, TENANT_STOPPED);
        }
    }
}

HOOK(tenant_leaves, leaves);
FEATURE(hosted);
