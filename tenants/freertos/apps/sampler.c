/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples a (simulated) signal at 1 kHz by a task of the highest priority and puts the samples into
 * memory that another tenant shares, the memory channel "samples" (linux/examples/window_sample.h).
 * That takes no call and no trap: nobody is told unless he waits. What finds no room is dropped and
 * counted. Prints, cumulative since the start,
 *
 *   latency: samples=1000 min=1.2us avg=2.1us max=9.8us missed=0  (due -> task)
 *
 * Arguments: report=2s (or ms)  time between two such lines
 */
#include "FreeRTOS.h"
#include "latency_probe.h"
#include "linux/examples/window_sample.h"
#include "port.h"
#include "report.h"
#include "rt/console.h"
#include "rt/memory_channel.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "stream.h"
#include "task.h"

#define SAMPLE_PRIORITY (configMAX_PRIORITIES - 1)
#define REPORT_PRIORITY 1
#define STACK_WORDS 512
#define NANOSECONDS_PER_SECOND 1000000000
/* A triangle, up and down between -1 and 1 in so many periods. */
#define SIGNAL_PERIOD 400
#define SIGNAL_MOST 1000

static struct memory_channel samples;
static struct latency_statistics lateness = LATENCY_STATISTICS_NONE;

static StaticTask_t tasks[2];
static StackType_t stacks[2][STACK_WORDS];

static int32_t signal_at(uint32_t period)
{
    int32_t place = (int32_t)(period % SIGNAL_PERIOD) * 4 * SIGNAL_MOST / SIGNAL_PERIOD;

    return place < 2 * SIGNAL_MOST ? place - SIGNAL_MOST : 3 * SIGNAL_MOST - place;
}

static void run_samples(void *parameters)
{
    uint64_t period_time = platform.timebase_hz / configTICK_RATE_HZ;
    TickType_t tick = xTaskGetTickCount();
    struct window_sample sample = {0};

    (void)parameters;
    for (uint32_t period = 0;; period++) {
        uint64_t late;

        xTaskDelayUntil(&tick, 1);
        late = clock_now() - port_tick_time(tick);
        latency_add(&lateness, late, period_time);
        sample.number = period;
        sample.value = signal_at(period);
        sample.lateness_ns = (uint32_t)(late * NANOSECONDS_PER_SECOND / platform.timebase_hz);
        switch (memory_channel_send(&samples, &sample, sizeof(sample))) {
        case RING_NOT_NOW:
            sample.dropped++;
            break;
        case RING_BROKEN:
            (void)memory_channel_open(&samples, "samples");
            break;
        default: /* sent, or nobody is there */
            break;
        }
    }
}

void main(void)
{
    print("FreeRTOS %s sampler: %d Hz\n", tskKERNEL_VERSION_NUMBER, configTICK_RATE_HZ);
    if (!streams_start() || !memory_channel_open(&samples, "samples")) {
        print("sampler: there is no memory channel \"samples\"\n");
        sbi_shutdown(true);
    }
    xTaskCreateStatic(run_samples, "samples", STACK_WORDS, NULL, SAMPLE_PRIORITY, stacks[0],
                      &tasks[0]);
    xTaskCreateStatic(report_lateness, "report", STACK_WORDS, &lateness, REPORT_PRIORITY, stacks[1],
                      &tasks[1]);
    vTaskStartScheduler();
}
