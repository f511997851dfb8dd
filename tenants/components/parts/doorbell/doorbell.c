/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/scheduling.h"

#include "generated.h"

#define SOFTWARE_INTERRUPT 1

static uint64_t answered;

uint64_t export_ring(void)
{
    return (uint64_t)kernel_call(CALL_RAISE, 0, 0, 0).error;
}

uint64_t export_answered(void)
{
    return answered;
}

void thread_answer(uint64_t unused)
{
    (void)unused;
    for (;;) {
        kernel_call(CALL_UNMASK, SOFTWARE_INTERRUPT, 0, 0);
        if (kernel_event(SCHEDULE_INTERRUPT, SOFTWARE_INTERRUPT, 0, 0).value == 0) {
            answered++;
        }
    }
}
