/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What FreeRTOS takes, with whichever port it is built: instructions, exact under QEMU's -icount
 * with an instruction a nanosecond. Printed as tenants/bench/samples.h says, then it shuts down:
 *
 *     tick   that a tick which wakes nobody takes from the task that runs
 *     yield  from a yield to the next instruction of another task
 *     wake   from the moment that a tick is due to the first instruction of the task that it wakes
 *
 * Arguments: only=NAME   does one of them for ever, for who counts traps
 */
#include <stdbool.h>
#include <string.h>

#include "bench/samples.h"
#include "counted_time.h"
#include "FreeRTOS.h"
#include "rt/console.h"
#include "rt/csr.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "task.h"

#define PRIORITY 2
#define STACK_WORDS 512

static volatile uint64_t yielded_at;

static StaticTask_t measuring_control_block;
static StackType_t measuring_stack[STACK_WORDS];
static StaticTask_t partner_control_block;
static StackType_t partner_stack[STACK_WORDS];
static TaskHandle_t partner;

/* The longest time between two readings of the counter up to the next tick, and the usual one. */
static uint64_t measure_tick(void)
{
    TickType_t tick = xTaskGetTickCount();
    uint64_t last = csr_read(cycle);
    uint64_t longest = 0;
    uint64_t shortest = UINT64_MAX;
    bool again = true;

    while (again) {
        uint64_t now;

        again = xTaskGetTickCount() == tick;
        now = csr_read(cycle);
        longest = now - last > longest ? now - last : longest;
        shortest = now - last < shortest ? now - last : shortest;
        last = now;
    }
    return longest - shortest;
}

/* Yields in turn with measure_yield(), for as long as that goes on. */
static void run_partner(void *parameters)
{
    (void)parameters;
    for (;;) {
        yielded_at = csr_read(cycle);
        taskYIELD();
    }
}

static uint64_t measure_yield(void)
{
    taskYIELD();
    return csr_read(cycle) - yielded_at - bench_overhead();
}

static uint64_t measure_wake(void)
{
    TickType_t tick = xTaskGetTickCount();
    uint64_t now;

    xTaskDelayUntil(&tick, 1);
    now = csr_read(cycle);
    return now - counted_tick_time(tick, now);
}

static const struct {
    const char *name;
    bench_measure measure;
    bool needs_partner;
} measurements[] = {
    {"tick", measure_tick, false},
    {"yield", measure_yield, true},
    {"wake", measure_wake, false},
};

static void run_measuring(void *parameters)
{
    char only[8];

    (void)parameters;
    platform_word("only", "", only, sizeof(only));
    vTaskSuspend(partner);
    for (unsigned i = 0; i < sizeof(measurements) / sizeof(measurements[0]); i++) {
        if (only[0] != '\0' && strcmp(only, measurements[i].name) != 0) {
            continue;
        }
        if (measurements[i].needs_partner) {
            vTaskResume(partner);
        }
        if (only[0] != '\0') {
            print("bench: ready\n");
            for (;;) {
                measurements[i].measure();
            }
        }
        bench_sample(measurements[i].name, measurements[i].measure);
        vTaskSuspend(partner);
    }
    bench_finish();
}

void main(void)
{
    if (!counters_are_one_clock()) {
        print("costs: the cycle CSR does not count ns: run it under QEMU's -icount\n");
        sbi_shutdown(true);
    }
    xTaskCreateStatic(run_measuring, "measuring", STACK_WORDS, NULL, PRIORITY, measuring_stack,
                      &measuring_control_block);
    partner = xTaskCreateStatic(run_partner, "partner", STACK_WORDS, NULL, PRIORITY, partner_stack,
                                &partner_control_block);
    vTaskStartScheduler();
}
