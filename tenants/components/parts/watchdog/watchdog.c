/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

#define LOOK_US 10000
/* In the log, where the fault manager has causes. */
#define CAUSE_SILENT 66

static uint64_t due[COMPONENTS]; /* 0: it is not watched */

/* The caller will be heard of again within that time, or is to be restarted. 0: no more. */
uint64_t export_beat(uint64_t patience_us, uint64_t caller)
{
    struct result now = timer_now_us();

    if (now.error == OK && caller < COMPONENTS) {
        due[caller] = patience_us != 0 ? now.value + patience_us : 0;
    }
    return 0;
}

void thread_watch(uint64_t unused)
{
    (void)unused;
    for (;;) {
        struct result now = timer_now_us();

        for (uint64_t id = 0; id < COMPONENTS && now.error == OK; id++) {
            if (due[id] != 0 && due[id] < now.value) {
                due[id] = 0;
                log_note(CAUSE_SILENT, id);
                faults_kill(id);
            }
        }
        timer_sleep(LOOK_US);
    }
}
