/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 17: supervisor software events. The two that software injects are offered; the others
 * have sources that the monitor does not have. What events do is in core/software_events.h.
 */
#include "core/messages.h"
#include "core/software_events.h"
#include "sbi/sbi.h"

/* The event with this id for the calling hart; NULL, and *error tells why: it is not offered. */
static struct software_event *find(struct vhart *vhart, uint32_t id, long *error)
{
    switch (id) {
    case SBI_SSE_EVENT_LOCAL_SOFTWARE:
        return &vhart->event;
    case SBI_SSE_EVENT_GLOBAL_SOFTWARE:
        return &vhart->tenant->event;
    case SBI_SSE_EVENT_LOCAL_RAS:
    case SBI_SSE_EVENT_LOCAL_DOUBLE_TRAP:
    case SBI_SSE_EVENT_GLOBAL_RAS:
    case SBI_SSE_EVENT_LOCAL_PMU_OVERFLOW:
    case SBI_SSE_EVENT_LOCAL_LOW_RAS:
    case SBI_SSE_EVENT_GLOBAL_LOW_RAS:
        *error = SBI_ERR_NOT_SUPPORTED;
        return NULL;
    default:
        *error = (id & SBI_SSE_EVENT_IS_PLATFORM) != 0 ? SBI_ERR_NOT_SUPPORTED
                                                       : SBI_ERR_INVALID_PARAM; /* reserved */
        return NULL;
    }
}

static bool is_global(const struct vhart *vhart, const struct software_event *event)
{
    return event == &vhart->tenant->event;
}

static uint64_t read_one(const struct vhart *vhart, const struct software_event *event,
                         uint32_t attribute)
{
    switch (attribute) {
    case SBI_SSE_ATTR_STATUS:
        return (uint64_t)event->state | (event->pending ? SBI_SSE_STATUS_PENDING : 0) |
               SBI_SSE_STATUS_INJECTABLE;
    case SBI_SSE_ATTR_PRIORITY:
        return event->priority;
    case SBI_SSE_ATTR_CONFIG:
        return event->one_shot ? SBI_SSE_CONFIG_ONE_SHOT : 0;
    case SBI_SSE_ATTR_PREFERRED_HART:
        return is_global(vhart, event) ? event->preferred : vhart->world.vhart_id;
    case SBI_SSE_ATTR_ENTRY_PC:
        return event->entry_pc;
    case SBI_SSE_ATTR_ENTRY_ARG:
        return event->entry_argument;
    case SBI_SSE_ATTR_INTERRUPTED_SEPC:
        return event->interrupted.sepc;
    case SBI_SSE_ATTR_INTERRUPTED_FLAGS:
        return event->interrupted.flags;
    case SBI_SSE_ATTR_INTERRUPTED_A6:
        return event->interrupted.a6;
    default:
        return event->interrupted.a7;
    }
}

/* Whether the attribute may be set to `value` now: an SBI error. */
static long check_one(const struct vhart *vhart, const struct software_event *event,
                      uint32_t attribute, uint64_t value)
{
    uint64_t highest = UINT64_MAX; /* legal value */

    switch (attribute) {
    case SBI_SSE_ATTR_PRIORITY:
        highest = UINT32_MAX;
        break;
    case SBI_SSE_ATTR_CONFIG:
        highest = SBI_SSE_CONFIG_ONE_SHOT;
        break;
    case SBI_SSE_ATTR_PREFERRED_HART:
        if (!is_global(vhart, event)) {
            return SBI_ERR_DENIED;
        }
        highest = vhart->tenant->vhart_count - 1;
        break;
    case SBI_SSE_ATTR_INTERRUPTED_FLAGS:
        highest = SBI_SSE_FLAGS;
        break;
    case SBI_SSE_ATTR_INTERRUPTED_SEPC:
    case SBI_SSE_ATTR_INTERRUPTED_A6:
    case SBI_SSE_ATTR_INTERRUPTED_A7:
        break;
    default:
        return SBI_ERR_DENIED;
    }
    if (attribute < SBI_SSE_ATTR_INTERRUPTED_SEPC
            ? event->state >= SOFTWARE_EVENT_ENABLED
            : event->state != SOFTWARE_EVENT_RUNNING || event->runs_on != vhart->world.vhart_id) {
        return SBI_ERR_INVALID_STATE;
    }
    return value <= highest ? SBI_SUCCESS : SBI_ERR_INVALID_PARAM;
}

static void write_one(struct software_event *event, uint32_t attribute, uint64_t value)
{
    switch (attribute) {
    case SBI_SSE_ATTR_PRIORITY:
        event->priority = (uint32_t)value;
        break;
    case SBI_SSE_ATTR_CONFIG:
        event->one_shot = value != 0;
        break;
    case SBI_SSE_ATTR_PREFERRED_HART:
        event->preferred = (uint32_t)value;
        break;
    case SBI_SSE_ATTR_INTERRUPTED_SEPC:
        event->interrupted.sepc = value;
        break;
    case SBI_SSE_ATTR_INTERRUPTED_FLAGS:
        event->interrupted.flags = value;
        break;
    case SBI_SSE_ATTR_INTERRUPTED_A6:
        event->interrupted.a6 = value;
        break;
    default:
        event->interrupted.a7 = value;
        break;
    }
}

/* All or nothing: what the tenant's memory holds is read once, checked, and then counts. */
static long write_all(struct vhart *vhart, struct software_event *event, uint32_t first,
                      uint32_t count, const volatile uint64_t *memory)
{
    uint64_t values[SBI_SSE_ATTR_COUNT];

    for (uint32_t i = 0; i < count; i++) {
        long error;

        values[i] = memory[i];
        error = check_one(vhart, event, first + i, values[i]);
        if (error != SBI_SUCCESS) {
            return error;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        write_one(event, first + i, values[i]);
    }
    return SBI_SUCCESS;
}

/*
 * Functions 0 and 1. The memory has as many words as the call has attributes, so the value of
 * attribute base + i is word i of it; the offset that sections 17.7 and 17.8 name besides would lie
 * outside.
 */
static long attributes(struct vhart *vhart, struct software_event *event, uint64_t function,
                       const uint64_t *arguments)
{
    uint32_t first = (uint32_t)arguments[1];
    uint32_t count = (uint32_t)arguments[2];
    uint64_t address = arguments[3];
    volatile uint64_t *memory = (volatile uint64_t *)address;

    if (count == 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    if (first >= SBI_SSE_ATTR_COUNT || count > SBI_SSE_ATTR_COUNT - first) {
        return SBI_ERR_BAD_RANGE;
    }
    if (address % sizeof(uint64_t) != 0 ||
        !sbi_owns_memory(vhart->tenant, address, arguments[4], count * sizeof(uint64_t))) {
        return SBI_ERR_INVALID_ADDRESS;
    }
    if (function == SBI_SSE_WRITE_ATTRS) {
        return write_all(vhart, event, first, count, memory);
    }
    for (uint32_t i = 0; i < count; i++) {
        memory[i] = read_one(vhart, event, first + i);
    }
    return SBI_SUCCESS;
}

static long register_event(struct software_event *event, uint64_t pc, uint64_t argument)
{
    if ((pc & 1) != 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    if (event->state != SOFTWARE_EVENT_UNUSED) {
        return SBI_ERR_INVALID_STATE;
    }
    event->state = SOFTWARE_EVENT_REGISTERED;
    event->entry_pc = pc;
    event->entry_argument = argument;
    return SBI_SUCCESS;
}

static long change_state(struct software_event *event, enum software_event_state from,
                         enum software_event_state to)
{
    if (event->state != from) {
        return SBI_ERR_INVALID_STATE;
    }
    event->state = to;
    return SBI_SUCCESS;
}

/* A hart that is stopped, or that has not started yet, has no event to set pending. */
static long inject(struct vhart *vhart, struct software_event *event, uint64_t id)
{
    struct tenant *tenant = vhart->tenant;
    struct vhart *target = vhart;

    if (!is_global(vhart, event)) {
        if (id >= tenant->vhart_count) {
            return SBI_ERR_INVALID_PARAM;
        }
        target = &tenant->vharts[id];
        if (target->state != VHART_STARTED) {
            return SBI_ERR_FAILED;
        }
        event = &target->event;
    }
    event->pending = true;
    target->has_extras = true;
    if (target != vhart) {
        messages_post(target, REQUEST_EVENTS);
    }
    return SBI_SUCCESS;
}

static long mask(struct vhart *vhart, bool takes_events)
{
    if (vhart->takes_events == takes_events) {
        return takes_events ? SBI_ERR_ALREADY_STARTED : SBI_ERR_ALREADY_STOPPED;
    }
    vhart->takes_events = takes_events;
    return SBI_SUCCESS;
}

/* The functions that are about the event in a0. */
static long act_on_event(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    long error = SBI_SUCCESS;
    struct software_event *event = find(vhart, (uint32_t)arguments[0], &error);

    if (event == NULL) {
        return error;
    }
    switch (function) {
    case SBI_SSE_READ_ATTRS:
    case SBI_SSE_WRITE_ATTRS:
        return attributes(vhart, event, function, arguments);
    case SBI_SSE_REGISTER:
        return register_event(event, arguments[1], arguments[2]);
    case SBI_SSE_UNREGISTER:
        return change_state(event, SOFTWARE_EVENT_REGISTERED, SOFTWARE_EVENT_UNUSED);
    case SBI_SSE_ENABLE:
        return change_state(event, SOFTWARE_EVENT_REGISTERED, SOFTWARE_EVENT_ENABLED);
    case SBI_SSE_DISABLE:
        return change_state(event, SOFTWARE_EVENT_ENABLED, SOFTWARE_EVENT_REGISTERED);
    default:
        return inject(vhart, event, arguments[1]);
    }
}

static struct sbi_result act(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    struct software_event *running;

    switch (function) {
    case SBI_SSE_COMPLETE:
        running = software_events_running(vhart);
        if (running == NULL) {
            return sbi_value(0);
        }
        software_events_complete(vhart, running);
        return sbi_no_return();
    case SBI_SSE_HART_UNMASK:
        return sbi_error(mask(vhart, true));
    case SBI_SSE_HART_MASK:
        return sbi_error(mask(vhart, false));
    default:
        return sbi_error(act_on_event(vhart, function, arguments));
    }
}

/* The delivery leaves a0 and a1 alone: the handler finds there what the call has returned. */
struct sbi_result sbi_sse(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    struct sbi_result result;

    if (function > SBI_SSE_HART_MASK) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    vhart->has_extras = true;
    result = act(vhart, function, arguments);
    software_events_deliver(vhart);
    return result;
}
