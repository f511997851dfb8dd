/* SPDX-License-Identifier: BSD-2-Clause */
#include "show.h"

#include <stddef.h>

#include "json.h"

const char *schedule_name(const struct control_vhart *vhart)
{
    static const char *const names[] = {
        [COTENANT_SCHEDULE_OFF] = "off",         [COTENANT_SCHEDULE_READY] = "ready",
        [COTENANT_SCHEDULE_WAITING] = "waiting", [COTENANT_SCHEDULE_THROTTLED] = "throttled",
        [COTENANT_SCHEDULE_RUNNING] = "running",
    };

    return vhart->schedule < sizeof(names) / sizeof(names[0]) ? names[vhart->schedule] : "unknown";
}

const struct control_vhart *earlier_vhart(const struct tenants *before, uint32_t tenant,
                                          uint32_t vhart)
{
    for (uint32_t i = 0; before != NULL && i < before->count; i++) {
        if (before->list[i].index == tenant && vhart < before->list[i].about.vharts) {
            return &before->list[i].vharts[vhart];
        }
    }
    return NULL;
}

static uint64_t elapsed(const struct control_vhart *now, const struct control_vhart *before)
{
    return now->time_ns > before->time_ns ? now->time_ns - before->time_ns : 1;
}

uint64_t share(const struct control_vhart *now, const struct control_vhart *before,
               uint64_t nanoseconds)
{
    uint64_t parts = (uint64_t)((double)nanoseconds * 10000 / (double)elapsed(now, before));

    return parts < 10000 ? parts : 10000;
}

uint64_t rate(const struct control_vhart *now, const struct control_vhart *before, uint64_t count)
{
    return (uint64_t)((double)count * 1e9 / (double)elapsed(now, before));
}

static void show_vhart(const struct control_vhart *vhart, const struct control_vhart *before)
{
    json_open_member(NULL, '{');
    json_number("hart", vhart->hart);
    json_number("priority", vhart->priority);
    json_string("schedule", schedule_name(vhart));
    json_number("time_ns", vhart->time_ns);
    json_number("cpu_ns", vhart->cpu_ns);
    json_number("switches", vhart->switches);
    json_number("interrupts", vhart->interrupts);
    json_number("faults", vhart->faults);
    json_number("stolen_ns", vhart->stolen_ns);
    json_number("slice_us", vhart->slice_us);
    json_number("budget_us", vhart->budget_us);
    json_number("period_us", vhart->period_us);
    json_number("budget_used_us", vhart->budget_used_us);
    json_number("lateness_ns", vhart->lateness_ns);
    if (before != NULL) {
        json_hundredths("cpu_percent", share(vhart, before, vhart->cpu_ns - before->cpu_ns));
        json_hundredths("stolen_percent",
                        share(vhart, before, vhart->stolen_ns - before->stolen_ns));
        json_number("switches_per_s", rate(vhart, before, vhart->switches - before->switches));
        json_number("interrupts_per_s",
                    rate(vhart, before, vhart->interrupts - before->interrupts));
    }
    json_close('}');
}

void show_json(const struct tenants *tenants, const struct tenants *before)
{
    json_open('{');
    json_bool("ok", true);
    json_number("time_ns", tenants->time_ns);
    json_open_member("tenants", '[');
    for (uint32_t i = 0; i < tenants->count; i++) {
        const struct tenant *tenant = &tenants->list[i];

        json_open_member(NULL, '{');
        json_string("name", tenant->about.name);
        json_string("state", tenant_state(tenant->about.state));
        json_bool("self", (tenant->about.rights & COTENANT_RIGHT_SELF) != 0);
        json_bool("control", (tenant->about.rights & COTENANT_RIGHT_CONTROL) != 0);
        json_number("memory_bytes", tenant_memory(tenant));
        json_number("hangs", tenant->about.hangs);
        json_open_member("vharts", '[');
        for (uint32_t j = 0; j < tenant->about.vharts; j++) {
            show_vhart(&tenant->vharts[j], earlier_vhart(before, tenant->index, j));
        }
        json_close(']');
        json_close('}');
    }
    json_close(']');
    json_close('}');
}
