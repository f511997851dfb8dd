/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can happen to a group of two or three tenants, in each state that its members and what is
 * wanted of it can be in: afterwards one of them is the active one, and only that one may run.
 */
#include "any_lock.h"
#include "asked_vharts.h"
#include "cases.h"
#include "log_parts.h"
#include "one_hart.h"

#include "core/recorder.h"

/* Of a message, each part by itself: those that follow are told from the state that it leaves. */
static bool tells;
#define step_is_over() (tells || any_bool())

#include "features/foreground/foreground.c"

#define TENANTS 3
#define VHARTS 2

/* By tenant: its group. */
static const uint32_t groupings[][TENANTS] = {
    {0, 0, 0},
    {0, 0, 1},
    {0, 1, 0},
    {0, 0, COTENANT_NONE},
};
#define GROUPINGS 4

enum operation {
    ENDS,
    IS_TAKEN,
    IS_ASKED_FOR,
    SUSPENDS,
    GOES_ON,
    REFUSES,
    NAP_ENDS,
    STEP,
    OPERATIONS,
};

/* Of each operation: who it is for, who is active and who is wanted. Two of them have more. */
#define CASES (GROUPINGS * TENANTS * TENANTS * (TENANTS + 1))
#define NEWS_CASES (NEWS_STARTS + 2)

static struct bundle system;
static struct vhart own[TENANTS][VHARTS];
static struct group *const ours = &groups[0];
const struct foreground_policy *foreground_policy;
const struct recorder *recorder;
struct suspend suspends[COTENANT_MAX_VHARTS];

static bool is_member(const struct tenant *tenant)
{
    return tenant->description->group == 0;
}

/* One of so many values, from 0 on. What a function returned would be as many cases. */
#define ANY_OF(count) (any_value % (count))

static const enum tenant_state without_harts[] = {
    TENANT_EMPTY, TENANT_LOADED, TENANT_DORMANT, TENANT_STOPPED, TENANT_CRASHED, TENANT_LOADING,
};

/* The active one of its group, or of a group that is not looked at. */
static void is_active(const struct tenant *tenant)
{
    //@ assert tenant == ours->active || tenant->description->group != 0;
    (void)tenant;
}

/* Of the group's members, none but the active one has a hart. */
static void check(void)
{
    for (unsigned i = 0; i < TENANTS; i++) {
        const struct tenant *tenant = &tenants[i];

        if (is_member(tenant) && tenant != ours->active) {
            //@ assert tenant->state != TENANT_RUNNING && tenant->state != TENANT_STOPPING;
        }
    }
    //@ assert ours->active->description->group == 0 && ours->wanted != ours->active;
    //@ assert ours->wanted == \null || ours->wanted->description->group == 0;
}

static void change_by_others(void)
{
}

/* What is called of the rest. */

bool lifecycle_is_quitting(void)
{
    return any_bool();
}

void work_post(void)
{
}

bool give_back_step(struct tenant *tenant)
{
    //@ assert tenant->state == TENANT_RUNNING;
    is_active(tenant);
    return any_bool();
}

/* What the group shares: nobody else has a hart, who could use it. */
void tenant_take_sources(const struct tenant *tenant)
{
    is_active(tenant);
    check();
}

bool tenant_open_memory(const struct tenant *tenant, bool open)
{
    is_active(tenant);
    (void)open;
    return any_bool();
}

void tenant_prepare(struct tenant *tenant, enum tenant_purpose purpose)
{
    //@ assert tenant->state != TENANT_RUNNING && tenant->state != TENANT_LOADING;
    is_active(tenant);
    (void)purpose;
    tenant->state = TENANT_RUNNING;
}

void tenant_become_dormant(struct vhart *vhart)
{
    //@ assert ours->given_back;
    is_active(vhart->tenant);
    vhart->tenant->state = TENANT_DORMANT;
}

struct vhart *tenant_resume(struct tenant *tenant)
{
    //@ assert tenant->state == TENANT_DORMANT;
    is_active(tenant);
    tenant->state = TENANT_RUNNING;
    return any_bool() ? tenant->vharts : NULL;
}

/* The devices are its own by now. */
void vhart_resume_here(struct vhart *vhart)
{
    //@ assert ours->taken_over;
    is_active(vhart->tenant);
}

/* Whether who is halted has ended when this returns. */
static bool ends_at_once;

void tenant_halt(struct tenant *tenant, enum tenant_state outcome)
{
    tenant->state = TENANT_STOPPING;
    if (ends_at_once) {
        tenant->state = outcome;
        ended(tenant);
    }
}

void vhart_end_nap(struct vhart *vhart)
{
    is_active(vhart->tenant);
}

void schedule_wake(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    //@ assert \valid(scheduler) && \valid(entity);
    (void)scheduler;
    (void)entity;
    (void)now;
}

static void changes_hands(struct tenant *tenant, const struct tenant *before)
{
    is_active(tenant);
    //@ assert before->description->group == tenant->description->group;
    (void)before;
}

HOOK(tenant_takes_over, changes_hands);
HAS_ENTRIES(tenant_takes_over, &tenant_takes_over_changes_hands);
HAS_NO_ENTRIES(tenant_leaves);
HAS_NO_ENTRIES(tenant_is_asked_to_suspend);

static void set_up(void)
{
    MAKE_ANY(system);
    system.board.timebase_hz = 32768 + any_up_to(UINT32_MAX - 32768); /* checked at boot */
    bundle = &system;
    tenant_count = TENANTS;
    for (unsigned i = 0; i < TENANTS; i++) {
        tenants[i].description = &system.tenants[i];
        tenants[i].index = i;
        tenants[i].vharts = own[i];
        tenants[i].vhart_count = VHARTS;
        for (unsigned n = 0; n < VHARTS; n++) {
            own[i][n].tenant = &tenants[i];
            own[i][n].index = VHARTS * i + n;
            own[i][n].world.hart = &harts[n];
        }
    }
}

/* As at boot, and then the group as something before may have left it. */
static void make(const uint32_t *grouping, struct tenant *active, struct tenant *wanted,
                 struct tenant *next)
{
    pass_moment();
    harts[0].features = 0; /* it is not alone */
    harts[1].mtime = harts[0].mtime;
    for (unsigned i = 0; i < TENANTS; i++) {
        system.tenants[i].group = grouping[i];
        tenants[i].state = TENANT_LOADED;
        for (unsigned n = 0; n < VHARTS; n++) {
            own[i][n].state = (enum vhart_state)ANY_OF(VHART_RESUME_PENDING + 1);
            own[i][n].attended = any32();
            suspends[VHARTS * i + n].of_system = ANY_OF(2) != 0;
            suspends[VHARTS * i + n].nap_pc = any64();
        }
    }
    begin();
    check();
    for (unsigned i = 0; i < TENANTS; i++) {
        tenants[i].state = without_harts[ANY_OF(6)];
    }
    active->state = (enum tenant_state)ANY_OF(TENANT_LOADING + 1);
    ours->active = active;
    ours->wanted = wanted;
    ours->next = next;
    ours->before = active;
    ours->asked_for = next;
    ours->refusal = "any";
    ours->given_back = ANY_OF(2) != 0;
    ours->taken_over = ANY_OF(2) != 0;
    ours->wanted_since = any64();
    ours->is_refused = ANY_OF(2) != 0;
    ours->patience_is_over = ANY_OF(2) != 0;
}

/* A piece of news of a member, or none, that is to be told. */
static void step(const struct tenant *tenant)
{
    unsigned news = pick(NEWS_CASES);

    if (is_member(tenant) && news <= NEWS_STARTS) {
        note(tenant, (enum news)news);
    }
    tells = true;
    telling.tenant = any_bool() ? NULL : &tenants[any_up_to(TENANTS - 1)];
    telling.text = "any";
    telling.other = any_bool() ? NULL : &tenants[any_up_to(TENANTS - 1)];
    telling.parts.told = any_up_to(MONITOR_LOG_PARTS_BEGUN + 1);
    (void)foreground_deadline();
    (void)foreground_step(any64());
    //@ assert telling.tenant == \null || telling.text != \null;
}

/* To that tenant; who leaves or comes is the active one, with another one to follow. */
static void operate(enum operation operation, struct tenant *tenant)
{
    bool active = tenant == ours->active;

    switch (operation) {
    case ENDS:
        tenant->state = without_harts[ANY_OF(6)];
        ended(tenant);
        break;
    case IS_TAKEN:
        if (is_free_for(tenant)) {
            take(tenant);
        }
        break;
    case IS_ASKED_FOR:
        (void)request(tenant);
        break;
    case SUSPENDS:
        if (active || !is_member(tenant)) {
            tenant->state = TENANT_RUNNING;
            (void)suspend_now(tenant->vharts, any64(), any64());
        }
        break;
    case GOES_ON:
        if (active && ours->next != tenant) {
            go_on(tenant->vharts);
        }
        break;
    case REFUSES:
        refused(tenant, "any");
        break;
    case NAP_ENDS:
        end_nap_here(&tenant->vharts[any_up_to(VHARTS - 1)]);
        break;
    default:
        (void)has_devices(tenant);
        step(tenant);
        break;
    }
}

static void try_case(enum operation operation)
{
    const uint32_t *grouping = groupings[pick(GROUPINGS)];
    unsigned tenant = pick(TENANTS), active = pick(TENANTS), wanted = pick(TENANTS + 1);
    unsigned next = operation == GOES_ON ? pick(TENANTS) : active;

    ends_at_once = operation == STEP && pick(2) != 0;
    if (grouping[active] != 0 || grouping[next] != 0 || wanted == active ||
        (wanted < TENANTS && grouping[wanted] != 0)) {
        return;
    }
    tells = false;
    make(grouping, &tenants[active], wanted < TENANTS ? &tenants[wanted] : NULL, &tenants[next]);
    operate(operation, &tenants[tenant]);
    check();
    //@ assert !lock_is_held;
}

/* The analysis keeps what a loop has seen: with many rounds in one it is slow. */
#define ROUNDS 36

static void try_some(enum operation operation, unsigned first)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        digits = first + i;
        try_case(operation);
        //@ slevel merge;
        digits = 0;
    }
}

static void try_operation(enum operation operation)
{
    unsigned cases = CASES;

    cases *= operation == GOES_ON ? TENANTS : operation == STEP ? 2 * NEWS_CASES : 1;
    //@ loop unroll CASES;
    for (unsigned first = 0; first < cases; first += ROUNDS) {
        try_some(operation, first);
    }
}

int main(void)
{
    set_up();
    //@ loop unroll OPERATIONS;
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        try_operation((enum operation)operation);
    }
    return 0;
}
