/* SPDX-License-Identifier: BSD-2-Clause */
/* Any request of the control protocol with any data, of a caller with any rights. */
#include "core/tenant.h"

#include "arch/memory.h"
#include "arch/vhart_setup.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/ring.h"
#include "features/commands/tenant_commands.h"
#include "tenant_ram.h"

#include "features/control/save_restore.c"
#include "features/control/verbs.c"

#define TENANTS 2
#define VHARTS 2

HAS_NO_ENTRIES(heartbeats_shown);
HAS_NO_ENTRIES(heartbeats_change);
HAS_NO_ENTRIES(steal_time_shown);
HAS_NO_ENTRIES(vhart_is_saved);
HAS_NO_ENTRIES(vhart_is_restored);

static struct control_link link;
static struct bundle system;
static struct vhart own[TENANTS][VHARTS];
static uint8_t bytes[CONTROL_STEP_BYTES];
static uint8_t log_bytes[MONITOR_LOG_SIZE];
static struct ring log_ring;
static uint64_t mtime;
struct hart harts[COTENANT_MAX_HARTS];
struct hart *const proof_hart = &harts[0];

/* A tenant's memory, that is in its RAM. */
void physical_copy(uint64_t destination, const void *source, size_t size)
{
    //@ assert size == 0 || \valid_read((const uint8_t *)source + (0 .. size - 1));
    //@ assert destination >= RAM_FIRST && destination + size <= RAM_END;
    (void)destination;
    (void)source;
    (void)size;
}

void physical_clear(uint64_t destination, size_t size)
{
    //@ assert destination >= RAM_FIRST && destination + size <= RAM_END;
    (void)destination;
    (void)size;
}

size_t physical_zeros(uint64_t source, size_t size)
{
    //@ assert source >= RAM_FIRST && source + size <= RAM_END;
    (void)source;
    return any_up_to((uint32_t)size);
}

void vhart_setup_world(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    //@ assert RAM_FIRST <= address <= RAM_END - 2;
    vhart->world.registers[REGISTER_PC] = address;
    vhart->world.registers[REGISTER_A1] = argument;
}

bool wanted_by_mail(const struct hart *hart)
{
    (void)hart;
    return any_bool();
}

bool shared_lock_has_waiting(void)
{
    return any_bool();
}

bool tenant_commands_take(struct tenant *of, enum tenant_command command)
{
    //@ assert command < COMMAND_COUNT;
    of->state = (enum tenant_state)any_up_to(TENANT_LOADING);
    (void)command;
    return any_bool();
}

void vuart_refresh(struct tenant *of)
{
    of->uart_level = any_bool();
}

uint64_t idle_computed(const struct vhart *vhart, uint64_t now)
{
    return vhart->schedulable.switches + now;
}

const struct ring *monitor_log_ring(void)
{
    return &log_ring;
}

uint32_t monitor_log_draft_length(void)
{
    return any_up_to(MONITOR_LOG_SIZE);
}

uint32_t monitor_log_dropped(void)
{
    return any32();
}

static void set_up_tenant(unsigned index)
{
    struct tenant *one = &tenants[index];

    one->description = &system.tenants[index];
    one->index = index;
    one->vharts = own[index];
    one->vhart_count = 1 + any_up_to(VHARTS - 1);
    one->state = (enum tenant_state)any_up_to(TENANT_LOADING);
    vuart_init(&one->uart);
    one->uart.transmit.head = any32();
    one->uart.receive.head = any32();
    //@ loop unroll VHARTS;
    for (unsigned i = 0; i < VHARTS; i++) {
        own[index][i].tenant = one;
        own[index][i].description = &system.vharts[i];
        own[index][i].world.hart = &harts[0];
        own[index][i].world.vhart_id = i;
        own[index][i].state = (enum vhart_state)any_up_to(VHART_RESUME_PENDING);
        own[index][i].schedulable.budget_used = any64();
    }
}

static void set_up(void)
{
    MAKE_ANY(system);
    system.board.timebase_hz = 32768 + any_up_to(UINT32_MAX - 32768); /* checked at boot */
    bundle = &system;
    mtime = any64();
    harts[0].mtime = &mtime;
    MAKE_ANY(log_bytes);
    ring_init(&log_ring, log_bytes, MONITOR_LOG_SIZE);
    log_ring.head = any32();
    tenant_count = (uint32_t)Frama_C_interval_split(1, TENANTS);
    set_up_tenant(0);
    set_up_tenant(1);
}

/* As control.c calls them. */
static void serve(void)
{
    uint32_t length;

    if (control_check(&link) != COTENANT_CONTROL_OK) {
        return;
    }
    if (link.request.length != 0) {
        link.data_taken = any_up_to(link.request.length);
        length = any_up_to(link.request.length - link.data_taken);
        MAKE_ANY(bytes);
        if (length <= CONTROL_STEP_BYTES &&
            control_use(&link, bytes, length) != COTENANT_CONTROL_OK) {
            return;
        }
    }
    length = 0;
    if (control_finish(&link, &length) == COTENANT_CONTROL_OK) {
        //@ assert length <= sizeof(union control_body);
        (void)control_may_read_on(&link);
    }
}

int main(void)
{
    set_up();
    MAKE_ANY(link);
    link.caller = any_up_to(CONTROL_OUTSIDE);
    link.request.verb = (uint8_t)Frama_C_interval_split(0, COTENANT_CONTROL_MEMORY_CLEAR + 1);
    link.request.length = any_up_to(COTENANT_CONTROL_MOST_DATA);
    /* Each of the two by itself, or none that there is. */
    switch (any_up_to(TENANTS)) {
    case 0:
        link.request.tenant = 0;
        serve();
        break;
    case 1:
        link.request.tenant = 1;
        serve();
        break;
    default:
        link.request.tenant = TENANTS + any_up_to(UINT32_MAX - TENANTS);
        serve();
        break;
    }
    return 0;
}
