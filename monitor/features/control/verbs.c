/* SPDX-License-Identifier: BSD-2-Clause */
/* What requests of the control protocol ask for, who may ask for it, and what they get. */
#include <stddef.h>

#include "abi/sbi.h"
#include "arch/memory.h"
#include "arch/owned_memory.h"
#include "core/clock.h"
#include "core/hart.h"
#include "core/heartbeats.h"
#include "core/hooks.h"
#include "core/monitor_log.h"
#include "core/wanted.h"
#include "features/commands/tenant_commands.h"
#include "features/control/control.h"
#include "features/control/idle.h"
#include "features/control/save_restore.h"
#include "features/control/zeros.h"

_Static_assert(COTENANT_COMMAND_LOAD == COMMAND_LOAD && COTENANT_COMMAND_START == COMMAND_START &&
                   COTENANT_COMMAND_STOP == COMMAND_STOP &&
                   COTENANT_COMMAND_RESTART == COMMAND_RESTART &&
                   COTENANT_COMMAND_DESTROY == COMMAND_DESTROY &&
                   COTENANT_COMMAND_SWITCH == COMMAND_SWITCH,
               "the commands have the numbers of abi/control.h");
_Static_assert(COTENANT_STATE_EMPTY == TENANT_EMPTY && COTENANT_STATE_LOADED == TENANT_LOADED &&
                   COTENANT_STATE_RUNNING == TENANT_RUNNING &&
                   COTENANT_STATE_DORMANT == TENANT_DORMANT &&
                   COTENANT_STATE_STOPPED == TENANT_STOPPED &&
                   COTENANT_STATE_CRASHED == TENANT_CRASHED &&
                   COTENANT_STATE_STOPPING == TENANT_STOPPING &&
                   COTENANT_STATE_LOADING == TENANT_LOADING,
               "the states too");
_Static_assert(COTENANT_SCHEDULE_OFF == SCHEDULABLE_OFF &&
                   COTENANT_SCHEDULE_READY == SCHEDULABLE_READY &&
                   COTENANT_SCHEDULE_WAITING == SCHEDULABLE_WAITING &&
                   COTENANT_SCHEDULE_THROTTLED == SCHEDULABLE_THROTTLED,
               "and what a schedule says");

/* What a verb works on. */
#define ON_TENANT 0x1  /* a tenant that the caller may see */
#define ON_CONTROL 0x2 /* one that it may control */
#define ON_ALL 0x4     /* the whole system: the caller may see every tenant */
#define ON_MEMORY 0x8  /* memory of the tenant, which must not run */
#define WITH_DATA 0x10
#define WITH_ITEM 0x20
#define WITH_POSITION 0x40
#define ON_WORDS 0x80 /* that memory in words of 8 bytes, and more of it */

/* Bytes of memory that are compared with zero or cleared between two looks at interrupts. */
#define ZEROS_PIECE 512
#define WORD ((uint32_t)sizeof(uint64_t))

static const uint8_t verbs[] = {
    [COTENANT_CONTROL_VERSION_GET] = 0,
    [COTENANT_CONTROL_TENANT_GET] = ON_TENANT,
    [COTENANT_CONTROL_VHART_GET] = ON_TENANT | WITH_ITEM,
    [COTENANT_CONTROL_COMMAND] = ON_CONTROL | WITH_ITEM,
    [COTENANT_CONTROL_CONSOLE_READ] = ON_CONTROL | WITH_POSITION,
    [COTENANT_CONTROL_CONSOLE_WRITE] = ON_CONTROL | WITH_DATA,
    [COTENANT_CONTROL_LOG_READ] = ON_ALL | WITH_POSITION,
    [COTENANT_CONTROL_TRACE_READ] = ON_ALL | WITH_POSITION | WITH_ITEM,
    [COTENANT_CONTROL_MEMORY_READ] = ON_CONTROL | ON_MEMORY | WITH_POSITION | WITH_ITEM,
    [COTENANT_CONTROL_MEMORY_WRITE] = ON_CONTROL | ON_MEMORY | WITH_POSITION | WITH_DATA,
    [COTENANT_CONTROL_STATE_GET] = ON_CONTROL,
    [COTENANT_CONTROL_STATE_SET] = ON_CONTROL | WITH_DATA,
    [COTENANT_CONTROL_WATCH] = ON_CONTROL | WITH_ITEM | WITH_POSITION,
    [COTENANT_CONTROL_MEMORY_FIND] = ON_CONTROL | ON_MEMORY | ON_WORDS | WITH_POSITION | WITH_ITEM,
    [COTENANT_CONTROL_MEMORY_CLEAR] = ON_CONTROL | ON_MEMORY | ON_WORDS | WITH_POSITION | WITH_ITEM,
};
#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

static struct tenant *tenant_of(const struct control_link *link)
{
    return &tenants[link->request.tenant];
}

static bool has(uint32_t set, uint32_t tenant)
{
    return (set >> tenant & 1) != 0;
}

static bool may_see(const struct control_link *link, uint32_t tenant)
{
    return tenant < tenant_count &&
           (has(link->may_see | link->may_control, tenant) || tenant == link->caller);
}

static bool may_see_all(const struct control_link *link)
{
    for (uint32_t tenant = 0; tenant < tenant_count; tenant++) {
        if (!may_see(link, tenant)) {
            return false;
        }
    }
    return true;
}

static uint16_t check_rights(const struct control_link *link, uint8_t verb)
{
    uint32_t tenant = link->request.tenant;

    if ((verb & (ON_TENANT | ON_CONTROL)) == 0 && tenant != 0) {
        return COTENANT_CONTROL_BAD_ARGUMENT;
    }
    if ((verb & (ON_TENANT | ON_CONTROL)) != 0 && !may_see(link, tenant)) {
        return COTENANT_CONTROL_NO_TENANT;
    }
    if (((verb & ON_CONTROL) != 0 && !has(link->may_control, tenant)) ||
        ((verb & ON_ALL) != 0 && !may_see_all(link))) {
        return COTENANT_CONTROL_DENIED;
    }
    return COTENANT_CONTROL_OK;
}

/* `count` bytes at the request's position are memory of the tenant. */
static uint16_t check_memory(const struct control_link *link, uint32_t count)
{
    const struct tenant *tenant = tenant_of(link);

    if (!tenant_owns_memory(tenant, link->request.position, count)) {
        return COTENANT_CONTROL_BAD_ARGUMENT;
    }
    return tenant_is_at_rest(tenant) ? COTENANT_CONTROL_OK : COTENANT_CONTROL_REFUSED;
}

/* Bytes of memory that a request of the verb without data may be about. */
static uint32_t most_of(uint8_t verb)
{
    return (verb & ON_WORDS) != 0 ? COTENANT_CONTROL_MOST_ZEROS : COTENANT_CONTROL_MOST_DATA;
}

uint16_t control_check(const struct control_link *link)
{
    const struct control_request *request = &link->request;
    bool has_data = request->length != 0;
    uint16_t status;
    uint8_t verb;

    if (request->verb == 0 || request->verb >= VERB_COUNT) {
        return COTENANT_CONTROL_BAD_VERB;
    }
    verb = verbs[request->verb];
    if (has_data != ((verb & WITH_DATA) != 0)) {
        return COTENANT_CONTROL_BAD_LENGTH;
    }
    if (request->reserved != 0 || (request->item != 0 && (verb & WITH_ITEM) == 0) ||
        (request->position != 0 && (verb & WITH_POSITION) == 0)) {
        return COTENANT_CONTROL_BAD_ARGUMENT;
    }
    status = check_rights(link, verb);
    if (status == COTENANT_CONTROL_OK && request->verb == COTENANT_CONTROL_STATE_SET &&
        request->length != sizeof(struct dormant_state)) {
        return COTENANT_CONTROL_BAD_LENGTH;
    }
    if (status != COTENANT_CONTROL_OK || (verb & ON_MEMORY) == 0) {
        return status;
    }
    if (!has_data && (request->item == 0 || request->item > most_of(verb))) {
        return COTENANT_CONTROL_BAD_LENGTH;
    }
    if ((verb & ON_WORDS) != 0 && ((request->position | request->item) & (WORD - 1)) != 0) {
        return COTENANT_CONTROL_BAD_ARGUMENT;
    }
    return check_memory(link, has_data ? request->length : request->item);
}

static void type(struct tenant *tenant, const uint8_t *bytes, uint32_t length, uint32_t *taken)
{
    uint32_t i = 0;

    while (i < length && ring_space(&tenant->uart.receive) != 0) {
        vuart_receive(&tenant->uart, bytes[i++]);
    }
    *taken += i;
    vuart_refresh(tenant);
}

uint16_t control_use(struct control_link *link, const uint8_t *bytes, uint32_t length)
{
    struct tenant *tenant = tenant_of(link);

    if (link->request.verb == COTENANT_CONTROL_CONSOLE_WRITE) {
        if (tenant->state != TENANT_RUNNING) {
            return COTENANT_CONTROL_REFUSED;
        }
        type(tenant, bytes, length, &link->data_taken);
        return COTENANT_CONTROL_OK;
    }
    if (link->request.verb == COTENANT_CONTROL_STATE_SET) {
        memcpy((uint8_t *)&link->answer.body.dormant + link->data_taken, bytes, length);
        link->data_taken += length;
        return COTENANT_CONTROL_OK;
    }
    if (!tenant_is_at_rest(tenant)) {
        return COTENANT_CONTROL_REFUSED;
    }
    physical_copy(link->request.position + link->data_taken, bytes, length);
    tenant->used = true; /* a start from the images clears it first */
    link->data_taken += length;
    return COTENANT_CONTROL_OK;
}

bool control_may_read_on(const struct control_link *link)
{
    return link->request.verb == COTENANT_CONTROL_TRACE_READ || tenant_is_at_rest(tenant_of(link));
}

/*
 * Out of line, as most that follow: what a request asks for does not pay for the registers of the
 * others.
 */
static uint32_t __attribute__((noinline)) version(struct control_version *answer)
{
    *answer = (struct control_version){
        .implementation = COTENANT_SBI_IMPL_VERSION,
        .tenants = tenant_count,
        .harts = bundle->board.hart_count,
        .log_dropped = monitor_log_dropped(),
        .time_ns = nanoseconds_from_ticks(hart_now(hart_self())),
        .trace_size = bundle->trace.ring_size * bundle->board.hart_count,
    };
    return sizeof(*answer);
}

static uint32_t __attribute__((noinline))
tenant(const struct control_link *link, struct control_tenant *answer)
{
    const struct tenant *tenant = tenant_of(link);
    const struct bundle_tenant *description = tenant->description;
    uint32_t rights = COTENANT_RIGHT_SEE;
    struct heartbeats heartbeats = {0};

    heartbeats_shown(tenant, &heartbeats);
    rights |= has(link->may_control, tenant->index) ? COTENANT_RIGHT_CONTROL : 0;
    rights |= tenant->index == link->caller ? COTENANT_RIGHT_SELF : 0;
    *answer = (struct control_tenant){
        .state = tenant->state,
        .rights = rights,
        .vharts = tenant->vhart_count,
        .flags = description->flags,
        .console_used = tenant->uart.transmit.head,
        .console_lost = tenant->uart.transmit_dropped,
        .watch_policy = heartbeats.policy,
        .watch_within_us = (uint32_t)(nanoseconds_from_ticks(heartbeats.within) / 1000),
        .hangs = heartbeats.hangs,
        .group = description->group,
        .entry = description->entry,
        .devicetree = description->devicetree,
    };
    memcpy(answer->name, description->name, sizeof(answer->name));
    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        answer->memory[i].base = description->memory[i].base;
        answer->memory[i].size = description->memory[i].size;
    }
    return sizeof(*answer);
}

static uint32_t __attribute__((noinline))
vhart(const struct vhart *vhart, struct control_vhart *answer)
{
    const struct bundle_vhart *description = vhart->description;
    const struct schedulable *schedulable = &vhart->schedulable;
    const struct hart *hart = vhart->world.hart;
    uint64_t now = hart_now(hart);
    uint64_t stolen = 0;

    steal_time_shown(vhart, &stolen);
    *answer = (struct control_vhart){
        .hart = hart->id,
        .priority = description->priority,
        .started = vhart->state,
        .schedule =
            hart->scheduler.running == schedulable ? COTENANT_SCHEDULE_RUNNING : schedulable->state,
        .time_ns = nanoseconds_from_ticks(now),
        .cpu_ns = nanoseconds_from_ticks(idle_computed(vhart, now)),
        .switches = schedulable->switches,
        .interrupts = vhart->world.interrupts,
        .faults = vhart->faults,
        .stolen_ns = nanoseconds_from_ticks(stolen),
        .slice_us = description->slice_us,
        .budget_us = description->budget_us,
        .period_us = description->period_us,
        .budget_used_us = (uint32_t)(nanoseconds_from_ticks(schedulable->budget_used) / 1000),
        .lateness_ns = nanoseconds_from_ticks(schedulable->lateness),
    };
    return sizeof(*answer);
}

/* The text at the request's position, or the oldest there is behind it. */
static uint32_t text(struct control_link *link, const struct ring *ring, uint32_t window)
{
    struct control_text *header = &link->answer.body.text.header;
    uint32_t position = (uint32_t)link->request.position;
    uint32_t count;

    count = ring_recall(ring, window, &position, link->answer.body.text.bytes, CONTROL_TEXT_BYTES);
    header->position = position;
    header->end = ring->head;
    return (uint32_t)sizeof(*header) + count;
}

static uint16_t trace(struct control_link *link)
{
    const struct bundle_trace *rings = &bundle->trace;
    uint64_t size = rings->ring_size * bundle->board.hart_count;
    uint64_t offset = link->request.position;

    if (offset > size || link->request.item > COTENANT_CONTROL_MOST_DATA) {
        return COTENANT_CONTROL_BAD_ARGUMENT;
    }
    link->memory = rings->base + offset;
    link->memory_left =
        size - offset < link->request.item ? (uint32_t)(size - offset) : link->request.item;
    return COTENANT_CONTROL_OK;
}

static uint16_t __attribute__((noinline)) command(struct control_link *link, uint32_t *length)
{
    if (link->request.item >= COMMAND_COUNT) {
        return COTENANT_CONTROL_BAD_ARGUMENT;
    }
    link->answer.body.number = tenant_of(link)->state;
    if (tenant_commands_take(tenant_of(link), (enum tenant_command)link->request.item)) {
        return COTENANT_CONTROL_OK;
    }
    *length = sizeof(uint32_t);
    return COTENANT_CONTROL_REFUSED;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Goes past the zeros; what is behind them is sent with the answer. */
static uint32_t find(struct control_link *link, struct control_found *answer)
{
    uint64_t position = link->request.position;
    uint32_t left = link->request.item;
    uint32_t piece, zeros;

    do {
        piece = smaller(left, ZEROS_PIECE);
        zeros = (uint32_t)physical_zeros(position, piece);
        position += zeros;
        left -= zeros;
    } while (zeros == piece && left != 0 && !step_is_over());
    if (zeros != piece) {
        link->memory = position;
        link->memory_left = smaller(left, COTENANT_CONTROL_MOST_FOUND);
    }
    answer->position = position;
    return sizeof(*answer);
}

static uint32_t clear(const struct control_link *link, uint32_t *answer)
{
    uint32_t most = link->request.item;
    uint32_t done = 0;

    do {
        uint32_t piece = smaller(most - done, ZEROS_PIECE);

        physical_clear(link->request.position + done, piece);
        done += piece;
    } while (done < most && !step_is_over());
    tenant_of(link)->used = true;
    *answer = done;
    return sizeof(*answer);
}

/* The tenant may have been started since the request was checked. */
static uint16_t __attribute__((noinline)) zeros(struct control_link *link, uint32_t *length)
{
    if (!tenant_is_at_rest(tenant_of(link))) {
        return COTENANT_CONTROL_REFUSED;
    }
    *length = link->request.verb == COTENANT_CONTROL_MEMORY_FIND
                  ? find(link, &link->answer.body.found)
                  : clear(link, &link->answer.body.number);
    return COTENANT_CONTROL_OK;
}

static uint16_t __attribute__((noinline)) state(struct control_link *link, uint32_t *length)
{
    struct dormant_state *dormant = &link->answer.body.dormant;

    if (link->request.verb == COTENANT_CONTROL_STATE_SET) {
        return dormant_restore(tenant_of(link), dormant) ? COTENANT_CONTROL_OK
                                                         : COTENANT_CONTROL_REFUSED;
    }
    if (!dormant_save(tenant_of(link), dormant)) {
        return COTENANT_CONTROL_REFUSED;
    }
    *length = sizeof(*dormant);
    return COTENANT_CONTROL_OK;
}

static uint16_t __attribute__((noinline))
watch(struct tenant *tenant, uint32_t policy, uint64_t within_us)
{
    struct heartbeats_command command = {.policy = policy, .within_us = (uint32_t)within_us};

    if (policy > COTENANT_WATCH_STOP || within_us > UINT32_MAX ||
        (within_us != 0 && within_us < COTENANT_WATCH_LEAST_US)) {
        return COTENANT_CONTROL_BAD_ARGUMENT;
    }
    heartbeats_change(tenant, &command);
    return command.accepted ? COTENANT_CONTROL_OK : COTENANT_CONTROL_REFUSED;
}

uint16_t control_finish(struct control_link *link, uint32_t *length)
{
    const struct control_request *request = &link->request;

    switch (request->verb) {
    case COTENANT_CONTROL_VERSION_GET:
        *length = version(&link->answer.body.version);
        break;
    case COTENANT_CONTROL_TENANT_GET:
        *length = tenant(link, &link->answer.body.tenant);
        break;
    case COTENANT_CONTROL_VHART_GET:
        if (request->item >= tenant_of(link)->vhart_count) {
            return COTENANT_CONTROL_BAD_ARGUMENT;
        }
        *length = vhart(&tenant_of(link)->vharts[request->item], &link->answer.body.vhart);
        break;
    case COTENANT_CONTROL_COMMAND:
        return command(link, length);
    case COTENANT_CONTROL_CONSOLE_READ:
        *length = text(link, &tenant_of(link)->uart.transmit, VUART_TRANSMIT_SIZE);
        break;
    case COTENANT_CONTROL_CONSOLE_WRITE:
        link->answer.body.number = link->data_taken;
        *length = sizeof(uint32_t);
        break;
    case COTENANT_CONTROL_LOG_READ:
        *length = text(link, monitor_log_ring(), MONITOR_LOG_SIZE - monitor_log_draft_length());
        break;
    case COTENANT_CONTROL_TRACE_READ:
        return trace(link);
    case COTENANT_CONTROL_MEMORY_READ:
        link->memory = request->position;
        link->memory_left = request->item;
        break;
    case COTENANT_CONTROL_MEMORY_FIND:
    case COTENANT_CONTROL_MEMORY_CLEAR:
        return zeros(link, length);
    case COTENANT_CONTROL_STATE_GET:
    case COTENANT_CONTROL_STATE_SET:
        return state(link, length);
    case COTENANT_CONTROL_WATCH:
        return watch(tenant_of(link), request->item, request->position);
    default: /* MEMORY_WRITE: done piece by piece */
        break;
    }
    return COTENANT_CONTROL_OK;
}
