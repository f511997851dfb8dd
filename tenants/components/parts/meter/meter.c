/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/print.h"

#define SAMPLES 33
#define KILLS 9

static uint64_t median(uint64_t values[SAMPLES])
{
    for (unsigned i = 1; i < SAMPLES; i++) {
        for (unsigned j = i; j > 0 && values[j] < values[j - 1]; j--) {
            uint64_t value = values[j];

            values[j] = values[j - 1];
            values[j - 1] = value;
        }
    }
    return values[SAMPLES / 2];
}

static uint64_t clock_cost(void)
{
    uint64_t values[SAMPLES];

    for (unsigned i = 0; i < SAMPLES; i++) {
        volatile uint64_t before = cycle_now();

        values[i] = cycle_now() - before;
    }
    return median(values);
}

/* From the ecall on to the instruction behind it, with the callee's entry, and its empty function.
 */
static uint64_t invocation_cost(void)
{
    uint64_t values[SAMPLES];

    for (unsigned i = 0; i < SAMPLES; i++) {
        volatile uint64_t before = cycle_now();

        empty_nothing();
        values[i] = cycle_now() - before;
    }
    return median(values);
}

/* A call of the kernel that does next to nothing, by its way through C. */
static uint64_t call_cost(void)
{
    uint64_t values[SAMPLES];

    for (unsigned i = 0; i < SAMPLES; i++) {
        volatile uint64_t before = cycle_now();

        kernel_call(CALL_SELF, 0, 0, 0);
        values[i] = cycle_now() - before;
    }
    return median(values);
}

void thread_measure(uint64_t unused)
{
    uint64_t overhead = clock_cost();
    uint64_t invocation = invocation_cost() - overhead;
    uint64_t call = call_cost() - overhead;

    (void)unused;
    for (unsigned i = 0; i < KILLS; i++) {
        faults_kill(ID_EMPTY);
    }
    print_line("bench: invocation %lu %lu", invocation, invocation);
    print_line("bench: kernel_call %lu %lu", call, call);
    print_line("bench: restart %lu %lu", faults_worst_cycles().value, faults_worst_cycles().value);
    print_line("bench: end");
    kernel_call(CALL_SHUTDOWN, 0, 0, 0);
}
