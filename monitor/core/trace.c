/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/trace.h"

#include <stddef.h>

#include "arch/hart.h"
#include "core/tenant.h"
#include "core/vhart.h"

bool trace_is_on;

/* By the hart's index. */
static struct {
    struct trace_header *ring;
    uint32_t running; /* vhart of the last COTENANT_TRACE_SWITCH */
} traces[COTENANT_MAX_HARTS];

static uint32_t index_of(const struct vhart *vhart)
{
    return (uint32_t)(vhart - vharts);
}

void trace_init(const struct hart *hart, void *memory, uint64_t size, uint32_t measured_cycles,
                uint32_t measured_ticks)
{
    struct trace_header *ring = memory;

    *ring = (struct trace_header){
        .magic = COTENANT_TRACE_MAGIC,
        .version = COTENANT_TRACE_VERSION,
        .hart = hart->index,
        .capacity = (uint32_t)((size - sizeof(*ring)) / sizeof(struct trace_record)),
        .started = hart_now(hart),
        .measured_cycles = measured_cycles,
        .measured_ticks = measured_ticks,
    };
    traces[hart->index].ring = ring;
    traces[hart->index].running = COTENANT_TRACE_NO_VHART;
    trace_is_on = true;
}

struct trace_record *trace_add(const struct hart *hart, uint32_t kind, uint32_t vhart,
                               uint64_t argument)
{
    struct trace_header *ring = traces[hart->index].ring;
    struct trace_record *record = (struct trace_record *)(ring + 1) + ring->next;
    uint64_t time = hart_now(hart) & ((1ul << COTENANT_TRACE_TIME_BITS) - 1);

    record->stamp = time | (uint64_t)kind << COTENANT_TRACE_TIME_BITS | (uint64_t)vhart << (64 - 8);
    record->argument = argument;
    ring->next = ring->next + 1 < ring->capacity ? ring->next + 1 : 0;
    ring->written++;
    return record;
}

uint64_t trace_written(const struct hart *hart)
{
    return traces[hart->index].ring->written;
}

uint32_t trace_capacity(const struct hart *hart)
{
    return traces[hart->index].ring->capacity;
}

void trace_running(const struct hart *hart, const struct vhart *vhart)
{
    uint32_t before = traces[hart->index].running;
    uint32_t now = vhart == NULL ? COTENANT_TRACE_NO_VHART : index_of(vhart);

    if (before != now) {
        traces[hart->index].running = now;
        trace_add(hart, COTENANT_TRACE_SWITCH, now, before);
    }
}

void trace_add_device(const struct vhart *vhart, uint64_t address, uint32_t size, bool store)
{
    trace_add(vhart->world.hart, COTENANT_TRACE_MMIO, index_of(vhart),
              address | (uint64_t)size << 56 | (uint64_t)store << 60);
}

void trace_add_source(const struct hart *hart, uint32_t source)
{
    trace_add(hart, COTENANT_TRACE_SOURCE, COTENANT_TRACE_NO_VHART, source);
}

void trace_add_console(const struct hart *hart)
{
    trace_add(hart, COTENANT_TRACE_CONSOLE, COTENANT_TRACE_NO_VHART, 0);
}

void trace_add_tenant(const struct tenant *tenant, uint32_t event)
{
    trace_add(tenant->vharts[0].world.hart, COTENANT_TRACE_TENANT, COTENANT_TRACE_NO_VHART,
              tenant->index | event << 8);
}
