/* SPDX-License-Identifier: BSD-2-Clause */
#include "tenants.h"

#include <string.h>

#include "link.h"
#include "say.h"

static const char *const states[] = {
    [COTENANT_STATE_EMPTY] = "empty",       [COTENANT_STATE_LOADED] = "loaded",
    [COTENANT_STATE_RUNNING] = "running",   [COTENANT_STATE_DORMANT] = "dormant",
    [COTENANT_STATE_STOPPED] = "stopped",   [COTENANT_STATE_CRASHED] = "crashed",
    [COTENANT_STATE_STOPPING] = "stopping", [COTENANT_STATE_LOADING] = "loading",
};

const char *tenant_state(uint32_t state)
{
    return state < sizeof(states) / sizeof(states[0]) ? states[state] : "in an unknown state";
}

bool tenant_rests(const struct tenant *tenant)
{
    uint32_t state = tenant->about.state;

    return state != COTENANT_STATE_RUNNING && state != COTENANT_STATE_STOPPING &&
           state != COTENANT_STATE_LOADING;
}

uint64_t tenant_switches(const struct tenant *tenant)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < tenant->about.vharts; i++) {
        sum += tenant->vharts[i].switches;
    }
    return sum;
}

uint64_t tenant_memory(const struct tenant *tenant)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        sum += tenant->about.memory[i].size;
    }
    return sum;
}

static void clean_name(char *name)
{
    name[COTENANT_NAME_SIZE - 1] = '\0';
    for (; *name != '\0'; name++) {
        if (*name <= ' ' || *name >= 0x7f) {
            *name = '?';
        }
    }
}

/* Returns false if there is no such tenant for us. */
static bool get(uint32_t index, struct tenant *tenant)
{
    uint16_t status =
        link_ask(COTENANT_CONTROL_TENANT_GET, index, 0, 0, NULL, 0, sizeof(struct control_tenant));

    if (status != COTENANT_CONTROL_OK) {
        return false;
    }
    tenant->index = index;
    tenant->about = link_data.tenant;
    clean_name(tenant->about.name);
    if (tenant->about.vharts > COTENANT_MAX_HARTS) {
        fail(EXIT_NO_MONITOR, "the monitor tells of %u harts of one tenant", tenant->about.vharts);
    }
    for (uint32_t i = 0; i < tenant->about.vharts; i++) {
        status = link_ask(COTENANT_CONTROL_VHART_GET, index, i, 0, NULL, 0,
                          sizeof(struct control_vhart));
        if (status != COTENANT_CONTROL_OK) {
            return false;
        }
        tenant->vharts[i] = link_data.vhart;
    }
    return true;
}

void tenants_get(struct tenants *tenants)
{
    uint32_t count;

    if (link_ask(COTENANT_CONTROL_VERSION_GET, 0, 0, 0, NULL, 0, sizeof(struct control_version)) !=
        COTENANT_CONTROL_OK) {
        fail(EXIT_NO_MONITOR, "the monitor does not tell its version");
    }
    tenants->time_ns = link_data.version.time_ns;
    count = link_data.version.tenants;
    if (count > COTENANT_MAX_TENANTS) {
        fail(EXIT_NO_MONITOR, "the monitor tells of %u tenants", count);
    }
    tenants->count = 0;
    for (uint32_t index = 0; index < count; index++) {
        tenants->count += get(index, &tenants->list[tenants->count]);
    }
}

void tenant_find(const char *name, struct tenant *tenant)
{
    static struct tenants tenants;

    tenants_get(&tenants);
    for (uint32_t i = 0; i < tenants.count; i++) {
        if (strcmp(tenants.list[i].about.name, name) == 0) {
            *tenant = tenants.list[i];
            return;
        }
    }
    fail(EXIT_REFUSED, "no such tenant: %s", name);
}

void tenant_update(struct tenant *tenant)
{
    if (!get(tenant->index, tenant)) {
        fail(EXIT_NO_MONITOR, "the monitor does not tell of %s any more", tenant->about.name);
    }
}

void refused(const struct tenant *tenant, const char *what, uint16_t status)
{
    const char *name = tenant->about.name;

    switch (status) {
    case COTENANT_CONTROL_DENIED:
        fail(EXIT_REFUSED, "%s %s: not allowed by the configuration", what, name);
    case COTENANT_CONTROL_NO_TENANT:
        fail(EXIT_REFUSED, "no such tenant: %s", name);
    case COTENANT_CONTROL_REFUSED:
        fail(EXIT_REFUSED, "%s %s: refused, it is %s", what, name,
             tenant_state(tenant->about.state));
    default:
        fail(EXIT_REFUSED, "%s %s: the monitor does not do that (status %u)", what, name, status);
    }
}
