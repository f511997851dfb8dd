/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/control/save_restore.h"

#include <stddef.h>

#include "arch/csr.h"
#include "arch/owned_memory.h"
#include "arch/vhart_setup.h"
#include "core/hooks.h"

#define FLAGS (COTENANT_DORMANT_MISALIGNED_DELEGATED | COTENANT_DORMANT_MISALIGNED_LOCKED)

static const struct vhart *suspended_vhart(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        if (tenant->vharts[i].state == VHART_SUSPENDED) {
            return &tenant->vharts[i];
        }
    }
    return NULL;
}

bool dormant_save(const struct tenant *tenant, struct dormant_state *state)
{
    const struct vhart *vhart = suspended_vhart(tenant);

    if (tenant->state != TENANT_DORMANT || vhart == NULL) {
        return false;
    }
    *state = (struct dormant_state){
        .version = COTENANT_DORMANT_VERSION,
        .vhart = vhart->world.vhart_id,
        .address = vhart->start_address,
        .argument = vhart->start_argument,
    };
    if ((vhart->world.medeleg & EXCEPTIONS_MISALIGNED) != 0) {
        state->flags |= COTENANT_DORMANT_MISALIGNED_DELEGATED;
    }
    vhart_is_saved(vhart, state);
    return true;
}

static bool is_acceptable(const struct tenant *tenant, const struct dormant_state *state)
{
    return state->version == COTENANT_DORMANT_VERSION && state->vhart < tenant->vhart_count &&
           (state->flags & ~(uint32_t)FLAGS) == 0 && state->reserved == 0 &&
           (state->address & 1) == 0 && tenant_owns_memory(tenant, state->address, 2);
}

bool dormant_restore(struct tenant *tenant, const struct dormant_state *state)
{
    struct vhart *vhart;

    if (!tenant_is_at_rest(tenant) || tenant->state == TENANT_DORMANT ||
        tenant->description->group == COTENANT_NONE || !is_acceptable(tenant, state)) {
        return false;
    }
    vhart = &tenant->vharts[state->vhart];
    vhart->start_address = state->address;
    vhart->start_argument = state->argument;
    /* It goes on with the registers that it has (lifecycle.c): with nothing of another life. */
    vhart_setup_world(vhart, state->address, state->argument);
    vhart->world.medeleg &= ~(uint64_t)EXCEPTIONS_MISALIGNED;
    if ((state->flags & COTENANT_DORMANT_MISALIGNED_DELEGATED) != 0) {
        vhart->world.medeleg |= EXCEPTIONS_MISALIGNED;
    }
    vhart_is_restored(vhart, state);
    vhart->state = VHART_SUSPENDED;
    tenant->state = TENANT_DORMANT;
    tenant->used = true;
    return true;
}
