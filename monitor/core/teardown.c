/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/teardown.h"

#include <stddef.h>

#include "core/feature.h"
#include "core/foreground.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/monitor_log.h"
#include "core/recorder.h"
#include "core/work.h"
#include "irq/source_set.h"

static const char *const crash_names[CRASH_VALUES] = {
    [CRASH_CAUSE] = " cause=", [CRASH_ADDRESS] = " address=", [CRASH_SCAUSE] = " scause=",
    [CRASH_SEPC] = " sepc=",   [CRASH_STVAL] = " stval=",     [CRASH_PC] = " pc=",
    [CRASH_RA] = " ra=",
};

/* The last step left a line unfinished. */
static bool in_line;
/* Those whose step waited for another tenant's program, a bit each: the others come first. */
static uint32_t waiting;

/*
 * Says a bit of why it stops: whose end it is, the reason, and values of the crash one by one. The
 * line begins again if another message has come since.
 */
static void report_step(struct tenant *tenant)
{
    struct tenant_outcome *outcome = &tenant->outcome;
    uint32_t value;

    if (monitor_log_begin_parts(&outcome->parts, tenant)) {
        return;
    }
    /* The reason is the part before the first value. */
    value = outcome->first + outcome->parts.told - MONITOR_LOG_PARTS_BEGUN - 1u;
    if (outcome->parts.told == MONITOR_LOG_PARTS_BEGUN) {
        monitor_puts(outcome->reason);
    } else {
        monitor_puts(crash_names[value]);
        monitor_put_hex(tenant->crash[value]);
    }
    monitor_log_note_part(&outcome->parts);
    if (value + 1 == CRASH_VALUES) {
        monitor_puts("\n");
        outcome->reason = outcome->starts_again ? "starts again" : NULL;
        outcome->starts_again = false;
        outcome->first = CRASH_VALUES;
        outcome->parts = (struct monitor_log_parts){0};
    }
    in_line = outcome->parts.told != 0;
}

/* Nothing shows that it ever ran. */
static void has_stopped(struct tenant *tenant)
{
    const struct tenant_outcome *outcome = &tenant->outcome;

    record_tenant(tenant, outcome->state == TENANT_CRASHED ? COTENANT_TRACE_TENANT_CRASHED
                                                           : COTENANT_TRACE_TENANT_STOPPED);
    tenant->loader.phase = LOADER_IDLE;
    give_back_begin(tenant);
    tenant->state = outcome->state;
    tenant_leaves(tenant);
    tenant->uart.closed = true;
    work_post();
    if (!outcome->goes_on || outcome->purpose != TENANT_TO_RUN) {
        tenant_ended(tenant);
    }
    if (outcome->goes_on) {
        tenant_prepare(tenant, outcome->purpose);
    }
}

/*
 * One of those that do so later lets go of its hart: this one, or it is sent a message. Out of
 * line: the other steps do not save its registers.
 */
static void __attribute__((noinline)) let_go_step(struct tenant *tenant)
{
    struct vhart *vhart = &tenant->vharts[lowest_bit(tenant->outcome.later)];

    tenant->outcome.later &= tenant->outcome.later - 1;
    if (hart_is_self(vhart->world.hart)) {
        tenant_halt_here(vhart);
    } else {
        messages_post(vhart, REQUEST_HALT);
    }
}

bool teardown_step(void)
{
    struct tenant *tenant;

    if (tenants_stopping == 0) {
        return false;
    }
    waiting = HAS(served) && (tenants_stopping & ~waiting) != 0 ? waiting : 0;
    tenant = &tenants[lowest_bit(tenants_stopping & ~waiting)];
    if (tenant->outcome.reason != NULL) {
        report_step(tenant);
    } else if (tenant->outcome.missing != 0) {
        if (tenant->outcome.later != 0) {
            let_go_step(tenant);
        } else {
            /* The last hart that lets go of it calls again. */
            tenants_stopping &= ~(1u << tenant->index);
        }
    } else if (!tenant->given_back.done && foreground_has_devices(tenant)) {
        tenant->given_back.done = !give_back_step(tenant);
        waiting |= HAS(served) ? (uint32_t)tenant->given_back.waits << tenant->index : 0;
    } else if (!HAS(bus_protection) || tenant_open_memory(tenant, false)) {
        tenants_stopping &= ~(1u << tenant->index);
        has_stopped(tenant);
    }
    return true;
}

/* Nothing else says a word while a line is put together, or it begins again. */
static unsigned stop_on(uint64_t now)
{
    (void)now;
    if (!teardown_step()) {
        return WORK_NOTHING;
    }
    return WORK_DONE | ((tenants_stopping & ~waiting) != 0 ? WORK_AT_ONCE : 0) |
           (in_line ? WORK_SAME : 0);
}

WORK(teardown, NULL, stop_on);
