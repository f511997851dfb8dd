/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "core/clock.h"
#include "core/console_mux.h"
#include "core/heartbeats.h"
#include "core/hooks.h"
#include "core/monitor_log.h"
#include "core/tenant.h"
#include "core/work.h"

static struct {
    bool wanted;
    uint32_t line;         /* next one to write: 0, the tenants from 1 on, the last */
    uint32_t field;        /* next one of that line */
    uint32_t draft_length; /* of the unfinished line in the monitor's log */
} report;

/* Begins a report; one that is in progress begins anew. */
static void requested(const struct console_mux *mux, uint32_t *requests)
{
    (void)mux;
    if ((*requests & (CONSOLE_REQUEST_STATS | CONSOLE_REQUEST_LIST)) != 0) {
        *requests &= ~(CONSOLE_REQUEST_STATS | CONSOLE_REQUEST_LIST);
        report.wanted = true;
        report.line = 0;
        report.field = 0;
    }
}

HOOK(console_requests, requested);

static void put_count(const char *name, uint64_t value)
{
    monitor_puts(name);
    monitor_put_u64(value);
}

/* Sums over the vharts of a tenant, by field number. */
static uint64_t total(const struct tenant *tenant, uint32_t field, uint64_t now)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        const struct vhart *vhart = &tenant->vharts[i];

        switch (field) {
        case 2:
            sum += vhart_run_time(vhart, now);
            break;
        case 3:
            sum += vhart->schedulable.switches;
            break;
        case 4:
            sum += vhart->world.interrupts;
            break;
        default:
            sum += vhart->faults;
            break;
        }
    }
    return sum;
}

static uint32_t hangs_of(const struct tenant *tenant)
{
    struct heartbeats heartbeats = {0};

    heartbeats_shown(tenant, &heartbeats);
    return heartbeats.hangs;
}

static bool only_faults(struct tenant *tenant)
{
    bool found = false;

    tenant_is_looked_at(tenant, &found);
    return found;
}

/* Returns whether the line is complete. */
static bool put_tenant_field(struct tenant *tenant, uint32_t field, uint64_t now)
{
    uint64_t value = total(tenant, field, now);

    switch (field) {
    case 0:
        monitor_puts("tenant ");
        monitor_puts(tenant->description->name);
        return false;
    case 1:
        monitor_puts(" state=");
        monitor_puts(tenant_state_name(tenant->state));
        return false;
    case 2:
        put_count(" cpu_ns=", nanoseconds_from_ticks(value));
        return false;
    case 3:
        put_count(" switches=", value);
        return false;
    case 4:
        put_count(" interrupts=", value);
        return false;
    case 5:
        put_count(" faults=", value);
        return false;
    case 6:
        put_count(" starts=", tenant->lives);
        return false;
    case 7:
        put_count(" hangs=", hangs_of(tenant));
        return false;
    default:
        put_count(" only_faults=", only_faults(tenant));
        monitor_puts("\n");
        return true;
    }
}

static bool put_field(uint64_t now)
{
    if (report.line == 0) {
        put_count("stats time_ns=", nanoseconds_from_ticks(now));
        monitor_puts("\n");
        return true;
    }
    if (report.line <= tenant_count) {
        return put_tenant_field(&tenants[report.line - 1], report.field, now);
    }
    monitor_puts("stats end\n");
    report.wanted = false;
    return true;
}

/* Writes the next field to the monitor's log if there is room. */
static void write_on(uint64_t now)
{
    if (report.field != 0 && monitor_log_draft_length() != report.draft_length) {
        report.field = 0; /* a message about an event came first: the line begins again */
    }
    if (report.field == 0) {
        if (monitor_log_used() > MONITOR_LOG_SIZE - MONITOR_LOG_ANSWER_MAX) {
            return;
        }
        monitor_log_begin_answer();
    }
    if (put_field(now)) {
        report.line++;
        report.field = 0;
    } else {
        report.field++;
    }
    report.draft_length = monitor_log_draft_length();
}

/* No message should come in between the fields of a line, or it begins again. */
static unsigned statistics_step(uint64_t now)
{
    if (!report.wanted) {
        return WORK_NOTHING;
    }
    write_on(now);
    return WORK_DONE | (report.field != 0 ? WORK_SAME : 0);
}

WORK(statistics, NULL, statistics_step);
