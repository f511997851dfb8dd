/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told to the feature that records what happens on each hart, when something is recorded:
 * else each of these costs a load and a branch, and nothing in a monitor without the feature.
 * Called by the hart in question, interrupts off.
 */
#ifndef COTENANT_CORE_RECORDER_H
#define COTENANT_CORE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "abi/trace.h"
#include "core/feature.h"

struct hart;
struct tenant;
struct vhart;

struct recorder {
    void (*runs)(const struct hart *hart, const struct vhart *vhart);
    void (*claims)(const struct hart *hart, uint32_t source);
    void (*works)(const struct hart *hart);
    void (*changes)(const struct tenant *tenant, uint32_t event);
};

/* NULL: nothing is recorded. Fixed once the machine has booted. */
extern const struct recorder *recorder;

/* `vhart` (NULL: none) has the hart from now on. */
static inline void record_running(const struct hart *hart, const struct vhart *vhart)
{
    if (HAS(trace) && recorder != NULL) {
        recorder->runs(hart, vhart);
    }
}

/* The monitor has claimed an external interrupt. */
static inline void record_source(const struct hart *hart, uint32_t source)
{
    if (HAS(trace) && recorder != NULL) {
        recorder->claims(hart, source);
    }
}

/* The hart does a step of core/work.h. */
static inline void record_work(const struct hart *hart)
{
    if (HAS(trace) && recorder != NULL) {
        recorder->works(hart);
    }
}

/* `event`: COTENANT_TRACE_TENANT_*. */
static inline __attribute__((always_inline)) void record_tenant(const struct tenant *tenant,
                                                                uint32_t event)
{
    if (HAS(trace) && recorder != NULL) {
        recorder->changes(tenant, event);
    }
}

#endif
