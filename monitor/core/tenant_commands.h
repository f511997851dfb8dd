/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a user can ask of a tenant at run time: load, start, stop, restart, destroy, switch.
 *
 * Interrupts off, shared lock held, on any hart. The caller goes on to hart_schedule().
 */
#ifndef COTENANT_CORE_TENANT_COMMANDS_H
#define COTENANT_CORE_TENANT_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tenant.h"

enum tenant_command {
    COMMAND_LOAD,    /* puts the images in place, and does not start */
    COMMAND_START,   /* loads if it is not loaded, and starts */
    COMMAND_STOP,    /* takes everything from it; what it has in memory is lost when it starts */
    COMMAND_RESTART, /* stops and starts anew */
    COMMAND_DESTROY, /* stops and clears its memory */
    COMMAND_SWITCH,  /* into the foreground of its group, when the active one has suspended */
    COMMAND_COUNT,
};

/* "load", "start", ...: what a user types. */
extern const char *const tenant_command_names[COMMAND_COUNT];

/*
 * Begins to carry out a command. Returns false, with nothing done, if the state of the tenant does
 * not allow it: docs/abi.md has the table.
 */
bool tenant_command(struct tenant *tenant, enum tenant_command command);

/*
 * The same for a user, and says so on the log for those who follow it. False also if the machine is
 * being left.
 */
bool tenant_commands_take(struct tenant *tenant, enum tenant_command command);

#endif
