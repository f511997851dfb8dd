/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

/* What lies further from the last value than this, in a period, is no temperature. */
#define MOST_CHANGE 20000
/* After so many in a row it is one. */
#define MOST_REJECTED 8

static uint64_t last;
static uint64_t in_a_row;
static uint64_t rejected;

static bool is_far(uint64_t value)
{
    return (value > last ? value - last : last - value) > MOST_CHANGE;
}

/* The last good value, if the plant has none now. */
uint64_t export_read(void)
{
    struct result raw = plant_temperature();

    if (raw.error != OK) {
        return last;
    }
    if (is_far(raw.value) && in_a_row < MOST_REJECTED) {
        in_a_row++;
        rejected++;
        return last;
    }
    in_a_row = 0;
    last = raw.value;
    return last;
}

uint64_t export_rejected(void)
{
    return rejected;
}
