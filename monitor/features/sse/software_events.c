/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/sse/software_events.h"

#include "arch/interrupts.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "core/tenant.h"
#include "features/sse/event_entry.h"

struct vhart_events vhart_events[COTENANT_MAX_VHARTS];
struct software_event global_events[COTENANT_MAX_TENANTS];

static bool is_ready(const struct software_event *event)
{
    return event->pending && event->state == SOFTWARE_EVENT_ENABLED;
}

/* The two that a vhart can take: looked up once, as each costs some instructions to find. */
struct events {
    struct software_event *local;
    struct software_event *global;
};

static inline struct events both_of(const struct vhart *vhart)
{
    return (struct events){local_event(vhart), global_event(vhart)};
}

/* Section 17.3. Of equal ones the local event goes first: it has the lower id. */
static bool local_goes_first(struct events both)
{
    return both.local->priority <= both.global->priority;
}

/* The vhart is the one that takes the global event. */
static bool is_preferred(const struct vhart *vhart, const struct software_event *global)
{
    return global->preferred == vhart->world.vhart_id;
}

static inline struct software_event *running_of(const struct vhart *vhart, struct events both)
{
    bool local_runs = both.local->state == SOFTWARE_EVENT_RUNNING;
    bool global_runs =
        both.global->state == SOFTWARE_EVENT_RUNNING && is_preferred(vhart, both.global);

    if (local_runs && (!global_runs || local_goes_first(both))) {
        return both.local;
    }
    return global_runs ? both.global : NULL;
}

struct software_event *software_events_running(struct vhart *vhart)
{
    return running_of(vhart, both_of(vhart));
}

/* The vhart takes any event at all. */
static bool takes_any(const struct vhart *vhart)
{
    return events_of(vhart)->takes && vhart->state == VHART_STARTED && !vhart->loading;
}

/* It could enter the handler of `event`, one of its two, at once. */
static bool can_take(const struct vhart *vhart, struct events both,
                     const struct software_event *event)
{
    return is_ready(event) && takes_any(vhart) &&
           (running_of(vhart, both) == NULL || local_goes_first(both) == (event == both.local));
}

static void enter(struct vhart *vhart, struct software_event *event)
{
    event->pending = false;
    event->state = SOFTWARE_EVENT_RUNNING;
    event_enter(vhart, event->entry_pc, event->entry_argument, &event->interrupted);
    vhart_end_wait(vhart);
}

/* The global event is ready. */
static void deliver_global(struct vhart *vhart, struct events both)
{
    struct vhart *preferred;

    if (is_preferred(vhart, both.global)) {
        if (can_take(vhart, both, both.global)) {
            enter(vhart, both.global);
        }
        return;
    }
    preferred = &vhart->tenant->vharts[both.global->preferred];
    if (can_take(preferred, both_of(preferred), both.global)) {
        messages_post(preferred, REQUEST_EVENTS);
    }
}

/* A vhart that has entered the one of higher priority cannot take the other before it is complete.
 */
void software_events_deliver(struct vhart *vhart)
{
    const struct events both = both_of(vhart);
    bool global = is_ready(both.global);

    if (global && !local_goes_first(both)) {
        deliver_global(vhart, both);
        global = false;
    }
    if (can_take(vhart, both, both.local)) {
        enter(vhart, both.local);
    }
    if (global) {
        deliver_global(vhart, both);
    }
}

void software_events_complete(struct vhart *vhart, struct software_event *event)
{
    event->state = event->one_shot ? SOFTWARE_EVENT_REGISTERED : SOFTWARE_EVENT_ENABLED;
    event_leave(vhart, &event->interrupted);
}

void software_events_stop(struct vhart *vhart)
{
    struct software_event *global = global_event(vhart);

    events_of(vhart)->takes = false;
    *local_event(vhart) = (struct software_event){0};
    if (is_preferred(vhart, global) && global->state >= SOFTWARE_EVENT_ENABLED) {
        global->state = SOFTWARE_EVENT_UNUSED;
    }
}

static void begin(struct tenant *tenant)
{
    global_events[tenant->index] = (struct software_event){0};
}

/* What it had before it stopped and was restored is another life's. */
static void begin_restored(struct vhart *vhart, const struct dormant_state *state)
{
    (void)state;
    begin(vhart->tenant);
}

HOOK(tenant_begins, begin);
HOOK(vhart_is_restored, begin_restored);
HOOK(vhart_looks_for_events, software_events_deliver);
HOOK(vhart_ends, software_events_stop);
