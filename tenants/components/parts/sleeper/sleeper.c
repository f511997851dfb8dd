/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

#define PATIENCE_US 20000

uint64_t export_doze(uint64_t duration_us)
{
    watchdog_beat(PATIENCE_US);
    timer_sleep(duration_us);
    watchdog_beat(0);
    return duration_us;
}
