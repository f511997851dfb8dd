/* SPDX-License-Identifier: BSD-2-Clause */
/* Setting: pause=N   microseconds between two calls (default 300) */
#include "components/lib/setting.h"

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
    (void)unused;
    for (uint64_t way = 0;; way++) {
        uint64_t pause = setting("pause");

        if (crasher_turn(way).error == ERROR_FAILED) {
            crashes++;
        } else {
            survived++;
        }
        timer_sleep(pause != 0 ? pause : DEFAULT_PAUSE_US);
    }
}
