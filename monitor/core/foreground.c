/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/foreground.h"

#include <stddef.h>

#include "arch/suspend.h"
#include "arch/vhart_setup.h"
#include "core/clock.h"
#include "core/give_back.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/monitor_log.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "core/work.h"
#include "irq/routing.h"

struct group {
    struct tenant *active; /* NULL: there is no such group */
    struct tenant *wanted; /* whom the user asked for, or NULL */
    uint64_t wanted_since; /* ticks */
    bool refusal_told;
    bool patience_is_over;
};

static struct group groups[COTENANT_MAX_TENANTS];

/* NULL: it is in none. */
static struct group *group_of(const struct tenant *tenant)
{
    uint32_t number = tenant->description->group;

    return number < COTENANT_MAX_TENANTS ? &groups[number] : NULL;
}

static void say(const struct tenant *tenant, const char *text, const struct tenant *other)
{
    monitor_log_tenant(tenant, text);
    if (other != NULL) {
        monitor_puts(other->description->name);
    }
    monitor_puts("\n");
}

/* Without being asked for: dormant, or never started although it starts by itself. */
static bool takes_turns(const struct tenant *tenant)
{
    return tenant->state == TENANT_DORMANT ||
           ((tenant->state == TENANT_EMPTY || tenant->state == TENANT_LOADED) &&
            (tenant->description->flags & COTENANT_TENANT_AUTOSTART) != 0);
}

/* The tenant that comes after the active one; NULL: none. */
static struct tenant *next_of(const struct group *group)
{
    uint32_t index = group->active->index;

    if (lifecycle_is_quitting()) {
        return NULL;
    }
    if (group->wanted != NULL && tenant_is_at_rest(group->wanted)) {
        return group->wanted;
    }
    for (uint32_t i = 1; i < tenant_count; i++) {
        index = index + 1 < tenant_count ? index + 1 : 0;
        if (group_of(&tenants[index]) == group && takes_turns(&tenants[index])) {
            return &tenants[index];
        }
    }
    return NULL;
}

void foreground_init(void)
{
    for (uint32_t i = 0; i < COTENANT_MAX_TENANTS; i++) {
        groups[i] = (struct group){0};
    }
    for (uint32_t i = 0; i < tenant_count; i++) {
        struct group *group = group_of(&tenants[i]);

        if (group == NULL) {
            continue;
        }
        if (group->active == NULL || (!takes_turns(group->active) && takes_turns(&tenants[i]))) {
            group->active = &tenants[i];
            routing_take_sources(&tenants[i]);
        }
    }
}

bool foreground_has_devices(const struct tenant *tenant)
{
    const struct group *group = group_of(tenant);

    return group == NULL || group->active == tenant;
}

bool foreground_is_free_for(const struct tenant *tenant)
{
    const struct group *group = group_of(tenant);

    return group == NULL || group->active == tenant || tenant_is_at_rest(group->active);
}

void foreground_take(struct tenant *tenant)
{
    struct group *group = group_of(tenant);

    if (group == NULL) {
        return;
    }
    tenant_takes_over(tenant, group->active);
    group->active = tenant;
    group->wanted = NULL;
    routing_take_sources(tenant);
}

/* The active one has left. */
static void enter(struct tenant *tenant)
{
    foreground_take(tenant);
    if (tenant->state == TENANT_DORMANT) {
        tenant_resume(tenant);
        return;
    }
    say(tenant, "starts", NULL);
    if (tenant->state == TENANT_LOADED) {
        tenant_run(tenant);
    } else {
        tenant_prepare(tenant, TENANT_TO_RUN);
    }
}

struct tenant *foreground_next(const struct tenant *tenant)
{
    const struct group *group = group_of(tenant);

    return group == NULL ? NULL : next_of(group);
}

/* All that it had of the group is reset: `next` comes, if there still is one. */
static bool give_way(struct vhart *vhart, struct tenant *next)
{
    vhart->loading = false;
    vhart->gives_back = false;
    if (next == NULL) {
        give_back_begin(vhart->tenant);
        return false;
    }
    tenant_become_dormant(vhart);
    enter(next);
    return true;
}

/*
 * Resets what the tenant has of the group, with looks at interrupts in between. False: another
 * vhart or hart is more urgent. It then goes on as soon as the vhart has the hart, and before
 * anything of the tenant runs there, which could undo a part: no interrupt, event or code of it
 * comes in between.
 */
static bool gives_back(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    while (give_back_step(vhart->tenant)) {
        if (hart_is_wanted() || shared_is_wanted(hart)) {
            vhart->loading = true;
            vhart->gives_back = true;
            schedule_wake(&hart->scheduler, &vhart->schedulable, hart_now(hart));
            hart->reschedule = true;
            return false;
        }
    }
    return true;
}

bool foreground_suspend(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    struct tenant *next = foreground_next(vhart->tenant);

    vhart->start_address = address;
    vhart->start_argument = argument;
    if (next == NULL) {
        vhart->suspends_system = true;
        return false;
    }
    return !gives_back(vhart) || give_way(vhart, next);
}

void foreground_go_on(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    if (!shared_try_enter(hart)) {
        return;
    }
    /* Else it is being stopped, and the message is on its way. */
    if (vhart->tenant->state == TENANT_RUNNING && gives_back(vhart) &&
        !give_way(vhart, foreground_next(vhart->tenant))) {
        vhart_setup_resume(vhart, vhart->start_address, vhart->start_argument);
        if (vhart->uses_features) {
            vhart_looks_for_events(vhart);
        }
    }
    shared_leave(hart);
}

void foreground_refused(const struct tenant *tenant, const char *reason)
{
    struct group *group = group_of(tenant);

    if (group != NULL && group->wanted != NULL && !group->refusal_told &&
        !group->patience_is_over) {
        group->refusal_told = true;
        say(tenant, reason, NULL);
    }
}

void foreground_end_nap_here(struct vhart *vhart)
{
    struct group *group = group_of(vhart->tenant);
    struct tenant *next = group == NULL || group->wanted == NULL ? NULL : next_of(group);

    if (next != NULL && group->active == vhart->tenant && vhart->suspends_system &&
        vhart->tenant->state == TENANT_RUNNING && vhart_is_suspended(vhart)) {
        vhart_end_nap(vhart);
        (void)foreground_suspend(vhart, vhart->start_address, vhart->start_argument);
    }
}

/* The active one may have suspended before there was a tenant to give way to. */
static void end_naps(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        struct vhart *vhart = &tenant->vharts[i];

        if (vhart->suspends_system && vhart->world.hart != hart_self()) {
            messages_post(vhart, REQUEST_END_NAP);
        } else if (vhart->suspends_system) {
            foreground_end_nap_here(vhart);
        }
    }
}

bool foreground_request(struct tenant *tenant)
{
    struct group *group = group_of(tenant);

    if (group == NULL || !tenant_is_at_rest(tenant) ||
        (!tenant_is_at_rest(group->active) && group->active->state != TENANT_RUNNING)) {
        return false;
    }
    if (tenant_is_at_rest(group->active)) {
        enter(tenant);
        return true;
    }
    group->wanted = tenant;
    group->wanted_since = hart_now(hart_self());
    group->refusal_told = false;
    group->patience_is_over = false;
    say(group->active, "asked to suspend for ", tenant);
    tenant_is_asked_to_suspend(group->active); /* if it does not look, the patience ends */
    end_naps(group->active);
    return true;
}

static void ended(struct tenant *tenant)
{
    struct group *group = group_of(tenant);
    struct tenant *next = group == NULL || group->active != tenant ? NULL : next_of(group);

    if (next != NULL) {
        enter(next);
    }
}

HOOK(tenant_ended, ended);

static bool tell(uint32_t news, const char *text)
{
    for (uint32_t i = 0; i < tenant_count; i++) {
        if ((tenants[i].news & news) != 0) {
            tenants[i].news &= ~news;
            say(&tenants[i], text, NULL);
            return true;
        }
    }
    return false;
}

/* The tenant that has left, first: another one came in its place. */
bool foreground_tell(void)
{
    return tell(TENANT_NEWS_SUSPENDED, "suspended") || tell(TENANT_NEWS_RESUMED, "resumed");
}

/* When the active one has been asked for long enough; TIME_NEVER: no tenant waits for that. */
static uint64_t patience_ends(const struct group *group)
{
    if (group->wanted == NULL || group->patience_is_over ||
        group->active->state != TENANT_RUNNING) {
        return TIME_NEVER;
    }
    return group->wanted_since + ticks_from_us(group->active->description->patience_ms * 1000ul);
}

uint64_t foreground_deadline(void)
{
    uint64_t earliest = TIME_NEVER;

    for (uint32_t i = 0; i < COTENANT_MAX_TENANTS; i++) {
        uint64_t end = patience_ends(&groups[i]);

        if (end < earliest) {
            earliest = end;
        }
    }
    return earliest;
}

static void end_patience(struct group *group)
{
    struct tenant *active = group->active;

    group->patience_is_over = true;
    if (active->description->refusal == COTENANT_REFUSAL_FORCE) {
        say(active, "stopped by force: it did not suspend in time, to make room for ",
            group->wanted);
        tenant_halt(active, TENANT_STOPPED);
        return;
    }
    say(active, "did not suspend in time and stays in the foreground, instead of ", group->wanted);
}

bool foreground_look(uint64_t now)
{
    for (uint32_t i = 0; i < COTENANT_MAX_TENANTS; i++) {
        if (patience_ends(&groups[i]) <= now) {
            end_patience(&groups[i]);
            return true;
        }
    }
    return false;
}

static unsigned foreground_step(uint64_t now)
{
    return foreground_tell() || foreground_look(now) ? WORK_DONE : WORK_NOTHING;
}

WORK(foreground, foreground_deadline, foreground_step);
