/* SPDX-License-Identifier: BSD-2-Clause */
/* Time in instructions, under QEMU's -icount: the cycle CSR and the time CSR show one clock there.
 */
#ifndef COTENANT_FREERTOS_COUNTED_TIME_H
#define COTENANT_FREERTOS_COUNTED_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "FreeRTOS.h"
#include "port.h"
#include "rt/platform.h"

#define NS_PER_SECOND 1000000000

/* Whether the two counters show the same clock, in ns and in ticks: without -icount they do not.
 */
static inline bool counters_are_one_clock(void)
{
    uint64_t ns_per_tick = NS_PER_SECOND / platform.timebase_hz;
    uint64_t before = csr_read(cycle);
    uint64_t now = clock_now() * ns_per_tick;
    uint64_t after = csr_read(cycle);

    return now + ns_per_tick > before && now <= after;
}

/*
 * The moment at which tick `tick` was due, in ns of the cycle CSR, which has just been read as
 * `now`. It may be behind time: a tenant that counts cycles for itself alone (SBI PMU) may keep
 * some from the others. Less than a tick of the time CSR is none.
 */
static inline uint64_t counted_tick_time(TickType_t tick, uint64_t now)
{
    uint64_t ns_per_tick = NS_PER_SECOND / platform.timebase_hz;
    uint64_t ns = clock_now() * ns_per_tick;

    return port_tick_time(tick) * ns_per_tick - (ns > now ? ns - now : 0);
}

#endif
