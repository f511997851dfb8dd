/* SPDX-License-Identifier: BSD-2-Clause */
/* A PI controller; how late it began a period at worst, and in how many it had not begun at all. */
#include "generated.h"

#define PERIOD_US 1000
#define TARGET 300000
#define MOST_POWER 100000

static uint64_t samples;
static uint64_t missed;
static uint64_t least = UINT64_MAX;
static uint64_t most;
static uint64_t sum_late;
static uint64_t distance;

uint64_t export_samples(void)
{
    return samples;
}

uint64_t export_missed(void)
{
    return missed;
}

/* How late a period began. */
uint64_t export_least_ns(void)
{
    return samples != 0 ? least : 0;
}

uint64_t export_average_ns(void)
{
    return samples != 0 ? sum_late / samples : 0;
}

uint64_t export_most_ns(void)
{
    return most;
}

/* How far the plant is from where it should be. */
uint64_t export_error(void)
{
    return distance;
}

static uint64_t bounded(int64_t power)
{
    return power < 0 ? 0 : power > MOST_POWER ? MOST_POWER : (uint64_t)power;
}

static void note(uint64_t late)
{
    missed += late / (PERIOD_US * 1000);
    least = late < least ? late : least;
    most = late > most ? late : most;
    sum_late += late;
    samples++;
}

void thread_loop(uint64_t unused)
{
    uint64_t next = timer_now_us().value;
    uint64_t power = 0;
    int64_t sum = 0;

    (void)unused;
    for (;;) {
        struct result woken;
        struct result temperature;

        next += PERIOD_US;
        woken = timer_sleep_until(next);
        if (woken.error != OK) {
            next -= PERIOD_US; /* the timer was restarted: the same period again */
            continue;
        }
        note(woken.value);
        temperature = sensor_read();
        if (temperature.error == OK) {
            int64_t error = TARGET - (int64_t)temperature.value;

            distance = (uint64_t)(error < 0 ? -error : error);
            sum += error / 64;
            sum = sum < 0 ? 0 : sum > MOST_POWER ? MOST_POWER : sum;
            power = bounded(sum + error);
        }
        actuator_set(power);
    }
}
