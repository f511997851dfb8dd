/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording begins at boot, if the bundle asks for it. */
#include "arch/csr.h"
#include "arch/trap_vector.h"
#include "core/feature.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "features/trace/trace.h"
#include "features/trace/trap.h"

/* How long the cycle counter is measured, in ticks, and how often mtime is read for it at most. */
#define MEASURED_TICKS 256
#define MOST_READS 10000000

/* Returns the cycles that pass from one change of mtime to the one `ticks` later. */
static uint32_t measure_cycles(const struct hart *hart, uint64_t ticks)
{
    uint64_t start = hart_now(hart) + 1;
    uint64_t cycles;

    for (uint32_t reads = 0; reads < MOST_READS && hart_now(hart) < start; reads++) {
    }
    cycles = CSR_READ(mcycle);
    for (uint32_t reads = 0; reads < MOST_READS && hart_now(hart) < start + ticks; reads++) {
    }
    return (uint32_t)(CSR_READ(mcycle) - cycles);
}

/*
 * Begins the rings of all harts where the bundle has a place for them. Takes 256 ticks of mtime, to
 * measure how fast the cycle counter goes.
 */
static void begin(const struct hart *hart)
{
    const struct bundle_trace *trace = &bundle->trace;
    uint32_t cycles;

    if (trace->ring_size == 0) {
        return;
    }
    cycles = measure_cycles(hart, MEASURED_TICKS);
    for (uint32_t i = 0; i < bundle->board.hart_count; i++) {
        trace_init(&harts[i], (void *)(trace->base + trace->ring_size * i), trace->ring_size,
                   cycles, MEASURED_TICKS);
    }
    trap_vector_init(trace_entry, trace_entry);
}

HOOK(harts_are_known, begin);

FEATURE(trace);
