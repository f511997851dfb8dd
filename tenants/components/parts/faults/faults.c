/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/scheduling.h"

#include "generated.h"

#define CAUSE_LOAD_PAGE 13
#define CAUSE_STORE_PAGE 15
/* Cause of an overrun in the log, where others have that of the fault. */
#define CAUSE_OVERRUN 64
#define CAUSE_KILLED 65

static uint64_t restarts;
static uint64_t worst_cycles;

static bool is_heap(uint64_t component, uint64_t address)
{
    uint64_t offset = address - (COMPONENT_BASE + component * COMPONENT_SIZE);

    return offset >= HEAP_OFFSET && offset < STACKS_OFFSET;
}

/* Does not come back if the thread came from that component: nothing is left to come back to. */
static void restart(uint64_t component, uint64_t cause)
{
    uint64_t before;
    uint64_t cycles;

    __atomic_fetch_add(&restarts, 1, __ATOMIC_RELAXED);
    log_note(cause, component);
    memory_forget(component);
    before = cycle_now();
    kernel_call(CALL_RESTART, component, 0, 0);
    cycles = cycle_now() - before;
    if (cycles > worst_cycles) {
        worst_cycles = cycles;
    }
}

/* 0: the component may try again. */
uint64_t export_handle(uint64_t cause, uint64_t address, uint64_t pc, uint64_t component)
{
    (void)pc;
    if ((cause == CAUSE_LOAD_PAGE || cause == CAUSE_STORE_PAGE) && is_heap(component, address)) {
        struct result result = memory_populate(component, address);

        if (result.error == OK && result.value == 0) {
            return 0;
        }
    }
    restart(component, cause);
    return 1;
}

uint64_t export_kill(uint64_t component)
{
    restart(component, CAUSE_KILLED);
    return 0;
}

uint64_t export_restarts(void)
{
    return restarts;
}

uint64_t export_worst_cycles(void)
{
    return worst_cycles;
}

void thread_watch(uint64_t unused)
{
    (void)unused;
    for (;;) {
        struct result held = kernel_event(SCHEDULE_OVERRUN, 0, 0, 0);
        struct result where;

        if (held.error != OK || held.value == SCHEDULE_AGAIN) {
            continue;
        }
        where = kernel_call(CALL_WHERE, held.value, 0, 0);
        if (where.error == OK) {
            restart(where.value, CAUSE_OVERRUN);
        }
    }
}
