/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is asked of the feature that expects heartbeats of tenants, by the events heartbeats_shown
 * and heartbeats_change of core/hooks.h. Without it no answer comes.
 */
#ifndef COTENANT_CORE_HEARTBEATS_H
#define COTENANT_CORE_HEARTBEATS_H

#include <stdbool.h>
#include <stdint.h>

/* Of a tenant. */
struct heartbeats {
    uint32_t policy; /* COTENANT_WATCH_* */
    uint32_t hangs;  /* how often it has hung since boot */
    uint64_t within; /* ticks: the next heartbeat has to come within this time */
};

/* Another policy and, unless it is 0, another time in microseconds. */
struct heartbeats_command {
    uint32_t policy;
    uint32_t within_us;
    bool accepted; /* the answer */
};

#endif
