/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/statistics.h"

#include "arch/hart.h"
#include "core/monitor_log.h"
#include "core/tenant.h"

/* Bytes that the longest line needs. */
#define LINE_MAX 256

void statistics_begin(struct statistics_report *report)
{
    report->wanted = true;
    report->line = 0;
}

static uint64_t nanoseconds(uint64_t ticks)
{
    uint64_t hz = bundle->board.timebase_hz;

    return ticks / hz * 1000000000 + ticks % hz * 1000000000 / hz;
}

static void put_field(const char *name, uint64_t value)
{
    monitor_puts(name);
    monitor_put_u64(value);
}

static void put_tenant(const struct tenant *tenant, uint64_t now)
{
    uint64_t run_time = 0;
    uint64_t switches = 0;
    uint64_t interrupts = 0;
    uint64_t faults = 0;

    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        const struct vhart *vhart = &tenant->vharts[i];
        const struct scheduler *scheduler = &vhart->world.hart->scheduler;

        run_time += vhart->schedulable.run_time;
        if (scheduler->running == &vhart->schedulable) {
            run_time += now - scheduler->charged;
        }
        switches += vhart->schedulable.switches;
        interrupts += vhart->world.interrupts;
        faults += vhart->faults;
    }
    monitor_puts("tenant ");
    monitor_puts(tenant->description->name);
    monitor_puts(" state=");
    monitor_puts(tenant_state_name(tenant->state));
    put_field(" cpu_ns=", nanoseconds(run_time));
    put_field(" switches=", switches);
    put_field(" interrupts=", interrupts);
    put_field(" faults=", faults);
    monitor_puts("\n");
}

void statistics_step(struct statistics_report *report, uint64_t now)
{
    if (monitor_log_used() > MONITOR_LOG_SIZE - LINE_MAX) {
        return;
    }
    if (report->line == 0) {
        put_field("stats time_ns=", nanoseconds(now));
        monitor_puts("\n");
    } else if (report->line <= tenant_count) {
        put_tenant(&tenants[report->line - 1], now);
    } else {
        monitor_puts("stats end\n");
        report->wanted = false;
    }
    report->line++;
}
