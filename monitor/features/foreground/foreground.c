/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/foreground/foreground.h"

#include <stddef.h>

#include "core/clock.h"
#include "core/feature.h"
#include "core/foreground.h"
#include "core/give_back.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/monitor_log.h"
#include "core/recorder.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "core/work.h"
#include "features/susp/suspend.h"
#include "irq/source_set.h"

struct group {
    struct tenant *active; /* NULL: there is no such group */
    struct tenant *wanted; /* whom the user asked for, or NULL */
    struct tenant *before; /* the active one before */
    struct tenant *next;   /* during a switch: the one that comes */
    bool given_back;       /* during a switch: all that the leaving one had is reset, */
    bool taken_over;       /* and what the group shares is the coming one's */
    uint64_t wanted_since; /* ticks */
    bool is_refused;
    bool patience_is_over;
    /* Of what is told of the active one: whom it was asked to suspend for, and why it refused. */
    const struct tenant *asked_for;
    const char *refusal;
};

/* What is yet to be told of a tenant, in the order in which it is: a tenant that has left first. */
enum news {
    NEWS_ASKED,
    NEWS_REFUSED,
    NEWS_STOPPED,
    NEWS_STAYS,
    NEWS_SUSPENDED,
    NEWS_RESUMED,
    NEWS_STARTS,
};
#define NEWS_OF_TWO (1u << NEWS_ASKED | 1u << NEWS_STOPPED | 1u << NEWS_STAYS)

/* A tenant as its group has it. Found by a shift, as each step of a switch looks for it. */
struct __attribute__((aligned(32))) member {
    struct group *group;    /* NULL: it is in none */
    struct tenant *follows; /* the one behind it, and the first one behind the last */
    uint32_t news;          /* bits by enum news */
};

static struct member members[COTENANT_MAX_TENANTS];
static struct group groups[COTENANT_MAX_TENANTS];
static uint32_t group_count; /* groups have numbers below */

static struct member *member_of(const struct tenant *tenant)
{
    return &members[tenant->index];
}

static struct group *group_of(const struct tenant *tenant)
{
    return member_of(tenant)->group;
}

/* It is told in the next steps of work, of which there are some behind each switch. */
static void note(const struct tenant *tenant, enum news news)
{
    member_of(tenant)->news |= 1u << news;
}

/* Without being asked for: dormant, or never started although it starts by itself. */
static bool takes_turns(const struct tenant *tenant)
{
    return tenant->state == TENANT_DORMANT ||
           ((tenant->state == TENANT_EMPTY || tenant->state == TENANT_LOADED) &&
            (tenant->description->flags & COTENANT_TENANT_AUTOSTART) != 0);
}

/* The first one behind the active one that takes turns; NULL: none. */
static inline __attribute__((always_inline)) struct tenant *next_in_turn(const struct group *group)
{
    struct tenant *tenant = member_of(group->active)->follows;

    while (tenant != group->active) {
        if (takes_turns(tenant)) {
            return tenant;
        }
        tenant = member_of(tenant)->follows;
    }
    return NULL;
}

/* Likewise, but the one that the user has asked for goes first. Out of line: mostly there is none.
 */
static struct tenant *__attribute__((noinline)) next_with_wanted(const struct group *group)
{
    return tenant_is_at_rest(group->wanted) ? group->wanted : next_in_turn(group);
}

/* The tenant that comes after the active one; NULL: none. */
static inline struct tenant *next_of(const struct group *group)
{
    if (lifecycle_is_quitting()) {
        return NULL;
    }
    return group->wanted != NULL ? next_with_wanted(group) : next_in_turn(group);
}

/* The member behind a tenant, which may be that one itself. */
static struct tenant *find_following(struct tenant *of)
{
    struct tenant *tenant = of;

    do {
        tenant = tenant == &tenants[tenant_count - 1] ? tenants : tenant + 1;
    } while (tenant->description->group != of->description->group);
    return tenant;
}

/* The first member of each group that starts at boot is the active one; the first if none does. */
static void make_groups(void)
{
    for (uint32_t i = 0; i < COTENANT_MAX_TENANTS; i++) {
        groups[i] = (struct group){0};
        members[i] = (struct member){0};
    }
    group_count = 0;
    for (uint32_t i = 0; i < tenant_count; i++) {
        uint32_t number = tenants[i].description->group;
        struct group *group;

        if (number >= COTENANT_MAX_TENANTS) {
            continue; /* it is in none */
        }
        group = &groups[number];
        members[i] = (struct member){.group = group, .follows = find_following(&tenants[i])};
        if (group >= &groups[group_count]) {
            group_count = (uint32_t)(group - groups) + 1;
        }
        if (group->active == NULL || (!takes_turns(group->active) && takes_turns(&tenants[i]))) {
            group->active = &tenants[i];
            tenant_take_sources(&tenants[i]);
        }
    }
}

static bool has_devices(const struct tenant *tenant)
{
    const struct group *group = group_of(tenant);

    return group == NULL || group->active == tenant;
}

static bool is_free_for(const struct tenant *tenant)
{
    const struct group *group = group_of(tenant);

    return group == NULL || group->active == tenant || tenant_is_at_rest(group->active);
}

static void become_active(struct group *group, struct tenant *tenant)
{
    group->before = group->active;
    group->active = tenant;
    group->taken_over = false;
    group->wanted = NULL;
}

/* What the group shares is the active one's from now on. */
static void take_over(struct group *group)
{
    group->taken_over = true;
    tenant_takes_over(group->active, group->before);
    tenant_take_sources(group->active);
}

static void take(struct tenant *tenant)
{
    struct group *group = group_of(tenant);

    if (group != NULL) {
        become_active(group, tenant);
        take_over(group);
    }
}

/* Out of line: one that was dormant saves no registers for it. */
static void __attribute__((noinline)) begin_anew(struct tenant *tenant)
{
    take(tenant);
    note(tenant, NEWS_STARTS);
    tenant_prepare(tenant, TENANT_TO_RUN);
}

/*
 * The active one has left. One that was dormant takes over in its own time.
 * Returns its vhart if it comes by one on this hart, else NULL.
 */
static struct vhart *enter(struct group *group, struct tenant *tenant)
{
    if (tenant->state != TENANT_DORMANT) {
        begin_anew(tenant);
        return NULL;
    }
    become_active(group, tenant);
    return tenant_resume(tenant);
}

/* The rest of a switch is done in the vhart's own time, before anything of its tenant runs. */
static void switch_later(struct vhart *vhart)
{
    vhart->loading = true;
    vhart->world.hart->reschedule = true;
}

/* Else its state has changed meanwhile, or the user asks for another one. */
static bool is_still_next(const struct group *group)
{
    bool is_wanted = group->wanted != NULL && tenant_is_at_rest(group->wanted);

    return !lifecycle_is_quitting() &&
           (is_wanted ? group->next == group->wanted : takes_turns(group->next));
}

/* There is no next one any more. Out of line, as it hardly ever happens. */
static struct vhart *__attribute__((noinline)) come_again(struct group *group)
{
    struct tenant *wanted = group->wanted;
    struct vhart *vhart = enter(group, group->active);

    group->wanted = wanted; /* it may still come to rest */
    return vhart;
}

/* All that the tenant had is reset: the next one comes, if there still is one. */
static struct vhart *give_way(struct group *group, struct vhart *vhart)
{
    if (!is_still_next(group)) {
        group->next = next_of(group);
    }
    vhart->loading = false;
    give_back_begin(vhart->tenant);
    note(vhart->tenant, NEWS_SUSPENDED);
    record_tenant(vhart->tenant, COTENANT_TRACE_TENANT_SUSPENDED);
    tenant_become_dormant(vhart);
    return group->next == NULL ? come_again(group) : enter(group, group->next);
}

/* The vhart by which the active one comes goes on as soon as what the group shares is its own. */
static inline __attribute__((always_inline)) void come(struct group *group, struct vhart *vhart)
{
    if (!group->taken_over) {
        note(vhart->tenant, NEWS_RESUMED);
        take_over(group);
        if (step_is_over()) {
            return;
        }
    }
    if (HAS(bus_protection) && !tenant_open_memory(vhart->tenant, true)) {
        return;
    }
    vhart_resume_here(vhart);
}

/* Resets what the leaving one has. Returns whether all is reset and the next step may follow. */
static bool give_back(struct group *group, struct vhart *vhart)
{
    struct tenant *tenant = vhart->tenant;

    while (give_back_step(tenant)) {
        if (step_is_over()) {
            return false;
        }
    }
    group->given_back = true;
    tenant_leaves(tenant);
    return !step_is_over();
}

/*
 * The vhart by which the active one leaves: each step, while there is time for the next one, up to
 * those of the vhart that comes, if that has this hart.
 */
static void leave(struct group *group, struct vhart *vhart)
{
    if (!group->given_back && !give_back(group, vhart)) {
        return;
    }
    if (HAS(bus_protection) && !tenant_open_memory(vhart->tenant, false)) {
        return;
    }
    vhart = give_way(group, vhart);
    if (vhart != NULL && !step_is_over()) {
        come(group, vhart);
    }
}

static bool suspend(struct group *group, struct vhart *vhart, uint64_t address, uint64_t argument)
{
    vhart->start_address = address;
    vhart->start_argument = argument;
    if (group != NULL) {
        group->next = next_of(group);
    }
    if (group == NULL || group->next == NULL) {
        return false;
    }
    group->given_back = false;
    switch_later(vhart);
    return true;
}

static void go_on_with_lock(struct group *group, struct vhart *vhart)
{
    if (vhart->tenant->state != TENANT_RUNNING) {
        return; /* it is being stopped, and the message is on its way */
    }
    if (vhart->state == VHART_RESUME_PENDING) {
        come(group, vhart);
    } else {
        leave(group, vhart);
    }
}

static void go_on(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    if (shared_try_enter(hart)) {
        go_on_with_lock(group_of(vhart->tenant), vhart);
        shared_leave(hart);
    }
}

/*
 * The call of the loaded vhart: what there is time for is done before the scheduler is asked, which
 * would give the hart to this vhart again. One that is attended has to be put aside first.
 */
static bool suspend_now(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    struct group *group = group_of(vhart->tenant);

    if (!suspend(group, vhart, address, argument)) {
        return false;
    }
    if (vhart->attended == 0 && vhart->world.hart->attended_last == NULL && !step_is_over()) {
        leave(group, vhart);
    }
    return true;
}

static void refused(const struct tenant *tenant, const char *reason)
{
    struct group *group = group_of(tenant);

    if (group != NULL && group->wanted != NULL && !group->is_refused && !group->patience_is_over) {
        group->is_refused = true;
        group->refusal = reason;
        note(tenant, NEWS_REFUSED);
        work_post();
    }
}

static void end_nap_here(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;
    struct group *group = group_of(vhart->tenant);
    struct tenant *next = group == NULL || group->wanted == NULL ? NULL : next_of(group);

    if (next != NULL && group->active == vhart->tenant && suspend_of(vhart)->of_system &&
        vhart->tenant->state == TENANT_RUNNING && vhart_is_suspended(vhart)) {
        vhart_end_nap(vhart);
        schedule_wake(&hart->scheduler, &vhart->schedulable, hart_now(hart));
        (void)suspend(group, vhart, vhart->start_address, vhart->start_argument);
    }
}

/* The active one may have suspended before there was a tenant to give way to. */
static void end_naps(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        struct vhart *vhart = &tenant->vharts[i];

        if (suspend_of(vhart)->of_system && vhart->world.hart != hart_self()) {
            messages_post(vhart, REQUEST_END_NAP);
        } else if (suspend_of(vhart)->of_system) {
            end_nap_here(vhart);
        }
    }
}

static bool request(struct tenant *tenant)
{
    struct group *group = group_of(tenant);

    if (group == NULL || !tenant_is_at_rest(tenant) ||
        (!tenant_is_at_rest(group->active) && group->active->state != TENANT_RUNNING)) {
        return false;
    }
    if (tenant_is_at_rest(group->active)) {
        (void)enter(group, tenant);
        return true;
    }
    group->wanted = tenant;
    group->wanted_since = hart_now(hart_self());
    group->asked_for = tenant;
    group->is_refused = false;
    group->patience_is_over = false;
    note(group->active, NEWS_ASKED);
    work_post();
    tenant_is_asked_to_suspend(group->active); /* if it does not look, the patience ends */
    end_naps(group->active);
    return true;
}

static void ended(struct tenant *tenant)
{
    struct group *group = group_of(tenant);
    struct tenant *next = group == NULL || group->active != tenant ? NULL : next_of(group);

    if (next != NULL) {
        (void)enter(group, next);
    }
}

HOOK(tenant_ended, ended);

/* The message of which some parts are told. */
static struct {
    const struct tenant *tenant; /* NULL: there is none */
    const char *text;
    const struct tenant *other; /* whose name stands behind it, or NULL */
    struct monitor_log_parts parts;
} telling;

static const char *text_of(const struct group *group, enum news news)
{
    static const char *const texts[] = {
        [NEWS_ASKED] = "asked to suspend for ",
        [NEWS_STOPPED] = "stopped by force: it did not suspend in time, to make room for ",
        [NEWS_STAYS] = "did not suspend in time and stays in the foreground, instead of ",
        [NEWS_SUSPENDED] = "suspended",
        [NEWS_RESUMED] = "resumed",
        [NEWS_STARTS] = "starts",
    };

    return news == NEWS_REFUSED ? group->refusal : texts[news];
}

static uint32_t all_news(void)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < tenant_count; i++) {
        all |= members[i].news;
    }
    return all;
}

static void find_news(enum news news)
{
    for (uint32_t i = 0; i < tenant_count; i++) {
        const struct group *group = members[i].group;

        if ((members[i].news & 1u << news) != 0) {
            members[i].news &= ~(1u << news);
            telling.tenant = &tenants[i];
            telling.text = text_of(group, news);
            telling.other = (NEWS_OF_TWO & 1u << news) != 0 ? group->asked_for : NULL;
            return;
        }
    }
}

static void tell_part(void)
{
    if (monitor_log_begin_parts(&telling.parts, telling.tenant)) {
        return;
    }
    if (telling.parts.told == MONITOR_LOG_PARTS_BEGUN) {
        monitor_puts(telling.text);
        monitor_log_note_part(&telling.parts);
        return;
    }
    if (telling.other != NULL) {
        monitor_puts(telling.other->description->name);
    }
    monitor_puts("\n");
    telling.tenant = NULL;
    telling.parts = (struct monitor_log_parts){0};
}

bool foreground_tell(void)
{
    if (telling.tenant == NULL) {
        uint32_t news = all_news();

        if (news == 0) {
            return false;
        }
        find_news((enum news)lowest_bit(news));
        return true;
    }
    tell_part();
    while (telling.tenant != NULL && !step_is_over()) {
        tell_part();
    }
    return true;
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

    for (uint32_t i = 0; i < group_count; i++) {
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
        note(active, NEWS_STOPPED);
        tenant_halt(active, TENANT_STOPPED);
        return;
    }
    note(active, NEWS_STAYS);
}

bool foreground_look(uint64_t now)
{
    for (uint32_t i = 0; i < group_count; i++) {
        if (patience_ends(&groups[i]) <= now) {
            end_patience(&groups[i]);
            return true;
        }
    }
    return false;
}

static unsigned foreground_step(uint64_t now)
{
    if (foreground_tell()) {
        return WORK_DONE | (telling.tenant != NULL ? WORK_SAME : 0);
    }
    return foreground_look(now) ? WORK_DONE : WORK_NOTHING;
}

static const struct foreground_policy groups_policy = {
    .has_devices = has_devices,
    .is_free_for = is_free_for,
    .take = take,
    .request = request,
    .suspend = suspend_now,
    .go_on = go_on,
    .refused = refused,
    .end_nap_here = end_nap_here,
};

static void begin(void)
{
    make_groups();
    foreground_policy = &groups_policy;
}

HOOK(machine_begins, begin);
WORK(foreground, foreground_deadline, foreground_step);
FEATURE(foreground);
