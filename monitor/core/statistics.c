/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/statistics.h"

#include "core/clock.h"
#include "core/hart.h"
#include "core/monitor_log.h"
#include "core/tenant.h"

void statistics_begin(struct statistics_report *report)
{
    report->wanted = true;
    report->line = 0;
    report->field = 0;
}

uint64_t statistics_run_time(const struct vhart *vhart, uint64_t now)
{
    const struct scheduler *scheduler = &vhart->world.hart->scheduler;
    uint64_t charged = vhart->schedulable.run_time;

    return scheduler->running == &vhart->schedulable ? charged + (now - scheduler->charged)
                                                     : charged;
}

static void put_count(const char *name, uint64_t value)
{
    monitor_puts(name);
    monitor_put_u64(value);
}

/* Sums over the vharts of a tenant, by field number. */
static uint64_t total(const struct tenant *tenant, uint32_t field, uint64_t now)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        const struct vhart *vhart = &tenant->vharts[i];

        switch (field) {
        case 2:
            sum += statistics_run_time(vhart, now);
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
        put_count(" hangs=", tenant->watch.hangs);
        return false;
    default:
        put_count(" only_faults=", symptoms_only_faults(tenant));
        monitor_puts("\n");
        return true;
    }
}

static bool put_field(struct statistics_report *report, uint64_t now)
{
    if (report->line == 0) {
        put_count("stats time_ns=", nanoseconds_from_ticks(now));
        monitor_puts("\n");
        return true;
    }
    if (report->line <= tenant_count) {
        return put_tenant_field(&tenants[report->line - 1], report->field, now);
    }
    monitor_puts("stats end\n");
    report->wanted = false;
    return true;
}

void statistics_step(struct statistics_report *report, uint64_t now)
{
    if (report->field != 0 && monitor_log_draft_length() != report->draft_length) {
        report->field = 0; /* a message about an event came first: the line begins again */
    }
    if (report->field == 0) {
        if (monitor_log_used() > MONITOR_LOG_SIZE - MONITOR_LOG_ANSWER_MAX) {
            return;
        }
        monitor_log_begin_answer();
    }
    if (put_field(report, now)) {
        report->line++;
        report->field = 0;
    } else {
        report->field++;
    }
    report->draft_length = monitor_log_draft_length();
}
