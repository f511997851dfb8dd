/* SPDX-License-Identifier: BSD-2-Clause */
/* No commands: tenants are what the bundle and they themselves make of them. */
#include "core/statistics.h"
#include "core/tenant_commands.h"

void statistics_begin(struct statistics_report *report)
{
    (void)report;
}

void statistics_step(struct statistics_report *report, uint64_t now)
{
    (void)report;
    (void)now;
}

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

void tenant_commands_close(void)
{
}

bool tenant_commands_keep_on(void)
{
    return false;
}
