/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any accesses of a host to its registers for guests, with any requests and run pages, and any of
 * its guest to what is not its memory, in any order with the ends of turns, vharts and tenants.
 */
#include "asked_vharts.h"
#include "one_hart.h"
#include "tenant_ram.h"

#include "arch/guest_memory.h"
#include "arch/protection.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "sbi/sbi.h"

#include "features/hosted/protect.c"
#include "features/hosted/registers.c"
#include "features/hosted/requests.c"
#include "features/hosted/slots.c"
#include "features/hosted/turns.c"

#define HOST_VHARTS 2
#define GUESTS 1
#define GUEST_VHARTS 1
#define ENTRIES 4
#define FIRST_OF_GUESTS HOST_VHARTS
#define VHARTS (HOST_VHARTS + GUESTS * GUEST_VHARTS)

HAS_NO_ENTRIES(vhart_begins);

struct vhart vharts[COTENANT_MAX_VHARTS];

static struct bundle system;
static struct vplic plics[COTENANT_MAX_TENANTS];

/* What guests reach of the core and of other features: objects that there are, and no more. */

static void is_guests(struct tenant *tenant)
{
    //@ assert tenant == &tenants[1];
    tenant->state = (enum tenant_state)any_up_to(TENANT_LOADING);
}

void tenant_halt(struct tenant *tenant, enum tenant_state state)
{
    (void)state;
    is_guests(tenant);
}

bool tenant_is_at_rest(const struct tenant *tenant)
{
    (void)tenant;
    return any_bool();
}

void vhart_setup_world(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    is_vhart(vhart);
    vhart->world.registers[REGISTER_PC] = address;
    vhart->world.registers[REGISTER_A0 + 1] = argument;
}

bool vplic_add_virtual(struct vplic *vplic, uint32_t source)
{
    //@ assert \valid(vplic) && source < COTENANT_HOSTED_SOURCES;
    (void)vplic;
    (void)source;
    return true;
}

bool vplic_set_level(struct vplic *vplic, uint32_t source, bool high)
{
    (void)high;
    return vplic_add_virtual(vplic, source);
}

void vplic_lower_lines(struct vplic *vplic)
{
    (void)vplic_add_virtual(vplic, 0);
}

void routing_refresh(struct tenant *tenant)
{
    //@ assert \valid(tenant);
    (void)tenant;
}

void fp_claim(struct vhart *vhart)
{
    is_vhart(vhart);
}

void fp_drop(struct vhart *vhart)
{
    is_vhart(vhart);
}

bool vector_is_in_hart(const struct vhart *vhart)
{
    is_vhart(vhart);
    return any_bool();
}

void schedule_start(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    //@ assert \valid(scheduler) && \valid(entity);
    (void)scheduler;
    (void)entity;
    (void)now;
}

void insert_waiting(struct scheduler *scheduler, struct schedulable *entity,
                    enum schedulable_state state, uint64_t wake)
{
    (void)state;
    (void)wake;
    schedule_start(scheduler, entity, 0);
}

void schedule_stop(struct scheduler *scheduler, struct schedulable *entity)
{
    schedule_start(scheduler, entity, 0);
}

void schedule_wake(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    schedule_start(scheduler, entity, now);
}

void protection_write_address(uint32_t entry, uint64_t value)
{
    //@ assert entry < COTENANT_PMP_ENTRIES;
    (void)entry;
    (void)value;
}

uint32_t guest_fetch_native(uint64_t address)
{
    (void)address;
    return any32();
}

/* As its own proof says. */
bool instruction_decode(uint32_t instruction, bool store, struct memory_access *access)
{
    (void)instruction;
    (void)store;
    access->reg = any_up_to(31);
    access->size = 1u << any_up_to(3);
    access->length = any_bool() ? 2 : 4;
    access->sign_extend = any_bool();
    return any_bool();
}

world_change guest_asks(struct hart *hart, struct vhart *vhart, uint64_t address, bool store)
{
    (void)hart;
    (void)vhart;
    (void)address;
    (void)store;
    return NO_CHANGE;
}

world_change guest_lend_again(struct hart *hart, struct vhart *host, uint64_t address, bool store)
{
    return guest_asks(hart, host, address, store);
}

static void make(struct vhart *vhart, uint32_t index, struct tenant *tenant, uint32_t id)
{
    vhart->index = index;
    vhart->tenant = tenant;
    vhart->world.hart = &harts[0];
    vhart->world.vhart_id = id;
    vhart->keeps_registers = any_bool();
    vhart->brings_registers = any_bool();
    vhart->has_vectors = any_bool();
}

/* As make_slot() and make_vhart() do at boot; a vhart with a token has a run page. */
static void make_guest(uint32_t number)
{
    struct guest *guest = &guests[number];
    struct tenant *tenant = &tenants[1 + number];
    uint32_t first = FIRST_OF_GUESTS + number * GUEST_VHARTS;

    guest->tenant = tenant;
    guest->host = &tenants[0];
    guest->description.flags = any32();
    guest->description.plic_base = any64();
    tenant->description = &guest->description;
    tenant->index = 1 + number;
    tenant->vharts = &vharts[first];
    tenant->vhart_count = GUEST_VHARTS;
    tenant->plic = &plics[number];
    for (uint32_t id = 0; id < GUEST_VHARTS; id++) {
        struct guest_vhart *own = &guest_vharts[first + id];

        own->vhart = &vharts[first + id];
        own->turn_address = any64();
        own->run = (volatile struct hosted_run *)(RAM_FIRST + COTENANT_HOSTED_PAGE * id);
        own->description.id = id;
        vharts[first + id].description = &own->description;
        make(&vharts[first + id], first + id, tenant, id);
    }
}

/* As features/hosted/check_guests.c lets it be. */
static void set_up(void)
{
    struct bundle_tenant *host = &system.tenants[0];

    MAKE_ANY(system);
    system.tenant_count = 1;
    system.vhart_count = HOST_VHARTS;
    system.board.pmp_entries = COTENANT_PMP_ENTRIES;
    host->guest_count = GUESTS;
    host->guest_vharts = GUEST_VHARTS;
    host->guest_entries = ENTRIES;
    host->guest_base = COTENANT_HOSTED_PAGE * (uint64_t)any32();
    bundle = &system;
    tenant_count = 1 + GUESTS;
    tenants[0].description = host;
    tenants[0].vharts = vharts;
    tenants[0].vhart_count = HOST_VHARTS;
    for (uint32_t i = 0; i < HOST_VHARTS; i++) {
        vharts[i].description = &system.vharts[i];
        make(&vharts[i], i, &tenants[0], i);
    }
    for (uint32_t number = 0; number < GUESTS; number++) {
        make_guest(number);
    }
}

/* What runs in between may do to them. */
static void pass_time(void)
{
    pass_moment();
    for (uint32_t i = 0; i < VHARTS; i++) {
        MAKE_ANY(vharts[i].world.registers);
        vharts[i].world.mstatus = any64();
        vharts[i].state = (enum vhart_state)any_up_to(VHART_RESUME_PENDING);
        vharts[i].schedulable.switches = any64();
        vharts[i].schedulable.state = (enum schedulable_state)any_up_to(SCHEDULABLE_THROTTLED);
        vharts[i].schedulable.wake = any64();
    }
    for (uint32_t i = 0; i <= GUESTS; i++) {
        tenants[i].state = (enum tenant_state)any_up_to(TENANT_LOADING);
        tenants[i].crash[CRASH_CAUSE] = any64();
        tenants[i].outcome.state = (enum tenant_state)any_up_to(TENANT_LOADING);
    }
}

static void call_of_host(struct vhart *host)
{
    uint32_t size = 1u << Frama_C_interval_split(0, 3);
    uint64_t value = any64();

    switch (any_up_to(3)) {
    case 0:
        (void)access_hosted(host, host->tenant->description->guest_base + any_up_to(0xfff), size,
                            any_bool(), &value);
        break;
    case 1:
        (void)access_hosted(host, any64(), size, any_bool(), &value);
        break;
    case 2:
        leaves(host->tenant);
        break;
    default:
        ends(host);
        break;
    }
}

static void call_of_guest(struct vhart *vhart)
{
    uint64_t value = any64();

    if (any_bool() && guest_vhart_of(vhart)->host != NULL &&
        is_of_process(vhart->tenant, any64())) {
        (void)leave_to_process(vhart, any64(), 1u << any_up_to(3), any_bool(), &value);
        return;
    }
    switch (any_up_to(4)) {
    case 0:
        leaves(vhart->tenant);
        break;
    case 1:
        ends(vhart);
        break;
    case 2:
        loses_hart(vhart);
        break;
    case 3:
        is_asked(vhart);
        break;
    default:
        if (guest_vhart_of(vhart)->host != NULL) {
            gets_hart(vhart);
        }
        break;
    }
}

int main(void)
{
    set_up();
    while (any_bool()) {
        int vhart = Frama_C_interval_split(0, VHARTS - 1);

        pass_time();
        //@ split vhart;
        if (vhart < HOST_VHARTS) {
            call_of_host(&vharts[vhart]);
        } else {
            call_of_guest(&vharts[vhart]);
        }
        //@ merge vhart;
    }
    return 0;
}
