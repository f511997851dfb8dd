/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/scheduling.h"

#include "generated.h"

uint64_t export_pause(uint64_t ticks)
{
    return (uint64_t)kernel_event(SCHEDULE_SLEEP, time_now() + ticks, 0, 0).error;
}
