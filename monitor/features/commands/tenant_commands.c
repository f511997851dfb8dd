/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/commands/tenant_commands.h"

#include <stddef.h>

#include "core/console_mux.h"
#include "core/feature.h"
#include "core/foreground.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/work.h"
#include "features/commands/telling.h"

/* States in which a command is allowed, a bit each. */
#define IN(state) (1u << (state))
#define ALIVE (IN(TENANT_RUNNING) | IN(TENANT_DORMANT))
#define ENDED (IN(TENANT_STOPPED) | IN(TENANT_CRASHED))

static const uint32_t allowed[COMMAND_COUNT] = {
    [COMMAND_LOAD] = IN(TENANT_EMPTY) | ENDED,
    [COMMAND_START] = IN(TENANT_EMPTY) | IN(TENANT_LOADED) | ENDED,
    [COMMAND_STOP] = ALIVE | IN(TENANT_LOADING) | IN(TENANT_STOPPING),
    [COMMAND_RESTART] = ALIVE | ENDED,
    [COMMAND_DESTROY] = IN(TENANT_LOADED) | ALIVE | ENDED,
    [COMMAND_SWITCH] = IN(TENANT_EMPTY) | IN(TENANT_LOADED) | IN(TENANT_DORMANT) | ENDED,
};

/* Whatever it is doing, it does not any more; then `purpose`. */
static void begin_anew(struct tenant *tenant, enum tenant_purpose purpose)
{
    if ((IN(tenant->state) & ALIVE) != 0) {
        tenant_halt_for(tenant, purpose);
    } else {
        tenant_prepare(tenant, purpose);
    }
}

bool tenant_command(struct tenant *tenant, enum tenant_command command)
{
    if ((allowed[command] & IN(tenant->state)) == 0 ||
        (tenant->index >= bundle->tenant_count && command != COMMAND_STOP)) {
        return false;
    }
    if (command == COMMAND_SWITCH) {
        return foreground_request(tenant);
    }
    if (command == COMMAND_START || command == COMMAND_RESTART) {
        if (!foreground_is_free_for(tenant)) {
            return false;
        }
        foreground_take(tenant);
    }
    if (command == COMMAND_LOAD || command == COMMAND_STOP || command == COMMAND_DESTROY) {
        lifecycle_keep_on();
    }
    if (command == COMMAND_STOP) {
        tenant_halt(tenant, TENANT_STOPPED);
    } else {
        begin_anew(tenant, command == COMMAND_LOAD      ? TENANT_TO_LOAD
                           : command == COMMAND_DESTROY ? TENANT_TO_DESTROY
                                                        : TENANT_TO_RUN);
    }
    return true;
}

bool tenant_commands_take(struct tenant *tenant, enum tenant_command command)
{
    bool ends = command == COMMAND_STOP || command == COMMAND_DESTROY;
    const char **message;

    if (lifecycle_is_quitting() || !tenant_command(tenant, command)) {
        return false;
    }
    work_post();
    if (command == COMMAND_SWITCH) {
        return true; /* what comes of that is told when it comes */
    }
    message = tell_event();
    message[0] = "tenant ";
    message[1] = tenant->description->name;
    message[2] = ends ? ": stopped by " : ": commanded to ";
    message[3] = tenant_command_names[command];
    message[4] = "\n";
    message[5] = NULL;
    return true;
}

/* What was typed, with the place behind it for the answer itself. */
static const char **begin_answer(const struct console_mux *mux, const char *command)
{
    const char **answer = tell_answer();

    work_post();
    answer[0] = "monitor: ";
    answer[1] = command;
    answer[2] = " ";
    answer[3] = tenants[mux->commanded].description->name;
    return &answer[4];
}

/* Carries out what was typed, and answers. */
static void carry_out(const struct console_mux *mux)
{
    struct tenant *tenant = &tenants[mux->commanded];
    enum tenant_state before = tenant->state;
    bool accepted = tenant_commands_take(tenant, mux->tenant_command);
    const char **answer = begin_answer(mux, tenant_command_names[mux->tenant_command]);

    answer[0] = accepted ? ": ok\n" : ": refused, it is ";
    answer[1] = accepted ? NULL : tenant_state_name(before);
    answer[2] = foreground_is_free_for(tenant) ? "\n" : ", and not in the foreground\n";
}

static void requested(const struct console_mux *mux, uint32_t *requests)
{
    if ((*requests & CONSOLE_REQUEST_TENANT) != 0) {
        *requests &= ~CONSOLE_REQUEST_TENANT;
        carry_out(mux);
    }
}

HOOK(console_requests, requested);

/* No part of this monitor has answered it. */
static void refused(const struct console_mux *mux, uint32_t requests)
{
    bool watch = (requests & CONSOLE_REQUEST_WATCH) != 0;
    const char **answer;

    if (!watch && (requests & CONSOLE_REQUEST_TENANT) == 0) {
        return;
    }
    answer = begin_answer(mux, watch ? "watch" : tenant_command_names[mux->tenant_command]);
    answer[0] = ": refused, this monitor is ";
    answer[1] = "built without it\n";
    answer[2] = NULL;
}

HOOK(console_request_refused, refused);

FEATURE(commands);
