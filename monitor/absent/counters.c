/* SPDX-License-Identifier: BSD-2-Clause */
/* No performance counters: nothing is counted. */
#include "arch/counters.h"

void pmu_count(struct vhart *vhart, unsigned event)
{
    (void)vhart;
    (void)event;
}

void pmu_count_request(struct vhart *vhart, uint64_t targets, unsigned sent, unsigned received)
{
    (void)vhart;
    (void)targets;
    (void)sent;
    (void)received;
}
