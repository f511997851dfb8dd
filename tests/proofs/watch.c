/* SPDX-License-Identifier: BSD-2-Clause */
/* Any heartbeats of two tenants, by calls and by the watchdog's registers, and what follows. */
#include "log_parts.h"
#include "one_hart.h"

#include "core/console_mux.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "features/commands/telling.h"

#include "features/watch/calls.c"
#include "features/watch/watch.c"
#include "features/watch/watchdog.c"

#define TENANTS 2

static struct bundle system;
static struct vhart own[TENANTS];
static struct console_mux mux;
const struct recorder *recorder;

void work_post(void)
{
}

bool lifecycle_is_quitting(void)
{
    return any_bool();
}

static void is_tenant(struct tenant *tenant)
{
    //@ assert \valid(tenant);
    tenant->state = (enum tenant_state)any_up_to(TENANT_LOADING);
}

void tenant_halt_for(struct tenant *tenant, enum tenant_purpose purpose)
{
    (void)purpose;
    is_tenant(tenant);
}

void tenant_halt(struct tenant *tenant, enum tenant_state outcome)
{
    (void)outcome;
    is_tenant(tenant);
}

/* Its user fills in no more than it says. */
const char **tell_answer(void)
{
    static const char *message[8];

    return message;
}

static void note_change(const struct tenant *tenant, uint32_t event)
{
    //@ assert \valid_read(tenant);
    (void)tenant;
    (void)event;
}

static const struct recorder one = {.changes = note_change};

static void set_up(void)
{
    recorder = any_bool() ? &one : NULL;
    MAKE_ANY(system);
    system.board.timebase_hz = 32768 + any_up_to(UINT32_MAX - 32768); /* checked at boot */
    bundle = &system;
    tenant_count = TENANTS;
    for (uint32_t i = 0; i < TENANTS; i++) {
        tenants[i].description = &system.tenants[i];
        tenants[i].index = i;
        own[i].tenant = &tenants[i];
        own[i].world.hart = &harts[0];
        watch_init(&tenants[i]);
    }
}

static void command(void)
{
    struct heartbeats_command wanted = {any32(), any32(), false};
    struct heartbeats now;
    uint32_t requests = any32();
    bool waits = false;

    mux.commanded = any_up_to(TENANTS - 1);
    mux.watch_policy = any32();
    mux.watch_within_us = any32();
    requested(&mux, &requests);
    change(&tenants[mux.commanded], &wanted);
    shown(&tenants[mux.commanded], &now);
    wait(&waits);
}

static void call(struct vhart *vhart)
{
    uint64_t arguments[6];
    uint64_t value = any64();

    switch (any_up_to(5)) {
    case 0:
        MAKE_ANY(arguments);
        sbi_cotenant(vhart, any64(), arguments);
        break;
    case 1:
        access(vhart, any64(), 1u << any_up_to(3), any_bool(), &value);
        break;
    case 2:
        keep_watch(any64());
        break;
    case 3:
        begins(vhart->tenant);
        begin_restored(vhart, NULL);
        break;
    case 4:
        watch_end(vhart->tenant);
        break;
    default:
        command();
        break;
    }
}

int main(void)
{
    set_up();
    while (any_bool()) {
        struct vhart *vhart = &own[any_up_to(TENANTS - 1)];

        pass_moment();
        is_tenant(vhart->tenant);
        vhart->tenant->suspends = any32();
        call(vhart);
    }
    return 0;
}
