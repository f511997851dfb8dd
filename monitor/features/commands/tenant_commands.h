/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a user can ask of a tenant at run time: load, start, stop, restart, destroy, switch.
 *
 * Interrupts off, shared lock held, on any hart. The caller goes on to hart_schedule().
 */
#ifndef COTENANT_FEATURES_COMMANDS_TENANT_COMMANDS_H
#define COTENANT_FEATURES_COMMANDS_TENANT_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"

/*
 * Begins to carry out a command. Returns false, with nothing done, if the state of the tenant does
 * not allow it: docs/abi/console.md has the table.
 */
bool tenant_command(struct tenant *tenant, enum tenant_command command);

/*
 * The same for a user, and says so on the log for those who follow it. False also if the machine is
 * being left.
 */
bool tenant_commands_take(struct tenant *tenant, enum tenant_command command);

#endif
