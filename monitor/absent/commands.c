/* SPDX-License-Identifier: BSD-2-Clause */
/* No commands: tenants are what the bundle and they themselves make of them. */
#include "core/tenant_commands.h"

bool tenant_command(struct tenant *tenant, enum tenant_command command)
{
    (void)tenant;
    (void)command;
    return false;
}

bool tenant_commands_take(struct tenant *tenant, enum tenant_command command)
{
    return tenant_command(tenant, command);
}
