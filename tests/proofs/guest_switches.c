/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any SBI call of a guest with two vharts, any load or store by which it asks for a device, and any
 * store of its host that may give it its next turn, with run pages that are any value at each read.
 * On one hart, beside two vharts of other tenants that may be ready or wait.
 */
#include "asked_vharts.h"
#include "one_hart.h"
#include "tenant_ram.h"

#include "core/messages.h"
#include "sbi/sbi.h"

#include "features/hosted/calls.c"
#include "features/hosted/switches.c"

#define OTHERS 2
#define GUEST_VHARTS 2
#define FIRST_OF_GUEST (1 + OTHERS)

/* Moments at which the others wake: only their order matters. */
#define FIRST_WAKES 100
#define SECOND_WAKES 200

struct vhart vharts[COTENANT_MAX_VHARTS];
struct guest guests[COTENANT_HOSTED_MAX_SLOTS];
struct guest_vhart guest_vharts[COTENANT_MAX_VHARTS];
struct guest_vhart *guest_last[COTENANT_MAX_VHARTS];

static struct bundle system;
static uint64_t mtimecmp;
static uint32_t msip;
static uint32_t threshold;
static struct vhart *const host = &vharts[0];
static struct vhart *const guest = &vharts[FIRST_OF_GUEST];
static struct scheduler *const scheduler = &harts[0].scheduler;

/* More than it may answer. */
long sbi_hart_mask(const struct tenant *tenant, uint64_t mask, uint64_t base, uint64_t *targets)
{
    (void)tenant;
    (void)mask;
    (void)base;
    if (any_bool()) {
        return SBI_ERR_INVALID_PARAM;
    }
    *targets = any64();
    return SBI_SUCCESS;
}

struct sbi_result sbi_base(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    (void)function;
    (void)arguments;
    is_vhart(vhart);
    return sbi_value(any64());
}

/* The monitor's own handler of any other extension. */
static struct sbi_result serves(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    return sbi_base(vhart, function, arguments);
}

/* The end of a turn: only of one that there is. */
void guest_exit(struct vhart *vhart, uint32_t reason)
{
    struct guest_vhart *own = guest_vhart_of(vhart);

    //@ assert \valid(own) && \valid(own->host);
    own->run->reason = reason;
    own->host = NULL;
}

SBI_EXTENSION(SBI_EXT_BASE, sbi_base, SBI_AT_ONCE);
static const struct sbi_extension time = {SBI_EXT_TIME, serves, SBI_AT_ONCE};
static const struct sbi_extension ipi = {SBI_EXT_IPI, serves, SBI_GIVES_WAY};
static const struct sbi_extension rfence = {SBI_EXT_RFENCE, serves, SBI_GIVES_WAY};
static const struct sbi_extension harts_of_tenant = {SBI_EXT_HSM, serves, SBI_SHARED};
const struct sbi_extension *sbi_slots[SBI_SLOTS] = {&sbi_base_extension, &time, &ipi, &rfence,
                                                    &harts_of_tenant};

static void make(struct vhart *vhart, uint32_t index, struct tenant *tenant, uint32_t id)
{
    vhart->index = index;
    vhart->tenant = tenant;
    vhart->world.hart = &harts[0];
    vhart->world.vhart_id = id;
}

static void set_up(void)
{
    MAKE_ANY(system);
    bundle = &system;
    harts[0].mtimecmp = &mtimecmp;
    harts[0].msip = &msip;
    harts[0].plic_threshold = &threshold;
    for (uint32_t i = 0; i < FIRST_OF_GUEST; i++) {
        vharts[i].description = &system.vharts[i];
        make(&vharts[i], i, &tenants[i], 0);
    }
    tenants[FIRST_OF_GUEST].vharts = guest;
    tenants[FIRST_OF_GUEST].vhart_count = GUEST_VHARTS;
    for (uint32_t id = 0; id < GUEST_VHARTS; id++) {
        struct guest_vhart *own = &guest_vharts[FIRST_OF_GUEST + id];

        own->vhart = &guest[id];
        own->run = (volatile struct hosted_run *)(RAM_FIRST + COTENANT_HOSTED_PAGE * id);
        guest[id].description = &own->description;
        make(&guest[id], FIRST_OF_GUEST + id, &tenants[FIRST_OF_GUEST], id);
    }
}

/* What the guest and its host have got, and how its last turn was left. */
static void pass_time(void)
{
    pass_moment();
    MAKE_ANY(host->world.registers);
    host->world.mstatus = any64();
    host->world.deadline = any64();
    harts[0].attended_vharts = any32();
    harts[0].event_deadline = any64();
    for (uint32_t id = 0; id < GUEST_VHARTS; id++) {
        struct guest_vhart *own = &guest_vharts[FIRST_OF_GUEST + id];

        MAKE_ANY(guest[id].world.registers);
        guest[id].world.deadline = any64();
        guest[id].schedulable.priority = any32();
        own->turn_address = any64();
        own->host_switches = any64();
        own->host_event = any64();
        own->owes = (enum guest_owes)any_up_to(GUEST_IS_REFUSED);
        own->fp_status = any64();
        own->access.reg = any_up_to(31);
        own->access.length = any_up_to(4);
        own->store_pc = any64();
        own->store.reg = any_up_to(31);
        own->store.length = any_up_to(4);
        own->called = any_up_to(1);
        own->view = any64();
        own->token = any32();
        own->host = any_bool() ? host : NULL;
    }
}

static void ready(struct vhart *first, struct vhart *second, struct vhart *third)
{
    scheduler->ready = scheduler->running = &first->schedulable;
    first->schedulable.state = SCHEDULABLE_READY;
    first->schedulable.next = second == NULL ? NULL : &second->schedulable;
    if (second != NULL) {
        second->schedulable.state = SCHEDULABLE_READY;
        second->schedulable.next = third == NULL ? NULL : &third->schedulable;
    }
    if (third != NULL) {
        third->schedulable.state = SCHEDULABLE_READY;
        third->schedulable.next = NULL;
    }
}

static void wait(struct vhart *vhart, uint64_t wake)
{
    vhart->schedulable.priority = any32();
    insert_in_line(scheduler, &vhart->schedulable, SCHEDULABLE_WAITING, wake);
}

/* None of the others waits, the first, the second or both. Returns one that is ready, or NULL. */
static struct vhart *others(int waiting, bool one_is_ready)
{
    if (waiting & 1) {
        wait(&vharts[1], FIRST_WAKES);
    }
    if (waiting & 2) {
        wait(&vharts[2], SECOND_WAKES);
    }
    return one_is_ready && waiting != 3 ? &vharts[waiting == 1 ? 2 : 1] : NULL;
}

/* A list has an end: one that goes around would be walked for ever. */
static bool is_in(const struct schedulable *list, const struct vhart *vhart)
{
    const struct schedulable *entity = list;
    bool found = false;

    for (unsigned steps = 0; entity != NULL; steps++) {
        //@ assert steps < FIRST_OF_GUEST + 1;
        found |= entity == &vhart->schedulable;
        entity = entity->next;
    }
    return found;
}

/* `first` has the hart now, and the one that was ready beside the two still is. */
static void check_lists(const struct vhart *first, const struct vhart *peer, bool host_waits)
{
    bool has_peer = peer == NULL || is_in(scheduler->ready, peer);
    bool waits = is_in(scheduler->waiting, host);

    //@ assert scheduler->ready == &first->schedulable && scheduler->running == scheduler->ready;
    //@ assert has_peer && waits == host_waits;
    (void)first;
    (void)has_peer;
    (void)waits;
    (void)host_waits;
}

/* The host makes a store. */
static void host_lends(int waiting, bool has_peer, bool interrupted)
{
    struct vhart *peer = others(waiting, has_peer);
    world_change change;

    if (interrupted) { /* in a turn, after which the guest is ready still */
        guest_vharts[FIRST_OF_GUEST].host = host;
        ready(host, guest, peer);
    } else {
        ready(host, peer, NULL);
    }
    change = guest_lend_again(&harts[0], host, any64(), true);
    if (change != NO_CHANGE) {
        //@ assert guest_vharts[FIRST_OF_GUEST].host == host;
        check_lists(guest, peer, true);
    }
}

/* The guest asks for a device, in its turn: its host waits, before, between or behind others. */
static void guest_runs(int waiting, int place, bool has_peer)
{
    static const uint64_t moments[] = {FIRST_WAKES - 1, FIRST_WAKES + 1, SECOND_WAKES + 1};
    struct vhart *peer = others(waiting, has_peer);
    world_change change;

    guest_vharts[FIRST_OF_GUEST].host = host;
    wait(host, moments[place]);
    ready(guest, peer, NULL);
    change = guest_asks(&harts[0], guest, any64(), any_bool());
    if (change != NO_CHANGE) {
        //@ assert guest_vharts[FIRST_OF_GUEST].host == \null;
        check_lists(host, peer, false);
    }
}

static void guest_calls_monitor(int slot)
{
    const struct sbi_extension *extension = guest_calls()[slot];

    guest_vharts[FIRST_OF_GUEST].host = host;
    if (extension != NULL) {
        (void)extension->handler(guest, any64(), &guest->world.registers[REGISTER_A0]);
    }
}

int main(void)
{
    int waiting = Frama_C_interval_split(0, 3);
    int choice = Frama_C_interval_split(0, 2);
    int place = Frama_C_interval_split(0, 2);
    int slot = Frama_C_interval_split(0, SBI_SLOTS - 1);
    bool flag = Frama_C_interval_split(0, 1) != 0;
    bool has_peer = Frama_C_interval_split(0, 1) != 0;

    set_up();
    pass_time();
    switch (choice) {
    case 0:
        guest_last[host->index] = any_bool() ? &guest_vharts[FIRST_OF_GUEST] : NULL;
        host_lends(waiting, has_peer, flag);
        break;
    case 1:
        guest_runs(waiting, place, has_peer);
        break;
    default:
        guest_calls_monitor(slot);
        break;
    }
    return 0;
}
