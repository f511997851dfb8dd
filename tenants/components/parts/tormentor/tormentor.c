/* SPDX-License-Identifier: BSD-2-Clause */
/* Argument of the tenant: pause=N   microseconds between two calls (default 300) */
#include "generated.h"

#define DEFAULT_PAUSE_US 300

static uint64_t crashes;
static uint64_t survived;

uint64_t export_crashes(void)
{
    return crashes;
}

/* Calls that came back in order, which none should. */
uint64_t export_survived(void)
{
    return survived;
}

void thread_loop(uint64_t unused)
{
    uint64_t pause = argument("pause");

    (void)unused;
    pause = pause != 0 ? pause : DEFAULT_PAUSE_US;
    for (uint64_t way = 0;; way++) {
        if (crasher_turn(way).error == ERROR_FAILED) {
            crashes++;
        } else {
            survived++;
        }
        timer_sleep(pause);
    }
}
