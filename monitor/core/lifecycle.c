/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lifecycle.h"

#include "arch/vhart_setup.h"
#include "core/feature.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/messages.h"
#include "core/recorder.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "core/work.h"

/* What the user has asked for. */
static bool quitting;
static bool kept_on;

/* Steps of the loader in a row if no vhart wants the hart: the scheduler takes as long as one. */
#define MOST_LOADER_STEPS 16

/* Lets the vhart, which is of this hart and in no schedule, have it. */
static void get_hart(struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    hart->reschedule = true;
    schedule_start(&hart->scheduler, &vhart->schedulable, hart_now(hart));
}

/* Lets a vhart have its hart for what there is to do before it runs: the loading, or a switch. */
static void begin_preparing(struct vhart *vhart)
{
    vhart->loading = true;
    get_hart(vhart);
}

static void prepare_loading(struct tenant *tenant, enum tenant_purpose purpose)
{
    bool is_loaded = tenant->state == TENANT_LOADED && purpose == TENANT_TO_RUN;

    record_tenant(tenant, COTENANT_TRACE_TENANT_LOADING);
    tenant->state = purpose == TENANT_TO_RUN ? TENANT_RUNNING : TENANT_LOADING;
    tenant->purpose = purpose;
    tenant->uart.closed = purpose != TENANT_TO_RUN;
    work_post();
    loader_begin(&tenant->loader, !is_loaded && (tenant->used || purpose == TENANT_TO_DESTROY),
                 !is_loaded && purpose != TENANT_TO_DESTROY);
    tenant->used = true;
}

void tenant_prepare(struct tenant *tenant, enum tenant_purpose purpose)
{
    prepare_loading(tenant, purpose);
    if (hart_is_self(tenant->vharts[0].world.hart)) {
        begin_preparing(&tenant->vharts[0]);
    } else {
        messages_post(&tenant->vharts[0], REQUEST_LOAD);
    }
}

void tenant_start_at_boot(struct tenant *tenant)
{
    prepare_loading(tenant, TENANT_TO_RUN);
    begin_preparing(&tenant->vharts[0]);
}

static bool is_being_loaded(const struct tenant *tenant)
{
    return tenant->state == TENANT_RUNNING || tenant->state == TENANT_LOADING;
}

void tenant_load_here(struct tenant *tenant)
{
    struct vhart *first = &tenant->vharts[0];

    if (is_being_loaded(tenant) && tenant->loader.phase != LOADER_IDLE && !first->loading) {
        begin_preparing(first);
    }
}

/* Without units that confine devices they reach it all the time. */
__attribute__((weak)) bool tenant_open_memory(const struct tenant *tenant, bool open)
{
    (void)tenant;
    (void)open;
    return true;
}

/* The loader has done its work. Interrupts are looked at before the first vhart starts: a step
 * more. */
static void finish_loading(struct tenant *tenant)
{
    struct vhart *first = &tenant->vharts[0];

    if (!is_being_loaded(tenant)) {
        return; /* another hart stops it: the message is on its way */
    }
    if (tenant->purpose == TENANT_TO_RUN && tenant->loader.phase == LOADER_DONE) {
        record_tenant(tenant, COTENANT_TRACE_TENANT_STARTED);
        tenant->lives++;
        tenant_begins(tenant);
        work_post();
        tenant->loader.phase = LOADER_STARTS;
        return;
    }
    if (HAS(bus_protection) && tenant->purpose == TENANT_TO_RUN &&
        !tenant_open_memory(tenant, true)) {
        return;
    }
    tenant->loader.phase = LOADER_IDLE;
    first->loading = false;
    schedule_stop(&first->world.hart->scheduler, &first->schedulable);
    if (tenant->purpose == TENANT_TO_RUN) {
        vhart_prepare_start(first, tenant->description->entry, tenant->description->devicetree);
        vhart_start_here(first);
    } else {
        tenant->state = tenant->purpose == TENANT_TO_LOAD ? TENANT_LOADED : TENANT_EMPTY;
    }
}

void tenant_load_step(struct tenant *tenant)
{
    struct hart *hart = tenant->vharts[0].world.hart;
    unsigned steps = 0;

    /* A tenant could see to it that the hart is always wanted: every other call goes on. */
    if (hart_is_wanted() && !tenant->loader.waited) {
        tenant->loader.waited = true;
        return;
    }
    tenant->loader.waited = false;
    do {
        if (tenant->loader.phase >= LOADER_DONE) {
            shared_enter(hart);
            finish_loading(tenant);
            shared_leave(hart);
            return;
        }
        (void)loader_step(&tenant->loader, tenant->description, (const uint8_t *)bundle);
    } while (++steps < MOST_LOADER_STEPS && !hart_is_wanted());
}

/* Without devices there are none. */
__attribute__((weak)) void tenant_take_sources(const struct tenant *tenant)
{
    (void)tenant;
}

__attribute__((weak)) void vhart_take_interrupts(struct vhart *vhart)
{
    (void)vhart;
}

/* The vhart, whose hart this is, begins a new life or goes on after a suspend of its tenant. */
static void begin_life(struct vhart *vhart, uint64_t address, uint64_t argument, bool resumes)
{
    vhart->world.hart->reschedule = true;
    if (resumes) {
        vhart_setup_return(vhart, address, argument);
    } else {
        vhart_setup_world(vhart, address, argument);
        vhart_begins(vhart);
    }
    vhart_take_interrupts(vhart);
    __atomic_fetch_and(&vhart->requests, ~REQUEST_IPI, __ATOMIC_RELAXED); /* of the one before */
    vhart->state = VHART_STARTED;
}

void vhart_start_here(struct vhart *vhart)
{
    if (vhart->tenant->state != TENANT_RUNNING) {
        return;
    }
    if (vhart->state == VHART_RESUME_PENDING && !vhart->loading) {
        begin_preparing(vhart);
    } else if (vhart->state == VHART_START_PENDING) {
        begin_life(vhart, vhart->start_address, vhart->start_argument, false);
        get_hart(vhart);
    }
}

void vhart_resume_here(struct vhart *vhart)
{
    vhart->loading = false;
    begin_life(vhart, vhart->start_address, vhart->start_argument, true);
    if (vhart->uses_features) {
        vhart_looks_for_events(vhart); /* one that came while it suspended */
    }
}

void vhart_prepare_start(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    vhart->start_address = address;
    vhart->start_argument = argument;
    vhart->state = VHART_START_PENDING;
}

/* Off the hart, which is this one: its registers are lost. */
static void leave_hart(struct vhart *vhart)
{
    vhart->world.hart->reschedule = true;
    schedule_stop(&vhart->world.hart->scheduler, &vhart->schedulable);
    if (vhart->world.hart->loaded == vhart) {
        vhart_unload(vhart);
    }
    if (HAS(fp) && vhart->keeps_registers) {
        fp_drop(vhart);
    }
}

void vhart_release(struct vhart *vhart)
{
    vhart->state = VHART_STOPPED;
    vhart->loading = false;
    __atomic_store_n(&vhart->requests, 0, __ATOMIC_RELAXED);
    if (vhart->uses_features) {
        vhart->uses_features = false;
        vhart_ends(vhart);
    }
    leave_hart(vhart);
}

void tenant_become_dormant(struct vhart *vhart)
{
    struct tenant *tenant = vhart->tenant;

    vhart->state = VHART_SUSPENDED;
    tenant->state = TENANT_DORMANT;
    tenant->uart.closed = true;
    leave_hart(vhart);
}

struct vhart *tenant_resume(struct tenant *tenant)
{
    struct vhart *vhart = tenant->vharts;
    struct vhart *here = NULL;

    record_tenant(tenant, COTENANT_TRACE_TENANT_STARTED);
    tenant->state = TENANT_RUNNING;
    tenant->uart.closed = false;
    work_post();
    for (uint32_t left = tenant_vhart_count(tenant); left != 0; left--, vhart++) {
        if (vhart->state == VHART_SUSPENDED) {
            vhart->state = VHART_RESUME_PENDING;
            if (hart_is_self(vhart->world.hart)) {
                here = vhart;
                begin_preparing(vhart);
            } else {
                messages_post(vhart, REQUEST_START);
            }
        }
    }
    return here;
}

/* One of the harts has let go of it, or all have been asked. */
static void one_has_stopped(struct tenant *tenant)
{
    if (--tenant->outcome.missing == 0) {
        vuart_reset(&tenant->uart); /* before its interrupt is asked for */
    }
    tenants_stopping |= 1u << tenant->index;
    work_post();
}

/*
 * Vharts of this hart do not run any more. They let go of it one by one, as steps of work, with
 * looks at interrupts in between: several may be bound to one hart.
 *
 * Returns what it comes to, for the caller to fill in, or NULL: it is stopping already, because one
 * of its other harts came first, and this one will hear of it.
 */
static struct tenant_outcome *halt(struct tenant *tenant, enum tenant_state state)
{
    if (tenant->state == TENANT_STOPPING) {
        return NULL;
    }
    tenant->state = TENANT_STOPPING;
    give_back_begin(tenant);
    tenant->outcome = (struct tenant_outcome){.state = state, .missing = 1};
    for (uint32_t i = 0; i < tenant_vhart_count(tenant); i++) {
        struct vhart *vhart = &tenant->vharts[i];

        if (hart_is_self(vhart->world.hart)) {
            schedule_stop(&vhart->world.hart->scheduler, &vhart->schedulable);
            vhart->world.hart->reschedule = true;
            tenant->outcome.missing++;
            tenant->outcome.later |= 1u << i;
        } else if (vhart->state != VHART_STOPPED || tenant->loader.phase != LOADER_IDLE) {
            tenant->outcome.missing++;
            messages_post(vhart, REQUEST_HALT);
        }
    }
    one_has_stopped(tenant);
    return &tenant->outcome;
}

void tenant_halt_here(struct vhart *vhart)
{
    if (vhart->tenant->state == TENANT_STOPPING) {
        vhart_release(vhart);
        one_has_stopped(vhart->tenant);
    }
}

void tenant_halt(struct tenant *tenant, enum tenant_state state)
{
    if (halt(tenant, state) == NULL && tenant->outcome.purpose == TENANT_TO_RUN) {
        tenant->outcome.goes_on = false;
        tenant->outcome.starts_again = false;
    }
}

void tenant_halt_for(struct tenant *tenant, enum tenant_purpose purpose)
{
    struct tenant_outcome *outcome = halt(tenant, TENANT_STOPPED);

    if (outcome != NULL) {
        outcome->goes_on = true;
        outcome->purpose = purpose;
    }
}

/*
 * It ends by itself, which is told with the values of the crash from `first` on, and starts again
 * if its description has the flag.
 */
static void end(struct tenant *tenant, enum tenant_state state, const char *reason,
                enum crash_value first, uint32_t restart_flag)
{
    struct tenant_outcome *outcome = halt(tenant, state);

    if (outcome != NULL) {
        outcome->reason = reason;
        outcome->first = (uint8_t)first;
        outcome->goes_on = (tenant->description->flags & restart_flag) != 0;
        outcome->starts_again = outcome->goes_on;
    }
}

void tenant_shut_down(struct tenant *tenant, const char *reason)
{
    end(tenant, TENANT_STOPPED, reason, CRASH_VALUES, COTENANT_TENANT_RESTART_ON_SHUTDOWN);
}

void tenant_reboot(struct tenant *tenant)
{
    struct tenant_outcome *outcome = halt(tenant, TENANT_STOPPED);

    if (outcome != NULL) {
        outcome->reason = "reboot";
        outcome->first = CRASH_VALUES;
        outcome->goes_on = true;
    }
}

/* `values`: those from `first` up to CRASH_PC. */
static void crash(struct vhart *vhart, const char *reason, enum crash_value first,
                  const uint64_t *values)
{
    struct tenant *tenant = vhart->tenant;

    if (tenant->state == TENANT_STOPPING) {
        return; /* another hart has ended it, and its reason is being told */
    }
    for (uint64_t *to = &tenant->crash[first]; to != &tenant->crash[CRASH_PC]; to++) {
        *to = *values++;
    }
    tenant->crash[CRASH_PC] = vhart->world.registers[REGISTER_PC];
    tenant->crash[CRASH_RA] = vhart->world.registers[REGISTER_RA];
    end(tenant, TENANT_CRASHED, reason, first, COTENANT_TENANT_RESTART_ON_CRASH);
}

void tenant_crash(struct vhart *vhart, const uint64_t values[CRASH_PC])
{
    crash(vhart, "crashed:", CRASH_CAUSE, values);
}

void tenant_fail(struct vhart *vhart)
{
    crash(vhart, "crashed: shutdown after a system failure:", CRASH_PC, NULL);
}

void lifecycle_quit(void)
{
    quitting = true;
}

bool lifecycle_is_quitting(void)
{
    return quitting;
}

void lifecycle_keep_on(void)
{
    kept_on = true;
}

bool lifecycle_is_over(void)
{
    for (uint32_t i = 0; i < tenant_count; i++) {
        enum tenant_state state = tenants[i].state;

        if (state == TENANT_RUNNING || state == TENANT_DORMANT || state == TENANT_STOPPING ||
            state == TENANT_LOADING) {
            return false;
        }
    }
    return true;
}

bool lifecycle_leads_to_power_off(void)
{
    return quitting || (!kept_on && lifecycle_is_over());
}
