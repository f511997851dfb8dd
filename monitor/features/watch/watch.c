/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/watch/watch.h"

#include <stddef.h>

#include "core/clock.h"
#include "core/console_mux.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/heartbeats.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/monitor_log.h"
#include "core/recorder.h"
#include "core/wanted.h"
#include "core/work.h"
#include "features/commands/telling.h"

struct watch watches[COTENANT_MAX_TENANTS];

void watch_init(struct tenant *tenant)
{
    const struct bundle_tenant *description = tenant->description;

    *watch_of(tenant) = (struct watch){
        .policy = description->watch_policy,
        .within = ticks_from_us(description->watch_within_us),
        .boot = ticks_from_us(description->watch_boot_us),
        .deadline = TIME_NEVER,
    };
}

/* The next step of work is not to come later than the deadline. */
static void expect(struct watch *watch, uint64_t time)
{
    uint64_t before = watch->deadline;

    watch->deadline = watch->policy == COTENANT_WATCH_OFF ? TIME_NEVER : watch->since + time;
    if (watch->deadline < before) {
        work_post();
    }
}

void watch_begin(struct tenant *tenant, uint64_t now)
{
    struct watch *watch = watch_of(tenant);

    watch->beats = false;
    watch->since = now;
    watch->deadline = TIME_NEVER;
    if (watch->boot != 0) {
        expect(watch, watch->boot);
    }
}

void watch_end(struct tenant *tenant)
{
    watch_of(tenant)->beats = false;
    watch_of(tenant)->deadline = TIME_NEVER;
}

static void begins(struct tenant *tenant)
{
    watch_begin(tenant, hart_now(hart_self()));
}

HOOK(tenant_is_set_up, watch_init);
HOOK(tenant_begins, begins);
HOOK(tenant_leaves, watch_end);

void watch_heartbeat(struct tenant *tenant, uint64_t now)
{
    struct watch *watch = watch_of(tenant);

    if (tenant->state != TENANT_RUNNING) {
        return;
    }
    watch->beats = true;
    watch->suspends = tenant->suspends;
    watch->since = now;
    expect(watch, watch->within);
}

void watch_pause(struct tenant *tenant)
{
    if (watch_of(tenant)->beats) {
        watch_end(tenant);
    }
}

/* One that has suspended since its last heartbeat has said by that that it will be silent. */
static void note_suspend(struct tenant *tenant)
{
    if (watch_of(tenant)->suspends != tenant->suspends) {
        watch_pause(tenant);
    }
}

bool watch_change(struct tenant *tenant, uint32_t policy, uint32_t within_us, uint64_t now)
{
    struct watch *watch = watch_of(tenant);

    if (policy != COTENANT_WATCH_OFF && within_us == 0 && watch->within == 0) {
        return false;
    }
    watch->policy = policy;
    if (within_us != 0) {
        watch->within = ticks_from_us(within_us);
    }
    note_suspend(tenant);
    if (watch->beats) {
        watch_heartbeat(tenant, now);
    } else if (policy == COTENANT_WATCH_OFF) {
        watch->deadline = TIME_NEVER;
    }
    return true;
}

uint64_t watch_deadline(void)
{
    uint64_t earliest = TIME_NEVER;

    for (uint32_t i = 0; i < tenant_count; i++) {
        if (watches[i].deadline < earliest) {
            earliest = watches[i].deadline;
        }
    }
    return earliest;
}

/* The line that is being told, after what it tells has been done. */
static struct {
    const struct tenant *tenant; /* NULL: none */
    struct monitor_log_parts parts;
    uint64_t silent_us;
    const char *end;
} line;

static void hangs(struct tenant *tenant, uint64_t now)
{
    struct watch *watch = watch_of(tenant);

    watch->hangs++;
    watch->deadline = TIME_NEVER; /* told once, until its next heartbeat */
    record_tenant(tenant, COTENANT_TRACE_TENANT_HANGS);
    line.tenant = tenant;
    line.silent_us = nanoseconds_from_ticks(now - watch->since) / 1000;
    switch (watch->policy) {
    case COTENANT_WATCH_RESTART:
        line.end = " us; restarted\n";
        tenant_halt_for(tenant, TENANT_TO_RUN);
        break;
    case COTENANT_WATCH_STOP:
        line.end = " us; stopped\n";
        tenant_halt(tenant, TENANT_CRASHED);
        break;
    default:
        line.end = " us\n";
        break;
    }
}

static void tell_part(void)
{
    if (monitor_log_begin_parts(&line.parts, line.tenant)) {
        return;
    }
    switch (line.parts.told) {
    case MONITOR_LOG_PARTS_BEGUN:
        monitor_puts("hangs: no heartbeat for ");
        break;
    case MONITOR_LOG_PARTS_BEGUN + 1:
        monitor_put_u64(line.silent_us);
        break;
    default:
        monitor_puts(line.end);
        line.tenant = NULL;
        line.parts = (struct monitor_log_parts){0};
        return;
    }
    monitor_log_note_part(&line.parts);
}

static void find_hang(uint64_t now)
{
    for (uint32_t i = 0; i < tenant_count; i++) {
        note_suspend(&tenants[i]);
        if (watches[i].deadline <= now) {
            if (tenants[i].state == TENANT_RUNNING) {
                hangs(&tenants[i], now);
            } else {
                watch_end(&tenants[i]); /* it is stopping already */
            }
            return;
        }
    }
}

void watch_step(uint64_t now)
{
    if (line.tenant == NULL) {
        find_hang(now);
    } else {
        tell_part(); /* one at least: a tenant could see to it that the hart is always wanted */
    }
    while (line.tenant != NULL && !step_is_over()) {
        tell_part();
    }
}

/* On the way to power-off every tenant is stopped anyway. */
static unsigned keep_watch(uint64_t now)
{
    if (line.tenant == NULL && (watch_deadline() > now || lifecycle_is_quitting())) {
        return WORK_NOTHING;
    }
    watch_step(now);
    return line.tenant == NULL ? WORK_DONE : WORK_DONE | WORK_SAME;
}

static void wait(bool *waits)
{
    *waits |= line.tenant != NULL;
}

HOOK(power_off_waits, wait);

WORK(watch, watch_deadline, keep_watch);

/* The user's command. */
static void requested(const struct console_mux *mux, uint32_t *requests)
{
    struct tenant *tenant = &tenants[mux->commanded];

    if ((*requests & CONSOLE_REQUEST_WATCH) != 0) {
        bool accepted =
            watch_change(tenant, mux->watch_policy, mux->watch_within_us, hart_now(hart_self()));
        const char **answer = tell_answer();

        *requests &= ~CONSOLE_REQUEST_WATCH;
        work_post();
        answer[0] = "monitor: watch ";
        answer[1] = tenant->description->name;
        answer[2] = accepted ? ": ok\n" : ": refused, it was ";
        answer[3] = accepted ? NULL : "never given a time\n";
        answer[4] = NULL;
    }
}

static void shown(const struct tenant *tenant, struct heartbeats *heartbeats)
{
    const struct watch *watch = watch_of(tenant);

    *heartbeats = (struct heartbeats){watch->policy, watch->hangs, watch->within};
}

static void change(struct tenant *tenant, struct heartbeats_command *command)
{
    command->accepted =
        watch_change(tenant, command->policy, command->within_us, hart_now(hart_self()));
}

HOOK(console_requests, requested);
HOOK(heartbeats_shown, shown);
HOOK(heartbeats_change, change);
FEATURE(watch);
