/* SPDX-License-Identifier: BSD-2-Clause */
/* Any calls of SBI SSE by any vharts of a tenant, one after the other, and what delivers events. */
#include "caller.h"

#include "core/scheduler.h"

#include "features/sse/calls.c"
#include "features/sse/event_entry.c"
#include "features/sse/software_events.c"

HAS_NO_ENTRIES(vhart_nap_ends);

void schedule_wake(struct scheduler *scheduler, struct schedulable *subject, uint64_t now)
{
    (void)scheduler;
    (void)now;
    subject->state = SCHEDULABLE_READY;
}

static void call(void)
{
    struct vhart *vhart = any_vhart();
    struct software_event *running;

    switch (any_up_to(5)) {
    case 0:
        software_events_deliver(vhart);
        break;
    case 1:
        software_events_stop(vhart);
        break;
    case 2:
        begin_restored(vhart, NULL);
        break;
    case 3:
        running = software_events_running(vhart);
        if (running != NULL) {
            software_events_complete(vhart, running);
        }
        break;
    default:
        sbi_sse(vhart, any64(), arguments_of(vhart));
        break;
    }
}

int main(void)
{
    set_up();
    while (any_bool()) {
        pass_time();
        call();
    }
    return 0;
}
