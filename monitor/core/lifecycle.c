/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lifecycle.h"

#include "arch/interrupts.h"
#include "arch/memory.h"
#include "arch/timer.h"
#include "arch/vhart_setup.h"
#include "core/console.h"
#include "core/monitor_log.h"
#include "core/steal.h"
#include "core/trace.h"
#include "irq/routing.h"

static uint64_t ticks_from_us(uint64_t microseconds)
{
    return microseconds * bundle->board.timebase_hz / 1000000;
}

static void vhart_init(struct vhart *vhart, const struct bundle_vhart *description,
                       struct tenant *tenant)
{
    struct hart *hart = &harts[description->hart];

    memset(vhart, 0, sizeof(*vhart));
    vhart->description = description;
    vhart->tenant = tenant;
    vhart->uses_fp = (tenant->description->flags & COTENANT_TENANT_FP) != 0;
    vhart->world.hart = hart;
    vhart->world.vhart_id = description->id;
    vhart->schedulable.priority = description->priority;
    vhart->schedulable.slice = ticks_from_us(description->slice_us);
    vhart->schedulable.budget = ticks_from_us(description->budget_us);
    vhart->schedulable.period = ticks_from_us(description->period_us);
    vhart_setup_protection(vhart);
}

static void tenant_init(struct tenant *tenant, uint32_t index)
{
    const struct bundle_tenant *description = &bundle->tenants[index];

    tenant->description = description;
    tenant->index = index;
    tenant->state = TENANT_EMPTY;
    tenant->vharts = &vharts[description->vhart_first];
    tenant->vhart_count = description->vhart_count;
    tenant->loader.phase = LOADER_IDLE;
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        vhart_init(&tenant->vharts[i], &bundle->vharts[description->vhart_first + i], tenant);
    }
    vuart_init(&tenant->uart);
    routing_init_tenant(tenant);
}

void lifecycle_init(void)
{
    uint32_t started = 0;

    tenant_count = bundle->tenant_count;
    for (uint32_t i = 0; i < tenant_count; i++) {
        tenant_init(&tenants[i], i);
    }
    for (uint32_t i = 0; i < tenant_count; i++) {
        if ((tenants[i].description->flags & COTENANT_TENANT_AUTOSTART) != 0) {
            tenant_start(&tenants[i], false);
            started++;
        }
    }
    monitor_log_begin();
    monitor_puts("starting ");
    monitor_put_u64(started);
    monitor_puts(" of ");
    monitor_put_u64(tenant_count);
    monitor_puts(" tenants\n");
}

static void log_tenant(const struct tenant *tenant, const char *event)
{
    monitor_log_begin();
    monitor_puts("tenant ");
    monitor_puts(tenant->description->name);
    monitor_puts(": ");
    monitor_puts(event);
}

void tenant_start(struct tenant *tenant, bool wipe)
{
    struct vhart *first = &tenant->vharts[0];

    trace_tenant(tenant, COTENANT_TRACE_TENANT_LOADING);
    tenant->state = TENANT_RUNNING;
    console_tenant_running(tenant->index, true);
    loader_begin(&tenant->loader, wipe);
    first->loading = true;
    schedule_start(&first->world.hart->scheduler, &first->schedulable, hart_now(first->world.hart));
    first->world.hart->reschedule = true;
}

void tenant_load_step(struct tenant *tenant)
{
    struct vhart *first = &tenant->vharts[0];

    if (!loader_step(&tenant->loader, tenant->description, (const uint8_t *)bundle)) {
        return;
    }
    trace_tenant(tenant, COTENANT_TRACE_TENANT_STARTED);
    tenant->loader.phase = LOADER_IDLE;
    first->loading = false;
    schedule_stop(&first->world.hart->scheduler, &first->schedulable);
    vhart_start(first, tenant->description->entry, tenant->description->devicetree);
}

void vhart_start(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    struct hart *hart = vhart->world.hart;

    vhart_setup_world(vhart, address, argument);
    vhart->state = VHART_STARTED;
    schedule_start(&hart->scheduler, &vhart->schedulable, hart_now(hart));
    hart->reschedule = true;
}

/* Off the hart, whatever it is doing, and nothing of it is kept. */
static void vhart_release(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    schedule_stop(&hart->scheduler, &vhart->schedulable);
    vhart->state = VHART_STOPPED;
    vhart->loading = false;
    steal_end(vhart);
    if (hart->loaded == vhart) {
        vhart_unload(vhart);
    }
    if (hart->fp_owner == vhart) {
        hart->fp_owner = NULL;
    }
    hart->reschedule = true;
}

void vhart_stop(struct vhart *vhart)
{
    struct tenant *tenant = vhart->tenant;

    vhart_release(vhart);
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        if (tenant->vharts[i].state != VHART_STOPPED) {
            return;
        }
    }
    tenant_shut_down(tenant, "stopped its last hart\n");
}

void tenant_halt(struct tenant *tenant, enum tenant_state state)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        vhart_release(&tenant->vharts[i]);
    }
    trace_tenant(tenant, state == TENANT_CRASHED ? COTENANT_TRACE_TENANT_CRASHED
                                                 : COTENANT_TRACE_TENANT_STOPPED);
    tenant->loader.phase = LOADER_IDLE;
    tenant->state = state;
    vuart_reset(&tenant->uart);
    routing_reset_tenant(tenant);
    console_tenant_running(tenant->index, false);
}

void tenant_shut_down(struct tenant *tenant, const char *reason)
{
    log_tenant(tenant, reason);
    tenant_halt(tenant, TENANT_STOPPED);
}

void tenant_reboot(struct tenant *tenant)
{
    log_tenant(tenant, "reboot\n");
    tenant_halt(tenant, TENANT_STOPPED);
    tenant_start(tenant, true);
}

void tenant_crash(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    log_tenant(vhart->tenant, "crashed: cause=");
    monitor_put_u64(cause);
    monitor_puts(" pc=");
    monitor_put_hex(vhart->world.registers[REGISTER_PC]);
    monitor_puts(" address=");
    monitor_put_hex(address);
    monitor_puts("\n");
    tenant_halt(vhart->tenant, TENANT_CRASHED);
}

void vhart_interrupt(struct vhart *vhart, uint64_t bits)
{
    struct hart *hart = vhart->world.hart;

    vhart_raise_interrupt(vhart, bits);
    if (vhart->schedulable.state == SCHEDULABLE_WAITING &&
        (bits & vhart_enabled_interrupts(vhart)) != 0) {
        schedule_wake(&hart->scheduler, &vhart->schedulable, hart_now(hart));
        hart->reschedule = true;
    }
}

bool lifecycle_is_over(void)
{
    for (uint32_t i = 0; i < tenant_count; i++) {
        if (tenants[i].state == TENANT_RUNNING || tenants[i].state == TENANT_DORMANT) {
            return false;
        }
    }
    return true;
}
