/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/tenant.h"

#include "core/foreground.h"

struct tenant tenants[COTENANT_MAX_TENANTS];
uint32_t tenant_count;
uint32_t tenants_stopping;
struct vhart vharts[COTENANT_MAX_VHARTS];
const struct bundle *bundle;
const struct foreground_policy *foreground_policy;

const char *const tenant_command_names[COMMAND_COUNT] = {
    [COMMAND_LOAD] = "load",       [COMMAND_START] = "start",     [COMMAND_STOP] = "stop",
    [COMMAND_RESTART] = "restart", [COMMAND_DESTROY] = "destroy", [COMMAND_SWITCH] = "switch",
};

bool tenant_is_at_rest(const struct tenant *tenant)
{
    switch (tenant->state) {
    case TENANT_EMPTY:
    case TENANT_LOADED:
    case TENANT_DORMANT:
    case TENANT_STOPPED:
    case TENANT_CRASHED:
        return true;
    default:
        return false;
    }
}

const char *tenant_state_name(enum tenant_state state)
{
    switch (state) {
    case TENANT_EMPTY:
        return "empty";
    case TENANT_LOADED:
        return "loaded";
    case TENANT_RUNNING:
        return "running";
    case TENANT_DORMANT:
        return "dormant";
    case TENANT_STOPPED:
        return "stopped";
    case TENANT_CRASHED:
        return "crashed";
    case TENANT_STOPPING:
        return "stopping";
    case TENANT_LOADING:
        return "loading";
    }
    return "unknown";
}
