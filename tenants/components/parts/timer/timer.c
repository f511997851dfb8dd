/* SPDX-License-Identifier: BSD-2-Clause */
/* Any number of threads may be in here; nothing is kept but the length of a microsecond. */
#include "components/lib/scheduling.h"

#include "generated.h"

static uint64_t ticks_per_us;

static uint64_t ticks(uint64_t microseconds)
{
    if (ticks_per_us == 0) {
        ticks_per_us = argument("timebase-hz") / 1000000;
    }
    return microseconds * ticks_per_us;
}

uint64_t export_now_us(void)
{
    return time_now() / ticks(1);
}

uint64_t export_now(void)
{
    return time_now();
}

/* How late it is by then, in nanoseconds. */
uint64_t export_sleep_until(uint64_t time_us)
{
    uint64_t time = ticks(time_us);

    while (time_now() < time) {
        if (kernel_event(SCHEDULE_SLEEP, time, 0, 0).error != OK) {
            break;
        }
    }
    return (time_now() - time) * 1000 / ticks(1);
}

uint64_t export_sleep(uint64_t duration_us)
{
    return export_sleep_until(export_now_us() + duration_us);
}
