/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/trace.h"

#include <stddef.h>

#include "core/tenant.h"
#include "core/vhart.h"

bool trace_is_on;

struct trace traces[COTENANT_MAX_HARTS];

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
    traces[hart->index] = (struct trace){ring, NULL, COTENANT_TRACE_NO_VHART};
    trace_is_on = true;
}

void trace_add_switch(const struct hart *hart, const struct vhart *vhart)
{
    struct trace *trace = &traces[hart->index];
    uint32_t before = trace->index;

    trace->vhart = vhart;
    trace->index = vhart == NULL ? COTENANT_TRACE_NO_VHART : index_of(vhart);
    trace_add(hart, COTENANT_TRACE_SWITCH, trace->index, before);
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
    trace_add(hart_self(), COTENANT_TRACE_TENANT, COTENANT_TRACE_NO_VHART,
              tenant->index | event << 8);
}
