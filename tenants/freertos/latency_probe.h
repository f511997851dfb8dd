/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A periodic task of the highest priority that measures its own wake-up latency: from the moment
 * its tick is due to its first instruction after the wake-up; and latencies as such, printed.
 */
#ifndef COTENANT_FREERTOS_LATENCY_PROBE_H
#define COTENANT_FREERTOS_LATENCY_PROBE_H

#include <stdint.h>

/* Latencies, in ticks of some clock. Start from LATENCY_STATISTICS_NONE. */
struct latency_statistics {
    uint64_t samples;
    uint64_t minimum;
    uint64_t maximum;
    uint64_t sum;
    uint64_t missed; /* that were a whole period or longer */
};

#define LATENCY_STATISTICS_NONE                                                                    \
    {                                                                                              \
        .minimum = UINT64_MAX                                                                      \
    }

/* Adds a latency. The caller sees to it that nobody else uses the statistics meanwhile. */
void latency_add(struct latency_statistics *statistics, uint64_t latency, uint64_t period);

/*
 * Prints `NAME: samples=4000 min=1.2us avg=2.1us max=9.8us missed=0` if there is any sample.
 * `clock_hz` is the frequency of the clock that was used. A copy is given: it takes long.
 */
void latency_print(const char *name, struct latency_statistics statistics, uint64_t clock_hz);

/*
 * Starts the task. It wakes up with every tick and works for `busy_time` ticks of the time CSR each
 * time. After `stop_after` samples (0: never) it calls `at_end` and sleeps for ever. Once, before
 * the scheduler runs.
 */
void latency_probe_start(uint64_t busy_time, uint64_t stop_after, void (*at_end)(void));

/* What it measured so far, in ticks of the time CSR. From a task. */
struct latency_statistics latency_probe_read(void);

#endif
