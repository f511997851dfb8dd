/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

#define LOSS_SHIFT 8
#define GAIN_SHIFT 4

static uint64_t temperature;

/* One period with that power, 0 to 100000; the temperature at its end. */
uint64_t export_step(uint64_t power)
{
    temperature += (power >> GAIN_SHIFT);
    temperature -= temperature >> LOSS_SHIFT;
    return temperature;
}

uint64_t export_temperature(void)
{
    return temperature;
}
