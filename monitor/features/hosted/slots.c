/* SPDX-License-Identifier: BSD-2-Clause */
/* The slots of hosts, made at boot: a tenant each, behind those of the bundle. */
#include "arch/memory.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "features/hosted/guests.h"
#include "features/plic/vplic.h"

/* Budget of what may run as long as it likes, and need not be counted: fast_foresee(). */
#define NO_BUDGET (1ul << 63)

struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
struct guest_vhart guest_vharts[COTENANT_MAX_VHARTS];

/* The first guest of each host. */
static uint32_t first_guests[COTENANT_MAX_TENANTS];

/* Vharts of the monitor, those of slots included. */
static uint32_t vhart_count;

static void make_vhart(struct tenant *tenant, const struct tenant *host, uint32_t slot, uint32_t id)
{
    struct vhart *vhart = &tenant->vharts[id];
    struct guest_vhart *own = &guest_vharts[vhart_count++];

    own->vhart = vhart;
    own->turn_address =
        host->description->guest_base +
        (1 + (uint64_t)slot * COTENANT_HOSTED_SLOT_PAGES + id) * COTENANT_HOSTED_PAGE;
    own->description = *host->vharts[id % host->vhart_count].description;
    own->description.id = id;
    own->description.flags = COTENANT_VHART_WFI_YIELDS;
    own->description.plic_s_context = 2 * id + 1; /* behind a machine context, as on most boards */
    own->description.plic_m_context = COTENANT_NONE;
    own->description.plic_claim_entry = COTENANT_NONE;
    memset(own->description.pmp_config, 0, sizeof(own->description.pmp_config));
    vhart_init(vhart, &own->description, tenant);
    vhart->calls = guest_calls();
    vhart->schedulable.priority--;
    vhart->has_vectors = (host->description->flags & COTENANT_TENANT_VECTOR) != 0;
    /* A vhart of a guest is always attended, and one of its hart's during a turn. */
    vhart->attended = 1;
    vhart_limit(vhart, NO_BUDGET, TIME_NEVER);
}

static void make_slot(struct tenant *host, uint32_t slot)
{
    struct tenant *tenant = &tenants[tenant_count];
    struct guest *guest = &guests[tenant_count - bundle->tenant_count];
    struct bundle_tenant *description = &guest->description;

    guest->tenant = tenant;
    guest->host = host;
    memcpy(description->name, "guest.", 6); /* no tenant of a file is called so */
    description->name[6] = (char)('0' + (guest - guests));
    description->flags = host->description->flags & (COTENANT_TENANT_FP | COTENANT_TENANT_VECTOR);
    description->plic_base = bundle->board.plic_base;
    description->group = COTENANT_NONE;
    tenant->description = description;
    tenant->index = tenant_count++;
    tenant->vharts = &vharts[vhart_count];
    tenant->vhart_count = host->description->guest_vharts;
    for (uint32_t id = 0; id < tenant->vhart_count; id++) {
        make_vhart(tenant, host, slot, id);
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
        first_guests[i] = tenant_count - bundle->tenant_count;
        for (uint32_t slot = 0; slot < tenants[i].description->guest_count; slot++) {
            make_slot(&tenants[i], slot);
        }
    }
}

HOOK(machine_begins, make_slots);

struct guest *guest_in_slot(const struct tenant *host, uint64_t slot)
{
    return slot < host->description->guest_count ? &guests[first_guests[host->index] + slot] : NULL;
}

/*
 * The slot of a guest is free from now on; or a host has stopped, whose guests none can go on. Out
 * of line: a tenant that suspends saves no registers for it.
 */
static void __attribute__((noinline)) has_ended(struct tenant *tenant)
{
    if (is_guest(tenant)) {
        /* Those that the devices of this one have left raised are not the next one's. */
        vplic_lower_lines(tenant->plic);
        memset(guest_of(tenant)->description.memory, 0, sizeof(guests->description.memory));
        (void)guest_protect(guest_of(tenant));
        return;
    }
    for (uint32_t slot = 0; slot < tenant->description->guest_count; slot++) {
        struct tenant *guest = guest_in_slot(tenant, slot)->tenant;

        if (guest->state == TENANT_RUNNING) {
            tenant_halt(guest, TENANT_STOPPED);
        }
    }
}

/* If it suspends, its guests do with it. */
static void leaves(struct tenant *tenant)
{
    if (is_guest(tenant) || tenant->state == TENANT_STOPPED || tenant->state == TENANT_CRASHED) {
        has_ended(tenant);
    }
}

HOOK(tenant_leaves, leaves);
FEATURE(hosted);
