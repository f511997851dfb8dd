/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An RTOS that lives for a while, with heartbeats of a task, and ends as it is told.
 *
 * Arguments: life=N   milliseconds (default 50); it ends when the time is a multiple of them
 *            end=WAY  see rt/ending.h
 *            beat=N   milliseconds between heartbeats (default 5)
 */
#include "FreeRTOS.h"
#include "rt/console.h"
#include "rt/ending.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "task.h"

#define STACK_WORDS 512

static StaticTask_t beat_task;
static StackType_t beat_stack[STACK_WORDS];
static StaticTask_t end_task;
static StackType_t end_stack[STACK_WORDS];

/* Of the lowest priority: all others have had their turn when it has. */
static void run_beat(void *parameters)
{
    TickType_t period = pdMS_TO_TICKS(platform_number("beat", 5));

    (void)parameters;
    for (;;) {
        sbi_heartbeat(true);
        vTaskDelay(period);
    }
}

static void run_end(void *parameters)
{
    uint64_t life = clock_ticks(platform_number("life", 50) * 1000);
    uint64_t end = (clock_now() / life + 1) * life;

    (void)parameters;
    while (clock_now() < end) {
        vTaskDelay(1);
    }
    ending_come(life);
}

void main(void)
{
    print("alive\n");
    xTaskCreateStatic(run_beat, "beat", STACK_WORDS, NULL, 1, beat_stack, &beat_task);
    xTaskCreateStatic(run_end, "end", STACK_WORDS, NULL, 2, end_stack, &end_task);
    vTaskStartScheduler();
}
