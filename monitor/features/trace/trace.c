/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/trace/trace.h"

#include <stddef.h>

#include "core/recorder.h"
#include "core/tenant.h"
#include "core/vhart.h"

struct trace traces[COTENANT_MAX_HARTS];

void trace_running(const struct hart *hart, const struct vhart *vhart)
{
    struct trace *trace = &traces[hart->index];
    uint32_t before = trace->index;

    if (trace->vhart == vhart) {
        return;
    }
    trace->vhart = vhart;
    trace->index = vhart == NULL ? COTENANT_TRACE_NO_VHART : (uint32_t)vhart_index(vhart);
    trace_add(hart, COTENANT_TRACE_SWITCH, trace->index, before);
}

static void record_claim(const struct hart *hart, uint32_t source)
{
    trace_add(hart, COTENANT_TRACE_SOURCE, COTENANT_TRACE_NO_VHART, source);
}

static void record_step(const struct hart *hart)
{
    trace_add(hart, COTENANT_TRACE_CONSOLE, COTENANT_TRACE_NO_VHART, 0);
}

static void record_change(const struct tenant *tenant, uint32_t event)
{
    trace_add(hart_self(), COTENANT_TRACE_TENANT, COTENANT_TRACE_NO_VHART,
              tenant->index | event << 8);
}

static const struct recorder rings = {
    .runs = trace_running,
    .claims = record_claim,
    .works = record_step,
    .changes = record_change,
};

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
    recorder = &rings;
}
