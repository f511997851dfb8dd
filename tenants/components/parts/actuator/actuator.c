/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

#define MOST_POWER 100000
#define MOST_CHANGE 20000
/* Without a command for so long the power goes off. */
#define PATIENCE_US 20000

static uint64_t now;
static uint64_t commands;

static uint64_t limited(uint64_t power)
{
    power = power < MOST_POWER ? power : MOST_POWER;
    if (power > now + MOST_CHANGE) {
        return now + MOST_CHANGE;
    }
    return power + MOST_CHANGE < now ? now - MOST_CHANGE : power;
}

/* The power that it has become, for one period. */
uint64_t export_set(uint64_t power)
{
    now = limited(power);
    commands++;
    plant_step(now);
    return now;
}

uint64_t export_power(void)
{
    return now;
}

void thread_deadman(uint64_t unused)
{
    (void)unused;
    for (;;) {
        uint64_t before = commands;

        if (timer_sleep(PATIENCE_US).error == OK && commands == before) {
            now = 0;
            plant_step(0);
        }
    }
}
