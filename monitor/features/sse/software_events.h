/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Supervisor software events, SBI section 17: what the tenant has asked for, and their delivery.
 *
 * There are two, which software injects: a local one of each vhart, and a global one of each
 * tenant, which its preferred vhart takes and no other: it waits while that one cannot.
 * Section 17.2 lets the implementation choose another hart; kernels are tested with OpenSBI, which
 * does not. An event is delivered by the vhart's own hart, on the plain path: at the end of the
 * call that makes it deliverable, or by a message (REQUEST_EVENTS) to the hart that is to take it.
 * World switches know nothing of it. calls.c is the tenant's interface.
 *
 * Interrupts off, shared lock held.
 */
#ifndef COTENANT_FEATURES_SSE_SOFTWARE_EVENTS_H
#define COTENANT_FEATURES_SSE_SOFTWARE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/sbi.h"
#include "core/tenant.h"

/* Section 17.2; the numbers are those of the attribute STATUS. */
enum software_event_state {
    SOFTWARE_EVENT_UNUSED = SBI_SSE_STATE_UNUSED,
    SOFTWARE_EVENT_REGISTERED = SBI_SSE_STATE_REGISTERED,
    SOFTWARE_EVENT_ENABLED = SBI_SSE_STATE_ENABLED,
    SOFTWARE_EVENT_RUNNING = SBI_SSE_STATE_RUNNING,
};

/* What the delivery of an event changes, as it was before: attributes INTERRUPTED_*. */
struct interrupted {
    uint64_t sepc;
    uint64_t flags; /* SBI_SSE_FLAG_* */
    uint64_t a6;
    uint64_t a7;
};

/* All zero at reset. */
struct software_event {
    enum software_event_state state;
    bool pending;
    bool one_shot;
    uint32_t priority;  /* the lower number goes first */
    uint32_t preferred; /* of the global one: id of the vhart that takes it */
    uint64_t entry_pc;
    uint64_t entry_argument;
    struct interrupted interrupted;
};

struct vhart_events {
    bool takes; /* any at all */
    struct software_event local;
};

extern struct vhart_events vhart_events[COTENANT_MAX_VHARTS];
/* Of each tenant, the one that any of its vharts can take. */
extern struct software_event global_events[COTENANT_MAX_TENANTS];

static inline struct vhart_events *events_of(const struct vhart *vhart)
{
    return &vhart_events[vhart_index(vhart)];
}

static inline struct software_event *local_event(const struct vhart *vhart)
{
    return &events_of(vhart)->local;
}

static inline struct software_event *global_event(const struct vhart *vhart)
{
    return &global_events[vhart->tenant->index];
}

/*
 * Makes the vhart, which is one of this hart, enter the handler of the event that it should take
 * now, if there is one, and tells another vhart if the global event is for that one. To be called
 * after anything that may have changed which event is taken.
 */
void software_events_deliver(struct vhart *vhart);

/* The event of highest priority whose handler the vhart is in, or NULL. */
struct software_event *software_events_running(struct vhart *vhart);

/*
 * The handler of `event`, which software_events_running() has just given for the loaded vhart, is
 * done: the vhart goes on where it was interrupted.
 */
void software_events_complete(struct vhart *vhart, struct software_event *event);

/*
 * The vhart, which is one of this hart, has stopped: its local event and its mask are as at reset.
 * The global event, if it is enabled for that vhart, becomes UNUSED and keeps whether it is
 * pending.
 */
void software_events_stop(struct vhart *vhart);

#endif
