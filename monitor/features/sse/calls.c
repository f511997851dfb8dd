/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 17: supervisor software events. The two that software injects are offered; the others
 * have sources that the monitor does not have. What events do is in software_events.h.
 */
#include "core/feature.h"
#include "core/messages.h"
#include "core/wanted.h"
#include "features/sse/software_events.h"
#include "sbi/sbi.h"

/* The event with this id for the calling hart; NULL, and *error tells why: it is not offered. */
static struct software_event *find(struct vhart *vhart, uint32_t id, long *error)
{
    switch (id) {
    case SBI_SSE_EVENT_LOCAL_SOFTWARE:
        return local_event(vhart);
    case SBI_SSE_EVENT_GLOBAL_SOFTWARE:
        return global_event(vhart);
    case SBI_SSE_EVENT_LOCAL_RAS:
    case SBI_SSE_EVENT_LOCAL_DOUBLE_TRAP:
    case SBI_SSE_EVENT_GLOBAL_RAS:
    case SBI_SSE_EVENT_LOCAL_PMU_OVERFLOW:
    case SBI_SSE_EVENT_LOCAL_LOW_RAS:
    case SBI_SSE_EVENT_GLOBAL_LOW_RAS:
        *error = SBI_ERR_NOT_SUPPORTED;
        return NULL;
    default:
        *error = SBI_ERR_INVALID_PARAM; /* reserved, or of a platform, which has defined none */
        return NULL;
    }
}

static bool is_global(const struct vhart *vhart, const struct software_event *event)
{
    return event == global_event(vhart);
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

/* Of PRIORITY, CONFIG and PREFERRED_HART: the state counts before the value. */
static long check_setting(const struct software_event *event, bool is_legal)
{
    if (event->state >= SOFTWARE_EVENT_ENABLED) {
        return SBI_ERR_INVALID_STATE;
    }
    return is_legal ? SBI_SUCCESS : SBI_ERR_INVALID_PARAM;
}

/* Of INTERRUPTED_*: they are the hart's that is in the handler. */
static long check_context(const struct vhart *vhart, const struct software_event *event)
{
    if (event->state != SOFTWARE_EVENT_RUNNING) {
        return SBI_ERR_INVALID_STATE;
    }
    return is_global(vhart, event) && event->preferred != vhart->world.vhart_id
               ? SBI_ERR_INVALID_PARAM
               : SBI_SUCCESS;
}

static bool has_started(const struct tenant *tenant, uint64_t id)
{
    return id < tenant->vhart_count && tenant->vharts[id].state != VHART_STOPPED &&
           tenant->vharts[id].state != VHART_START_PENDING;
}

/*
 * Whether the attribute may be set to `value` now: an SBI error. Where section 17 does not say
 * which one of two, it is that of OpenSBI.
 */
static long check_one(const struct vhart *vhart, const struct software_event *event,
                      uint32_t attribute, uint64_t value)
{
    switch (attribute) {
    case SBI_SSE_ATTR_PRIORITY:
        return check_setting(event, value <= UINT32_MAX);
    case SBI_SSE_ATTR_CONFIG:
        return check_setting(event, value <= SBI_SSE_CONFIG_ONE_SHOT);
    case SBI_SSE_ATTR_PREFERRED_HART:
        return is_global(vhart, event) ? check_setting(event, has_started(vhart->tenant, value))
                                       : SBI_ERR_DENIED;
    case SBI_SSE_ATTR_INTERRUPTED_FLAGS:
        return value <= SBI_SSE_FLAGS ? check_context(vhart, event) : SBI_ERR_INVALID_PARAM;
    case SBI_SSE_ATTR_INTERRUPTED_SEPC:
    case SBI_SSE_ATTR_INTERRUPTED_A6:
    case SBI_SSE_ATTR_INTERRUPTED_A7:
        return check_context(vhart, event);
    default:
        return SBI_ERR_DENIED;
    }
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
    if (hart_is_wanted()) {
        return SBI_REPEAT;
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
    volatile uint64_t *memory;

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
    memory = (volatile uint64_t *)address;
    if (function == SBI_SSE_WRITE_ATTRS) {
        return write_all(vhart, event, first, count, memory);
    }
    for (uint32_t i = 0; i < count; i++) {
        memory[i] = read_one(vhart, event, first + i);
        if (hart_is_wanted()) {
            return SBI_REPEAT;
        }
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

/*
 * A hart that is stopped, or that has not started yet, has no event to set pending. One that is not
 * enabled is not set pending either: the caller learns it of an event of its own hart, as with
 * OpenSBI, where another hart finds out too late to answer.
 */
static long inject(struct vhart *vhart, struct software_event *event, uint64_t id)
{
    struct tenant *tenant = vhart->tenant;
    struct vhart *target;

    if (is_global(vhart, event)) {
        id = event->preferred;
    } else if (id >= tenant->vhart_count) {
        return SBI_ERR_INVALID_PARAM;
    }
    target = &tenant->vharts[id];
    if (target->state != VHART_STARTED) {
        return SBI_ERR_FAILED;
    }
    if (!is_global(vhart, event)) {
        event = local_event(target);
    }
    if (event->state < SOFTWARE_EVENT_ENABLED) {
        return target == vhart ? SBI_ERR_INVALID_STATE : SBI_SUCCESS;
    }
    if (hart_is_wanted()) {
        return SBI_REPEAT;
    }
    event->pending = true;
    target->uses_features = true;
    if (target != vhart) {
        messages_post(target, REQUEST_EVENTS);
    }
    return SBI_SUCCESS;
}

/* An enabled global event goes where its preferred hart goes: when that one stops, it is told. */
static long enable(struct vhart *vhart, struct software_event *event)
{
    if (hart_is_wanted()) {
        return SBI_REPEAT; /* one that is pending is entered at once */
    }
    if (is_global(vhart, event)) {
        vhart->tenant->vharts[event->preferred].uses_features = true;
    }
    return change_state(event, SOFTWARE_EVENT_REGISTERED, SOFTWARE_EVENT_ENABLED);
}

static long mask(struct vhart *vhart, bool takes_events)
{
    if (events_of(vhart)->takes == takes_events) {
        return takes_events ? SBI_ERR_ALREADY_STARTED : SBI_ERR_ALREADY_STOPPED;
    }
    if (hart_is_wanted()) {
        return SBI_REPEAT;
    }
    events_of(vhart)->takes = takes_events;
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
        return enable(vhart, event);
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
        if (hart_is_wanted()) {
            return sbi_repeat();
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
static struct sbi_result sbi_sse(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    struct sbi_result result;

    if (function > SBI_SSE_HART_MASK) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    vhart->uses_features = true;
    result = act(vhart, function, arguments);
    if (result.error != SBI_REPEAT) {
        software_events_deliver(vhart);
    }
    return result;
}

FEATURE(sse);
SBI_EXTENSION(SBI_EXT_SSE, sbi_sse, SBI_SHARED);
