/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/software_events.h"

#include "arch/event_entry.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "core/tenant.h"

static bool is_ready(const struct software_event *event)
{
    return event->pending && event->state == SOFTWARE_EVENT_ENABLED;
}

/* Section 17.3. Of equal ones the local event goes first: it has the lower id. */
static bool local_goes_first(const struct vhart *vhart)
{
    return vhart->event.priority <= vhart->tenant->event.priority;
}

/* The vhart is the one that takes the global event. */
static bool is_preferred(const struct vhart *vhart)
{
    return vhart->tenant->event.preferred == vhart->world.vhart_id;
}

struct software_event *software_events_running(struct vhart *vhart)
{
    struct software_event *local = &vhart->event;
    struct software_event *global = &vhart->tenant->event;
    bool local_runs = local->state == SOFTWARE_EVENT_RUNNING;
    bool global_runs = global->state == SOFTWARE_EVENT_RUNNING && is_preferred(vhart);

    if (local_runs && (!global_runs || local_goes_first(vhart))) {
        return local;
    }
    return global_runs ? global : NULL;
}

/* The vhart could enter the handler of `event`, which is one of its two, at once. */
static bool can_take(struct vhart *vhart, const struct software_event *event)
{
    const struct software_event *running;

    if (vhart->state != VHART_STARTED || vhart->loading || !vhart->takes_events ||
        !is_ready(event)) {
        return false;
    }
    running = software_events_running(vhart);
    return running == NULL || local_goes_first(vhart) == (event == &vhart->event);
}

static void enter(struct vhart *vhart, struct software_event *event)
{
    struct hart *hart = vhart->world.hart;

    event->pending = false;
    event->state = SOFTWARE_EVENT_RUNNING;
    event_enter(vhart, event->entry_pc, event->entry_argument, &event->interrupted);
    if (vhart->schedulable.state == SCHEDULABLE_WAITING) {
        schedule_wake(&hart->scheduler, &vhart->schedulable, hart_now(hart));
        hart->reschedule = true;
    }
}

/* Whoever has entered the one of higher priority cannot take the other before it is complete. */
void software_events_deliver(struct vhart *vhart)
{
    struct tenant *tenant = vhart->tenant;
    struct vhart *preferred = &tenant->vharts[tenant->event.preferred];

    if (local_goes_first(vhart) && can_take(vhart, &vhart->event)) {
        enter(vhart, &vhart->event);
    }
    if (can_take(preferred, &tenant->event)) {
        if (preferred == vhart) {
            enter(vhart, &tenant->event);
        } else {
            messages_post(preferred, REQUEST_EVENTS);
        }
    }
    if (can_take(vhart, &vhart->event)) {
        enter(vhart, &vhart->event);
    }
}

void software_events_complete(struct vhart *vhart, struct software_event *event)
{
    event->state = event->one_shot ? SOFTWARE_EVENT_REGISTERED : SOFTWARE_EVENT_ENABLED;
    event_leave(vhart, &event->interrupted);
}

void software_events_stop(struct vhart *vhart)
{
    struct software_event *global = &vhart->tenant->event;

    vhart->takes_events = false;
    vhart->event = (struct software_event){0};
    if (is_preferred(vhart) && global->state >= SOFTWARE_EVENT_ENABLED) {
        global->state = SOFTWARE_EVENT_UNUSED;
    }
}

HOOK(vhart_looks_for_events, software_events_deliver);
HOOK(vhart_ends, software_events_stop);
