/* SPDX-License-Identifier: BSD-2-Clause */
/* The verb top: who uses which hart, now. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "say.h"
#include "show.h"
#include "terminal.h"
#include "verbs.h"

#define KEY_CTRL_C 3

static void put_budget(const struct control_vhart *vhart)
{
    char text[32] = "-";

    if (vhart->budget_us != 0) {
        snprintf(text, sizeof(text), "%u/%u", vhart->budget_used_us, vhart->budget_us);
    }
    printf(" %11s", text);
}

static void put_row(const struct tenant *tenant, const struct control_vhart *now,
                    const struct control_vhart *before)
{
    uint64_t cpu = share(now, before, now->cpu_ns - before->cpu_ns);
    uint64_t stolen = share(now, before, now->stolen_ns - before->stolen_ns);

    printf("%-12s %4u %4u %-9s %3" PRIu64 ".%02" PRIu64 " %6" PRIu64 " %6" PRIu64,
           tenant->about.name, now->hart, now->priority,
           tenant->about.state == COTENANT_STATE_RUNNING ? schedule_name(now)
                                                         : tenant_state(tenant->about.state),
           cpu / 100, cpu % 100, rate(now, before, now->switches - before->switches),
           rate(now, before, now->interrupts - before->interrupts));
    put_budget(now);
    printf(" %3" PRIu64 ".%02" PRIu64 " %7.1f\n", stolen / 100, stolen % 100,
           (double)now->lateness_ns / 1e3);
}

static void put_table(const struct tenants *now, const struct tenants *before, unsigned lines)
{
    unsigned line = 2;

    printf("Cotenant, up %.1f s\n", (double)now->time_ns / 1e9);
    printf("%-12s %4s %4s %-9s %6s %6s %6s %11s %6s %7s\n", "TENANT", "HART", "PRIO", "STATE",
           "CPU%", "SWI/s", "IRQ/s", "BUDGET us", "STEAL%", "LATE us");
    for (uint32_t i = 0; i < now->count; i++) {
        const struct tenant *tenant = &now->list[i];

        for (uint32_t j = 0; j < tenant->about.vharts && line + 1 < lines; j++, line++) {
            const struct control_vhart *earlier = earlier_vhart(before, tenant->index, j);

            if (earlier != NULL) {
                put_row(tenant, &tenant->vharts[j], earlier);
            }
        }
    }
}

/* Returns false if the user wants to leave. */
static bool wait_for(uint32_t milliseconds, bool live)
{
    char key;

    if (!live) {
        struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000l};

        nanosleep(&time, NULL);
        return true;
    }
    return terminal_read(&key, 1, (int)milliseconds) == 0 || (key != 'q' && key != KEY_CTRL_C);
}

void verb_top(const struct request *request)
{
    static struct tenants looks[2];
    bool live = !as_json && isatty(STDOUT_FILENO) && terminal_open();
    uint32_t count = request->count == 0 && !live ? 1 : request->count;

    tenants_get(&looks[0]);
    for (uint32_t sample = 0; count == 0 || sample < count; sample++) {
        struct tenants *before = &looks[sample % 2], *now = &looks[1 - sample % 2];

        if (!wait_for(request->delay_ms, live)) {
            return;
        }
        tenants_get(now);
        if (as_json) {
            show_json(now, before);
        } else {
            fputs(live ? "\033[H\033[J" : "", stdout);
            put_table(now, before, live ? terminal_lines() : UINT32_MAX);
        }
        fflush(stdout);
    }
}
