/* SPDX-License-Identifier: BSD-2-Clause */
/* Tenants start, stop, reboot, crash and wait, on a hart of variables. */
#include <string.h>

#include "arch/csr.h"
#include "arch/memory.h"
#include "arch/trap_vector.h"
#include "arch/vhart_setup.h"
#include "arch/wait.h"
#include "boot/tenants.h"
#include "bundle_maker.h"
#include "cmocka_tests.h"
#include "core/foreground.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/monitor_log.h"
#include "core/teardown.h"
#include "core/work.h"
#include "features/commands/tenant_commands.h"
#include "features/dbtr/triggers.h"
#include "features/foreground/foreground.h"
#include "features/harts/stop.h"
#include "features/plic/routing.h"
#include "features/pmu/counters.h"
#include "features/sse/software_events.h"
#include "features/susp/suspend.h"
#include "features/watch/watch.h"
#include "features/watch/watchdog.h"
#include "sbi/sbi.h"

#define LINUX (&tenants[0])
#define RTOS (&tenants[1])
#define OTHER (&tenants[2])

struct hart harts[COTENANT_MAX_HARTS];

static struct bundle made;
static struct hart *const hart = &harts[0];
static struct hart *const far_hart = &harts[1];
static uint32_t msip[2];
static uint64_t mtime;
static uint64_t mtimecmp;
static uint64_t cleared;
static uint64_t copied;
static unsigned routing_resets;
static struct vhart *unloaded;
struct hart_triggers hart_triggers[COTENANT_MAX_HARTS];
struct hart_counters hart_counters[COTENANT_MAX_HARTS];
static struct pmu *counters_owner;

/* In the place of the parts around it. */

void physical_copy(uint64_t destination, const void *source, size_t size)
{
    (void)destination;
    (void)source;
    copied += size;
}

void physical_clear(uint64_t destination, size_t size)
{
    (void)destination;
    cleared += size;
}

void vhart_setup_protection(struct vhart *vhart)
{
    vhart->rest.pmp_address[0] = vhart->description->pmp_address[0];
}

void vhart_setup_world(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    memset(vhart->world.registers, 0, sizeof(vhart->world.registers));
    vhart->world.registers[REGISTER_PC] = address;
    vhart->world.registers[REGISTER_A0] = vhart->world.vhart_id;
    vhart->world.registers[REGISTER_A1] = argument;
    vhart->world.pending = 0;
    vhart->world.mie = 0;
}

void vhart_setup_return(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    vhart_setup_world(vhart, address, argument);
}

void vhart_nap(void)
{
}

void vhart_unload(struct vhart *vhart)
{
    unloaded = vhart;
    vhart->world.hart->loaded = NULL;
}

const struct sbi_extension *sbi_slots[SBI_SLOTS];

void fp_drop(struct vhart *vhart)
{
    vhart->keeps_registers = false;
}

void counters_prepare(const struct hart_counters *in_hart, const struct pmu *pmu)
{
    (void)in_hart;
    (void)pmu;
}

void counters_load(const struct hart_counters *in_hart, struct pmu *pmu)
{
    (void)in_hart;
    counters_owner = pmu;
    pmu->own = 1ul << COUNTER_CYCLE;
}

void counters_save(const struct hart_counters *in_hart, struct pmu *pmu)
{
    (void)in_hart;
    pmu->own = 0;
    counters_owner = NULL;
}

void counters_probe(struct hart *of)
{
    (void)of;
}

void triggers_probe(struct hart *of)
{
    (void)of;
}

uint32_t guest_fetch_native(uint64_t address)
{
    (void)address;
    return 0;
}

uint64_t trigger_read(uint32_t number)
{
    return number;
}

bool trigger_set(uint32_t number, uint64_t tdata1, uint64_t tdata2)
{
    (void)number;
    (void)tdata1;
    (void)tdata2;
    return true;
}

void trigger_clear(const struct hart_triggers *of, uint32_t number)
{
    (void)of;
    (void)number;
}

void triggers_take_out(const struct hart_triggers *of)
{
    (void)of;
}

void trap_use_fast_paths(bool use)
{
    (void)use;
}

uint32_t give_back_interrupts(struct tenant *tenant, uint32_t step)
{
    (void)tenant;
    routing_resets += step == 0;
    return step < 1 ? step + 1 : 0;
}

static struct vhart *rerouted;
static unsigned fences_served;
static unsigned console_woken;

static void note_routing(struct vhart *vhart)
{
    rerouted = vhart;
}

HOOK(vhart_is_routed, note_routing);

void remote_fence_serve(struct hart *on)
{
    (void)on;
    fences_served++;
}

static unsigned devices_reset;
static uint32_t held; /* tenants of which a device is, a bit each */

static const struct tenant *key_pressed;

static void is_asked_to_suspend(const struct tenant *tenant)
{
    key_pressed = tenant;
}

HOOK(tenant_is_asked_to_suspend, is_asked_to_suspend);

static bool reset_device(struct tenant *tenant, uint16_t *next, unsigned *room)
{
    const struct bundle_reset *reset = &tenant->description->resets[*next];

    tenant->given_back.waits = (held >> tenant->index & 1) != 0;
    if (tenant->given_back.waits) {
        return false;
    }
    if (*next == 0 && reset->kind != COTENANT_DEVICE_RESET_NONE) {
        assert_int_equal(reset->base, 0x10001000);
        devices_reset++;
        (*next)++;
        *room = 0;
    }
    return true;
}

GIVE_BACK(reset_device);

static const struct tenant *sources_owner;
static uint32_t focus;

void tenant_take_sources(const struct tenant *tenant)
{
    sources_owner = tenant;
}

/* How many calls it takes until the devices of a tenant reach its memory, or do not any more. */
static unsigned open_steps;
static unsigned close_steps;
/* Whose memory they reach. */
static const struct tenant *opened;

bool tenant_open_memory(const struct tenant *tenant, bool open)
{
    unsigned *steps = open ? &open_steps : &close_steps;

    if (*steps != 0 && --*steps != 0) {
        return false;
    }
    if (open || opened == tenant) {
        opened = open ? tenant : NULL;
    }
    return true;
}

void vhart_take_interrupts(struct vhart *vhart)
{
    vhart->world.hart->plic_user = vhart;
}

static void takes_over(struct tenant *tenant, const struct tenant *before)
{
    if (focus == before->index) {
        focus = tenant->index;
    }
}

HOOK(tenant_takes_over, takes_over);

static unsigned posted;

void work_post(void)
{
    posted++;
}

void work_begin(void)
{
    console_woken++;
}

static char *log_text(void)
{
    static char text[MONITOR_LOG_SIZE + 1];
    size_t length = 0;

    for (int byte = monitor_log_next(); byte >= 0; byte = monitor_log_next()) {
        text[length++] = (char)byte;
    }
    text[length] = '\0';
    return text;
}

/* What the console service does for those that stop. */
static void finish_stops(void)
{
    while (teardown_step()) {
    }
    assert_int_equal(tenants_stopping, 0);
}

static void tell_all(void)
{
    while (foreground_tell()) {
    }
}

static struct vhart *running(void)
{
    struct schedulable *next = schedule_next(&hart->scheduler, mtime);

    hart->reschedule = false;
    return next == NULL ? NULL : vhart_of(next);
}

/* Lets whoever loads do so until a vhart runs that is not loading; the time it takes passes. */
static struct vhart *run_to_tenant(void)
{
    struct vhart *vhart = running();

    for (unsigned steps = 0; vhart != NULL && vhart->loading; steps++) {
        assert_true(steps < 1000000);
        if (vhart->tenant->loader.phase == LOADER_IDLE) {
            foreground_go_on(vhart);
        } else {
            tenant_load_step(vhart->tenant);
        }
        mtime++;
        vhart = running();
    }
    hart->loaded = vhart;
    csr_file_write("mie", 0);
    csr_file_write("mip", 0);
    return vhart;
}

/* What is called next is called on this hart. */
static void go_to(struct hart *where)
{
    csr_file_write("tp", (uint64_t)where);
}

static int set_up(void **state)
{
    (void)state;
    open_steps = 0;
    close_steps = 0;
    opened = NULL;
    bundle_make(&made);
    for (int i = 0; i < 3; i++) {
        made.tenants[i].memory[0].size = 0x4000; /* less to wipe */
        made.tenants[i].memory[2].size = 0;
    }
    made.vharts[1].priority = 11;
    bundle = &made;
    mtime = 1000;
    memset(harts, 0, sizeof(harts));
    memset(tenants, 0, sizeof(tenants));
    for (uint32_t i = 0; i < 2; i++) {
        harts[i].index = i;
        harts[i].mtime = &mtime;
        harts[i].mtimecmp = &mtimecmp;
        harts[i].msip = &msip[i];
        msip[i] = 0;
        scheduler_init(&harts[i].scheduler, mtime);
    }
    go_to(hart);
    hart_counters[hart->index].count = COUNTER_FIRST_PROGRAMMABLE;
    hart_counters[hart->index].all = 1ul << COUNTER_CYCLE | 1ul << COUNTER_INSTRET;
    monitor_log_init();
    held = 0;
    cleared = copied = 0;
    routing_resets = 0;
    unloaded = NULL;
    return 0;
}

static void start_all(void)
{
    tenants_init();
    (void)log_text();
}

static void test_only_automatic_ones_start(void **state)
{
    (void)state;
    made.tenants[1].flags &= ~(uint32_t)COTENANT_TENANT_AUTOSTART;
    tenants_init();
    assert_int_equal(tenant_count, 3);
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    assert_int_equal(RTOS->state, TENANT_EMPTY);
    assert_false(tenants[0].uart.closed);
    assert_false(tenants[2].uart.closed);
    assert_non_null(strstr(log_text(), "starting 2 of 3 tenants\n"));
    assert_false(lifecycle_is_over());
    /* Ticks of 10 MHz. */
    assert_int_equal(RTOS->vharts[0].schedulable.slice, 100000);
    assert_int_equal(RTOS->vharts[0].schedulable.budget, 3000);
    assert_int_equal(RTOS->vharts[0].schedulable.period, 10000);
    assert_int_equal(LINUX->vharts[0].schedulable.budget, 0);
}

/* Loading takes place in the tenant's own turn: the higher one is complete before Linux begins. */
static void test_images_are_loaded_by_priority(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    assert_ptr_equal(vhart, &RTOS->vharts[0]);
    assert_int_equal(vhart->world.registers[REGISTER_PC], made.tenants[1].entry);
    assert_int_equal(vhart->world.registers[REGISTER_A1], made.tenants[1].devicetree);
    assert_int_equal(vhart->state, VHART_STARTED);
    assert_true(LINUX->vharts[0].loading);
    assert_int_equal(LINUX->loader.offset, 0);
    assert_int_equal(copied, 0x1234 + 0x800);
    assert_int_equal(cleared, 0x3000 - 0x1234); /* the first start wipes nothing else */
}

static void test_shutdown(void **state)
{
    (void)state;
    start_all();
    run_to_tenant();
    tenant_shut_down(RTOS, "shutdown");
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_int_equal(RTOS->vharts[0].state, VHART_STOPPED);
    assert_ptr_equal(unloaded, &RTOS->vharts[0]);
    assert_int_equal(routing_resets, 1);
    assert_true(tenants[1].uart.closed);
    assert_true(hart->reschedule);
    assert_non_null(strstr(log_text(), "tenant rtos: shutdown\n"));
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    tenant_shut_down(OTHER, "shutdown");
    finish_stops();
    assert_ptr_equal(run_to_tenant(), &LINUX->vharts[0]);
    assert_false(lifecycle_is_over());
    tenant_shut_down(LINUX, "shutdown");
    finish_stops();
    assert_true(lifecycle_is_over());
    assert_null(running());
}

static void test_shutdown_while_loading(void **state)
{
    (void)state;
    start_all();
    assert_true(running()->loading);
    tenant_load_step(RTOS);
    tenant_halt(RTOS, TENANT_STOPPED);
    finish_stops();
    assert_false(RTOS->vharts[0].loading);
    assert_int_equal(RTOS->loader.phase, LOADER_IDLE);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
}

static uint64_t loaded_bytes(void)
{
    return RTOS->loader.offset + RTOS->loader.item * 0x100000000;
}

/* What the hart is wanted for comes first, but if it is wanted always the tenant is loaded too. */
static void test_every_other_step_loads_when_the_hart_is_wanted(void **state)
{
    uint64_t before;

    (void)state;
    start_all();
    csr_file_write("mip", INTERRUPT_MTI);
    for (unsigned i = 0; i < 3; i++) {
        before = loaded_bytes();
        tenant_load_step(RTOS);
        assert_int_equal(loaded_bytes(), before);
        tenant_load_step(RTOS);
        assert_true(loaded_bytes() > before);
    }
    csr_file_write("mip", 0);
    before = loaded_bytes();
    tenant_load_step(RTOS);
    assert_true(loaded_bytes() > before);
}

static void test_reboot_wipes_and_starts_anew(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    vhart->world.registers[REGISTER_PC] = 0x1234;
    vhart->world.pending = INTERRUPT_SSI;
    hart->reschedule = false;
    pmu_configure(vhart, COUNTER_CYCLE, 0, false, true);
    assert_ptr_equal(counters_owner, pmu_of(vhart));
    triggers_in(hart)->count = 1;
    triggers_of(vhart)->each[0].mapped = true;
    triggers_apply(vhart);
    assert_ptr_equal(triggers_in(hart)->user, vhart);
    global_event(vhart)->pending = true;
    cleared = copied = 0;
    tenant_reboot(RTOS);
    finish_stops();
    assert_null(counters_owner);
    assert_null(triggers_in(hart)->user);
    assert_false(triggers_of(vhart)->each[0].mapped);
    assert_int_equal(pmu_of(vhart)->configured, 0);
    assert_non_null(strstr(log_text(), "tenant rtos: reboot\n"));
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_false(tenants[1].uart.closed);
    while (vhart->loading) {
        run_to_tenant();
        mtime += 10000;
    }
    assert_ptr_equal(run_to_tenant(), vhart);
    assert_false(global_event(vhart)->pending);
    assert_true(cleared >= 0x4000);
    assert_int_equal(vhart->world.registers[REGISTER_PC], made.tenants[1].entry);
    assert_int_equal(vhart->world.pending, 0);
}

/* One that reboots all the time has no more of the hart than its budget. */
static void test_reboots_do_not_refill_the_budget(void **state)
{
    uint64_t others = 0;
    uint64_t start;

    (void)state;
    start_all();
    start = mtime;
    while (mtime < start + 20 * 10000) {
        struct vhart *vhart = running();
        uint64_t step = 10;

        if (vhart->tenant == RTOS && !vhart->loading) {
            tenant_reboot(RTOS);
            finish_stops();
            (void)log_text();
        } else if (vhart->loading) {
            tenant_load_step(vhart->tenant);
        }
        others += vhart->tenant != RTOS ? step : 0;
        mtime += step;
    }
    assert_true(others > (mtime - start) * 65 / 100);
}

static void test_crash_is_named(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    vhart->world.registers[REGISTER_PC] = 0x88001000;
    vhart->world.registers[REGISTER_RA] = 0x88002000;
    tenant_crash(vhart, (const uint64_t[CRASH_PC]){1, 0xdead, 5, 0x88001234, 0x10});
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_CRASHED);
    assert_non_null(strstr(log_text(), "tenant rtos: crashed: cause=0x1 address=0xdead scause=0x5 "
                                       "sepc=0x88001234 stval=0x10 pc=0x88001000 ra=0x88002000\n"));
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
}

/* A tenant with two vharts: it goes on while one is there. */
static void test_last_vhart_ends_the_tenant(void **state)
{
    (void)state;
    made.tenant_count = 2;
    made.tenants[1].vhart_count = 2;
    made.vharts[2].tenant = 1;
    made.vharts[2].id = 1;
    start_all();
    run_to_tenant();
    vhart_prepare_start(&RTOS->vharts[1], made.tenants[1].entry, 42);
    vhart_start_here(&RTOS->vharts[1]);
    assert_int_equal(RTOS->vharts[1].world.registers[REGISTER_A0], 1);
    assert_int_equal(RTOS->vharts[1].world.registers[REGISTER_A1], 42);
    vhart_stop(&RTOS->vharts[0]);
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[1]);
    vhart_stop(&RTOS->vharts[1]);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_non_null(strstr(log_text(), "stopped its last hart"));
}

/* Two of one hart, for which features have something to do: neither runs any more. */
static void test_vharts_of_one_hart_let_go_of_it_one_by_one(void **state)
{
    (void)state;
    made.tenant_count = 2;
    made.tenants[1].vhart_count = 2;
    made.vharts[2].tenant = 1;
    made.vharts[2].id = 1;
    start_all();
    run_to_tenant();
    vhart_prepare_start(&RTOS->vharts[1], made.tenants[1].entry, 42);
    vhart_start_here(&RTOS->vharts[1]);
    RTOS->vharts[0].uses_features = true;
    RTOS->vharts[1].uses_features = true;
    tenant_halt(RTOS, TENANT_STOPPED);
    assert_ptr_equal(run_to_tenant(), &LINUX->vharts[0]);
    assert_int_equal(RTOS->vharts[0].state, VHART_STARTED);
    assert_true(teardown_step());
    assert_int_equal(RTOS->vharts[0].state, VHART_STOPPED);
    assert_int_equal(RTOS->vharts[1].state, VHART_STARTED);
    assert_true(teardown_step());
    assert_int_equal(RTOS->vharts[1].state, VHART_STOPPED);
    assert_int_equal(RTOS->state, TENANT_STOPPING);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
}

static void test_wait_until_an_enabled_interrupt(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    vhart->world.deadline = mtime + 500;
    csr_file_write("mie", INTERRUPT_SSI);
    csr_file_write("mip", INTERRUPT_STI);
    vhart_wait(vhart); /* the pending one is not enabled */
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_WAITING);
    assert_int_equal(vhart->schedulable.wake, TIME_NEVER);
    vhart->world.mie = INTERRUPT_SSI;
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    vhart_interrupt(vhart, INTERRUPT_SEI);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_WAITING);
    assert_false(hart->reschedule);
    vhart_interrupt(vhart, INTERRUPT_SSI);
    assert_true(hart->reschedule);
    assert_int_equal(vhart->world.pending, INTERRUPT_SEI | INTERRUPT_SSI);
    assert_ptr_equal(run_to_tenant(), vhart);
}

static void test_wait_with_something_pending_is_none(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = run_to_tenant();
    csr_file_write("mie", INTERRUPT_SSI);
    csr_file_write("mip", INTERRUPT_SSI);
    vhart_wait(vhart);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_READY);
    assert_false(hart->reschedule);
}

static void test_wait_until_the_timer(void **state)
{
    struct vhart *vhart;

    (void)state;
    for (int native = 0; native < 2; native++) {
        set_up(state);
        start_all();
        vhart = run_to_tenant();
        hart->features = native ? HART_SSTC : 0;
        vhart->world.deadline = native ? TIME_NEVER : mtime + 700;
        csr_file_write("0x14d", mtime + 700); /* stimecmp */
        csr_file_write("mie", INTERRUPT_STI);
        vhart_wait(vhart);
        assert_int_equal(vhart->schedulable.wake, mtime + 700);
    }
}

/* The RTOS has two vharts, the second one on a hart that it has for itself. */
static void start_all_with_far_vhart(void)
{
    made.tenant_count = 2;
    made.tenants[1].vhart_count = 2;
    made.vharts[2].tenant = 1;
    made.vharts[2].id = 1;
    made.vharts[2].hart = 1;
    start_all();
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[0]);
}

#define FAR (&RTOS->vharts[1])

/* The far hart has its software interrupt and does what it is asked for. */
static void answer_far(void)
{
    assert_int_equal(msip[1], 1);
    go_to(far_hart);
    requests_take(far_hart);
    finish_stops();
    assert_int_equal(msip[1], 0);
    assert_int_equal(far_hart->mail, 0);
    go_to(hart);
}

static void ask_far_to_start(void)
{
    vhart_prepare_start(FAR, made.tenants[1].entry, 42);
    messages_post(FAR, REQUEST_START);
}

static void start_far(void)
{
    ask_far_to_start();
    answer_far();
    finish_stops();
    far_hart->scheduler.running = &FAR->schedulable;
    far_hart->loaded = FAR;
}

static void test_start_on_another_hart(void **state)
{
    (void)state;
    start_all_with_far_vhart();
    ask_far_to_start();
    assert_int_equal(FAR->state, VHART_START_PENDING);
    assert_int_equal(FAR->schedulable.state, SCHEDULABLE_OFF);
    assert_int_equal(msip[0], 0);
    answer_far();
    finish_stops();
    assert_int_equal(FAR->state, VHART_STARTED);
    assert_int_equal(FAR->schedulable.state, SCHEDULABLE_READY);
    assert_ptr_equal(far_hart->scheduler.ready, &FAR->schedulable);
    assert_true(far_hart->reschedule);
    assert_int_equal(FAR->world.registers[REGISTER_PC], made.tenants[1].entry);
    assert_int_equal(FAR->world.registers[REGISTER_A0], 1);
    assert_int_equal(FAR->world.registers[REGISTER_A1], 42);
}

static void test_interrupts_of_another_hart(void **state)
{
    (void)state;
    start_all_with_far_vhart();
    start_far();
    go_to(far_hart);
    schedule_wait(&far_hart->scheduler, &FAR->schedulable, TIME_NEVER);
    far_hart->loaded = NULL;
    FAR->world.mie = INTERRUPT_SSI;
    go_to(hart);
    messages_post(FAR, REQUEST_IPI | REQUEST_ROUTING);
    assert_int_equal(FAR->world.pending, 0);
    rerouted = NULL;
    answer_far();
    finish_stops();
    assert_int_equal(FAR->world.pending, INTERRUPT_SSI);
    assert_int_equal(FAR->schedulable.state, SCHEDULABLE_READY);
    assert_ptr_equal(rerouted, FAR);
}

/* Whoever is more important there is not interrupted, and the mail lies until it is looked for. */
static void test_higher_priority_is_left_alone(void **state)
{
    struct schedulable higher = {0};

    (void)state;
    start_all_with_far_vhart();
    start_far();
    higher.priority = FAR->schedulable.priority + 1;
    far_hart->scheduler.running = &higher;
    messages_post(FAR, REQUEST_IPI);
    assert_int_equal(msip[1], 0);
    assert_true(messages_publish(far_hart, NULL));
    higher.priority = FAR->schedulable.priority; /* an equal one is */
    messages_post(FAR, REQUEST_IPI);
    assert_int_equal(msip[1], 1);
    answer_far();
    finish_stops();
    assert_false(messages_publish(far_hart, NULL));
}

/* IPIs without end to one that has not seen the first interrupt an equal one there once. */
static void test_ipis_that_are_not_seen_disturb_once(void **state)
{
    struct schedulable equal = {0};

    (void)state;
    start_all_with_far_vhart();
    start_far();
    go_to(far_hart);
    schedule_wait(&far_hart->scheduler, &FAR->schedulable, TIME_NEVER); /* in WFI, with sie 0 */
    FAR->world.mie = 0;
    go_to(hart);
    equal.priority = FAR->schedulable.priority;
    far_hart->scheduler.running = &equal;
    far_hart->loaded = &OTHER->vharts[0];
    messages_post(FAR, REQUEST_IPI);
    answer_far();
    assert_int_equal(FAR->world.pending, INTERRUPT_SSI);
    messages_post(FAR, REQUEST_IPI);
    assert_int_equal(msip[1], 0);
    FAR->schedulable.switches++; /* it has the hart, and may have seen it */
    messages_post(FAR, REQUEST_IPI);
    answer_far();
}

static void test_halt_over_two_harts(void **state)
{
    (void)state;
    start_all_with_far_vhart();
    start_far();
    messages_post(FAR, REQUEST_IPI); /* under way: the next life must not see it */
    tenant_shut_down(RTOS, "shutdown");
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPING);
    assert_int_equal(RTOS->vharts[0].state, VHART_STOPPED);
    assert_int_equal(routing_resets, 0);
    assert_false(lifecycle_is_over());
    /* Meanwhile nothing else changes it. */
    tenant_reboot(RTOS);
    finish_stops();
    tenant_halt(RTOS, TENANT_CRASHED);
    finish_stops();
    go_to(far_hart);
    vhart_stop(FAR);
    go_to(hart);
    assert_int_equal(RTOS->outcome.missing, 1);
    answer_far();
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_int_equal(FAR->state, VHART_STOPPED);
    assert_int_equal(FAR->schedulable.state, SCHEDULABLE_OFF);
    assert_int_equal(FAR->requests, 0);
    assert_int_equal(routing_resets, 1);
    assert_ptr_equal(unloaded, FAR);
}

/*
 * A guest's vhart is bound to another hart while mail for it lies at the one before, which runs a
 * vhart of higher priority: what it is asked for later is not done there.
 */
static void test_mail_follows_a_vhart(void **state)
{
    (void)state;
    start_all_with_far_vhart();
    start_far();
    messages_post(FAR, REQUEST_EVENTS);
    schedule_stop(&far_hart->scheduler, &FAR->schedulable);
    far_hart->loaded = NULL;
    FAR->world.hart = hart;
    schedule_start(&hart->scheduler, &FAR->schedulable, mtime);
    hart->scheduler.running = &FAR->schedulable;
    hart->loaded = FAR;
    RTOS->state = TENANT_STOPPING;
    RTOS->outcome = (struct tenant_outcome){.state = TENANT_STOPPED, .missing = 1};
    messages_post(FAR, REQUEST_HALT);
    unloaded = NULL;
    rerouted = NULL;
    msip[0] = 0; /* it has other things to do than to look */
    answer_far();
    assert_int_equal(FAR->state, VHART_STARTED);
    assert_int_equal(FAR->schedulable.state, SCHEDULABLE_READY);
    assert_null(unloaded);
    assert_int_equal(RTOS->outcome.missing, 1);
    assert_int_equal(FAR->requests, REQUEST_EVENTS | REQUEST_HALT);
    assert_int_equal(msip[0], 1);
    requests_take(hart);
    finish_stops();
    assert_int_equal(FAR->state, VHART_STOPPED);
    assert_ptr_equal(unloaded, FAR);
    assert_int_equal(RTOS->state, TENANT_STOPPED);
}

/* A step of each work; what they return. */
static unsigned work_once(void)
{
    unsigned results = 0;

    FOR_EACH_IN_TABLE(works, each)
    {
        results |= each->step(mtime);
    }
    return results;
}

/*
 * A program of a tenant, perhaps the lowest one of the hart of the steps, has to let go of a device
 * of the one that stops: it gets the hart between the steps.
 */
static void test_who_is_waited_for_gets_the_hart(void **state)
{
    (void)state;
    start_all_with_far_vhart();
    held = 1u << RTOS->index;
    tenant_shut_down(RTOS, "shutdown");
    for (unsigned i = 0; i < 100; i++) {
        (void)work_once();
    }
    assert_int_equal(RTOS->state, TENANT_STOPPING);
    assert_int_equal(work_once() & (WORK_DONE | WORK_AT_ONCE), WORK_DONE);
    held = 0;
    assert_int_equal(work_once() & WORK_AT_ONCE, WORK_AT_ONCE);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
}

/* The stops of others go on meanwhile, whatever their numbers, and each is looked at again. */
static void test_who_waits_holds_up_no_other_stop(void **state)
{
    (void)state;
    start_all();
    held = 1u << LINUX->index | 1u << RTOS->index;
    tenant_shut_down(LINUX, "shutdown");
    tenant_shut_down(RTOS, "shutdown");
    tenant_shut_down(OTHER, "shutdown");
    for (unsigned i = 0; i < 100; i++) {
        (void)work_once();
    }
    assert_int_equal(LINUX->state, TENANT_STOPPING);
    assert_int_equal(RTOS->state, TENANT_STOPPING);
    assert_int_equal(OTHER->state, TENANT_STOPPED);
    held = 1u << LINUX->index;
    for (unsigned i = 0; i < 100; i++) {
        (void)work_once();
    }
    assert_int_equal(LINUX->state, TENANT_STOPPING);
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_int_equal(work_once() & (WORK_DONE | WORK_AT_ONCE), WORK_DONE);
    held = 0;
    finish_stops();
    assert_int_equal(LINUX->state, TENANT_STOPPED);
}

/* The far hart asks for it: the first vhart's hart is told to stop, and then to load anew. */
static void test_reboot_from_another_hart(void **state)
{
    (void)state;
    start_all_with_far_vhart();
    start_far();
    go_to(far_hart);
    tenant_reboot(RTOS);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPING);
    assert_int_equal(FAR->state, VHART_STOPPED);
    assert_int_equal(msip[0], 1);
    go_to(hart);
    requests_take(hart);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_true(RTOS->vharts[0].loading);
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[0]);
    assert_int_equal(FAR->state, VHART_STOPPED);
    start_far();
    assert_int_equal(FAR->state, VHART_STARTED);
    assert_int_equal(FAR->world.pending, 0);
}

/* A start that its hart has not taken note of when the tenant ends is forgotten. */
static void test_halt_overtakes_a_start(void **state)
{
    (void)state;
    start_all_with_far_vhart();
    ask_far_to_start();
    tenant_reboot(RTOS);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPING);
    answer_far();
    finish_stops();
    assert_int_equal(FAR->state, VHART_STOPPED);
    assert_int_equal(FAR->schedulable.state, SCHEDULABLE_OFF);
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_int_equal(msip[0], 1);
    requests_take(hart);
    finish_stops();
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[0]);
}

static void test_shutdown_while_another_hart_loads(void **state)
{
    (void)state;
    made.vharts[1].hart = 1;
    start_all();
    assert_true(RTOS->vharts[0].loading);
    assert_ptr_equal(far_hart->scheduler.ready, &RTOS->vharts[0].schedulable);
    tenant_halt(RTOS, TENANT_STOPPED);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPING);
    answer_far();
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_null(far_hart->scheduler.ready);
    assert_true(tenant_command(RTOS, COMMAND_START)); /* from here, there */
    assert_false(RTOS->vharts[0].loading);
    answer_far();
    finish_stops();
    assert_true(RTOS->vharts[0].loading);
}

/* Which command is taken in which state; those taken are undone by making the system anew. */
static void test_commands_by_state(void **state)
{
    static const struct {
        enum tenant_state state;
        bool load, start, stop, restart, destroy;
    } table[] = {
        {TENANT_EMPTY, true, true, false, false, false},
        {TENANT_LOADED, false, true, false, false, true},
        {TENANT_RUNNING, false, false, true, true, true},
        {TENANT_DORMANT, false, false, true, true, true},
        {TENANT_STOPPED, true, true, false, true, true},
        {TENANT_CRASHED, true, true, false, true, true},
        {TENANT_STOPPING, false, false, true, false, false},
        {TENANT_LOADING, false, false, true, false, false},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const bool taken[] = {table[i].load,    table[i].start, table[i].stop, table[i].restart,
                              table[i].destroy, false /* switch: it has no group */};

        for (int command = 0; command < COMMAND_COUNT; command++) {
            set_up(state);
            made.tenants[1].flags &= ~(uint32_t)COTENANT_TENANT_AUTOSTART;
            start_all();
            RTOS->state = table[i].state;
            assert_int_equal(tenant_command(RTOS, (enum tenant_command)command), taken[command]);
            finish_stops();
            assert_true(taken[command] || RTOS->state == table[i].state);
        }
    }
}

/* A stop in the moment of a reboot or a restart wins, and leaves alone what else it is for. */
static void test_stop_takes_back_a_restart(void **state)
{
    (void)state;
    start_all();
    tenant_reboot(RTOS);
    assert_true(tenant_command(RTOS, COMMAND_STOP));
    assert_int_equal(RTOS->state, TENANT_STOPPING);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_true(tenant_command(RTOS, COMMAND_RESTART));
    run_to_tenant();
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_true(tenant_command(RTOS, COMMAND_DESTROY));
    assert_true(tenant_command(RTOS, COMMAND_STOP));
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_LOADING);
}

static void test_load_then_start(void **state)
{
    (void)state;
    made.tenants[1].flags &= ~(uint32_t)COTENANT_TENANT_AUTOSTART;
    start_all();
    assert_true(tenant_command(RTOS, COMMAND_LOAD));
    assert_int_equal(RTOS->state, TENANT_LOADING);
    assert_true(tenants[1].uart.closed);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    assert_int_equal(RTOS->state, TENANT_LOADED);
    cleared = copied = 0;
    assert_true(tenant_command(RTOS, COMMAND_START));
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_false(tenants[1].uart.closed);
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[0]);
    assert_int_equal(cleared + copied, 0);
}

/* All but the last step of the first vhart's start has been done. */
static void load_up_to_the_start(void)
{
    start_all();
    while (RTOS->loader.phase != LOADER_STARTS) {
        assert_ptr_equal(running(), &RTOS->vharts[0]);
        assert_true(RTOS->vharts[0].loading);
        tenant_load_step(RTOS);
    }
}

/* Between the two, interrupts are looked at. */
static void test_the_first_vhart_starts_in_a_step_of_its_own(void **state)
{
    (void)state;
    load_up_to_the_start();
    assert_int_equal(RTOS->lives, 1);
    assert_int_equal(RTOS->vharts[0].state, VHART_STOPPED);
    assert_true(RTOS->vharts[0].loading);
    assert_ptr_equal(running(), &RTOS->vharts[0]);
    tenant_load_step(RTOS);
    assert_int_equal(RTOS->lives, 1);
    assert_int_equal(RTOS->vharts[0].state, VHART_STARTED);
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[0]);
}

static void test_stop_right_before_the_start(void **state)
{
    (void)state;
    load_up_to_the_start();
    tenant_halt(RTOS, TENANT_STOPPED);
    assert_ptr_equal(running(), &OTHER->vharts[0]);
    tenant_load_step(RTOS); /* as the hart of the first vhart might, before the message to it */
    assert_int_equal(RTOS->vharts[0].state, VHART_STOPPED);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    assert_false(RTOS->vharts[0].loading);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
}

/* The call takes it off the schedule only. */
static void test_own_vharts_let_go_in_steps(void **state)
{
    struct vhart *vhart;

    (void)state;
    start_all();
    vhart = &RTOS->vharts[0];
    assert_ptr_equal(run_to_tenant(), vhart);
    unloaded = NULL;
    tenant_shut_down(RTOS, "shutdown");
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_OFF);
    assert_true(hart->reschedule);
    assert_int_equal(vhart->state, VHART_STARTED);
    assert_null(unloaded);
    vhart_interrupt(vhart, INTERRUPT_SSI);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_OFF);
    while (vhart->state == VHART_STARTED) {
        assert_int_equal(routing_resets, 0);
        assert_int_equal(RTOS->state, TENANT_STOPPING);
        assert_true(teardown_step());
    }
    assert_int_equal(vhart->state, VHART_STOPPED);
    assert_ptr_equal(unloaded, vhart);
    finish_stops();
    assert_int_equal(routing_resets, 1);
    assert_int_equal(RTOS->state, TENANT_STOPPED);
}

static void test_destroy_clears_the_memory(void **state)
{
    (void)state;
    start_all();
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[0]);
    cleared = copied = 0;
    assert_true(tenant_command(RTOS, COMMAND_DESTROY));
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_LOADING);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    assert_int_equal(RTOS->state, TENANT_EMPTY);
    assert_true(cleared >= 0x4000);
    assert_int_equal(RTOS->vharts[0].state, VHART_STOPPED);
    assert_true(tenant_command(RTOS, COMMAND_START));
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[0]);
}

static void test_restart_on_crash_and_shutdown(void **state)
{
    (void)state;
    made.tenants[1].flags |= COTENANT_TENANT_RESTART_ON_CRASH;
    start_all();
    tenant_crash(run_to_tenant(), (const uint64_t[CRASH_PC]){0});
    finish_stops();
    assert_non_null(strstr(log_text(), "tenant rtos: starts again\n"));
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    assert_ptr_equal(run_to_tenant(), &RTOS->vharts[0]);
    tenant_shut_down(RTOS, "shutdown");
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
    set_up(state);
    made.tenants[1].flags |= COTENANT_TENANT_RESTART_ON_SHUTDOWN;
    start_all();
    run_to_tenant();
    tenant_shut_down(RTOS, "shutdown");
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    tenant_halt(RTOS, TENANT_STOPPED); /* but not when it is stopped from outside */
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_STOPPED);
}

static void test_a_tenant_that_fails_has_crashed(void **state)
{
    struct vhart *vhart;

    (void)state;
    made.tenants[1].flags |= COTENANT_TENANT_RESTART_ON_SHUTDOWN;
    start_all();
    vhart = run_to_tenant();
    vhart->world.registers[REGISTER_PC] = 0x88001004;
    tenant_fail(vhart);
    finish_stops();
    assert_int_equal(RTOS->state, TENANT_CRASHED);
    assert_non_null(strstr(log_text(), "tenant rtos: crashed: shutdown after a system failure: "
                                       "pc=0x88001004 ra=0x0\n"));
}

static void test_devices_are_reset(void **state)
{
    (void)state;
    made.tenants[1].resets[0] =
        (struct bundle_reset){.base = 0x10001000, .kind = COTENANT_DEVICE_RESET_PCI};
    start_all();
    run_to_tenant();
    devices_reset = 0;
    tenant_halt(OTHER, TENANT_STOPPED);
    finish_stops();
    assert_int_equal(devices_reset, 0);
    tenant_reboot(RTOS);
    finish_stops();
    assert_int_equal(devices_reset, 1);
}

static void test_heartbeats_belong_to_a_life(void **state)
{
    (void)state;
    made.tenants[1].watch_policy = COTENANT_WATCH_RESTART;
    made.tenants[1].watch_within_us = 1000;
    made.tenants[1].watch_boot_us = 5000;
    start_all();
    assert_true(watch_deadline() == TIME_NEVER); /* it is being loaded */
    posted = 0;
    run_to_tenant();
    assert_int_equal(RTOS->lives, 1);
    assert_int_not_equal(posted, 0);
    assert_int_equal(watch_deadline(), watch_of(RTOS)->since + 50000);
    watch_heartbeat(RTOS, mtime);
    watchdog_write(RTOS, WATCHDOG_CONFIG, 1, mtime);
    tenant_reboot(RTOS);
    finish_stops();
    assert_true(watch_deadline() == TIME_NEVER);
    run_to_tenant();
    assert_int_equal(watchdog_read(RTOS, WATCHDOG_CONFIG), 0);
    assert_int_equal(RTOS->lives, 2);
    assert_int_equal(watch_deadline(), watch_of(RTOS)->since + 50000);
    watch_step(mtime + 50000); /* no heartbeat came */
    finish_stops();
    assert_int_equal(watch_of(RTOS)->hangs, 1);
    assert_int_equal(RTOS->state, TENANT_RUNNING);
    run_to_tenant();
    assert_int_equal(RTOS->lives, 3);
}

static void test_console_is_woken(void **state)
{
    (void)state;
    console_woken = 0;
    messages_wake_work(far_hart);
    answer_far();
    finish_stops();
    assert_int_equal(console_woken, 1);
}

/* Linux and the other one take turns; the RTOS has nothing to do with it. */
static void start_group(uint32_t refusal)
{
    for (uint32_t i = 0; i < 3; i += 2) {
        made.tenants[i].group = 4;
        made.tenants[i].patience_ms = 500;
        made.tenants[i].refusal = refusal;
        made.tenants[i].resets[0] =
            (struct bundle_reset){.base = 0x10001000, .kind = COTENANT_DEVICE_RESET_PCI};
    }
    made.tenants[1].flags = 0;
    focus = 0;
    start_all();
    assert_ptr_equal(run_to_tenant(), &LINUX->vharts[0]);
    assert_ptr_equal(sources_owner, LINUX);
    assert_int_equal(OTHER->state, TENANT_EMPTY);
    devices_reset = 0;
}

/* The vhart, which has suspended, has the hart until it has given way. */
static void leave(struct vhart *vhart)
{
    while (vhart->loading && vhart->tenant->state == TENANT_RUNNING) {
        foreground_go_on(vhart);
    }
}

static bool suspend(struct vhart *vhart, uint64_t address, uint64_t argument)
{
    bool leaves = foreground_suspend(vhart, address, argument);

    if (leaves) {
        leave(vhart);
    }
    return leaves;
}

/* In the order of the bundle, from the one that leaves on; those at rest for good are passed by. */
static void test_members_come_in_turn(void **state)
{
    static const unsigned order[] = {1, 2, 0, 2, 0};

    (void)state;
    made.tenants[1].group = 4;
    made.vharts[1].priority = made.vharts[0].priority;
    start_group(COTENANT_REFUSAL_SAY);
    made.tenants[1].flags = COTENANT_TENANT_AUTOSTART;
    for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        struct vhart *next = &tenants[order[i]].vharts[0];

        assert_true(suspend(running(), 0x80002000, i));
        assert_ptr_equal(run_to_tenant(), next);
        assert_ptr_equal(sources_owner, next->tenant);
        if (i == 2) {
            RTOS->state = TENANT_STOPPED;
        }
    }
    OTHER->state = TENANT_CRASHED;
    assert_false(suspend(running(), 0x80002000, 1));
}

/* Something else is due: nothing but the suspend itself has been done. */
static void suspend_in_between(struct vhart *vhart)
{
    csr_file_write("mip", INTERRUPT_MTI);
    assert_true(foreground_suspend(vhart, 0x80002000, 77));
    csr_file_write("mip", 0);
}

static void test_suspend_brings_the_next_one(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    vhart->world.medeleg = 0x1234; /* by SBI FWFT */
    assert_true(suspend(vhart, 0x80002000, 77));
    assert_int_equal(LINUX->state, TENANT_DORMANT);
    assert_int_equal(vhart->state, VHART_SUSPENDED);
    assert_ptr_equal(unloaded, vhart);
    assert_int_equal(devices_reset, 1);
    assert_int_equal(routing_resets, 1);
    assert_true(tenants[0].uart.closed);
    assert_int_equal(focus, 2);
    assert_ptr_equal(sources_owner, OTHER);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]); /* its first start */
    assert_false(lifecycle_is_over());
    assert_true(suspend(&OTHER->vharts[0], 0x88402000, 78));
    assert_ptr_equal(run_to_tenant(), vhart);
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    assert_int_equal(OTHER->state, TENANT_DORMANT);
    assert_int_equal(vhart->world.registers[REGISTER_PC], 0x80002000);
    assert_int_equal(vhart->world.registers[REGISTER_A1], 77);
    assert_int_equal(vhart->world.medeleg, 0x1234); /* as before: it was no start */
    assert_true(!tenants[0].uart.closed && tenants[2].uart.closed);
    assert_ptr_equal(hart->plic_user, vhart);
    csr_file_write("mip", INTERRUPT_MTI);
    assert_true(foreground_tell());
    assert_true(foreground_tell());
    assert_int_equal(monitor_log_draft_length(), strlen("monitor: ")); /* a part of it */
    csr_file_write("mip", 0);
    tell_all();
    assert_string_equal(log_text(), "monitor: tenant linux: suspended\n"
                                    "monitor: tenant other: suspended\n"
                                    "monitor: tenant linux: resumed\n"
                                    "monitor: tenant other: starts\n");
}

/* Where nothing else is due the call does it all, unless the vhart has to be put aside first. */
static void test_suspend_gives_way_at_once(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    vhart->attended = 1;
    assert_true(foreground_suspend(vhart, 0x80002000, 77));
    assert_true(vhart->loading && hart->reschedule);
    assert_int_equal(routing_resets, 0);
    vhart->attended = 0;
    leave(vhart);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    assert_true(foreground_suspend(&OTHER->vharts[0], 0x88402000, 78));
    assert_int_equal(OTHER->state, TENANT_DORMANT);
    assert_false(vhart->loading);
    assert_ptr_equal(run_to_tenant(), vhart);
}

/* What is left is done in its time, before anything of it runs; no event of it comes in between. */
static void test_suspend_gives_way_in_between(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    events_of(vhart)->takes = true;
    vhart->uses_features = true;
    *local_event(vhart) = (struct software_event){
        .state = SOFTWARE_EVENT_ENABLED, .pending = true, .entry_pc = 0x80003000};
    csr_file_write("mip", INTERRUPT_MTI);
    assert_true(foreground_suspend(vhart, 0x80002000, 77));
    for (unsigned parts = 0; vhart->loading && LINUX->state == TENANT_RUNNING; parts++) {
        assert_true(parts < 1000 && hart->reschedule);
        assert_ptr_equal(sources_owner, LINUX);
        software_events_deliver(vhart);
        assert_int_equal(local_event(vhart)->state, SOFTWARE_EVENT_ENABLED);
        foreground_go_on(vhart);
    }
    csr_file_write("mip", 0);
    assert_int_equal(LINUX->state, TENANT_DORMANT);
    assert_int_equal(devices_reset, 1);
    assert_int_equal(routing_resets, 1);
    assert_false(vhart->loading);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    assert_true(suspend(&OTHER->vharts[0], 0x88402000, 78));
    assert_ptr_equal(run_to_tenant(), vhart);
    assert_int_equal(local_event(vhart)->state, SOFTWARE_EVENT_RUNNING); /* it waited */
    assert_int_equal(local_event(vhart)->interrupted.sepc, 0);
    assert_int_equal(vhart->world.registers[REGISTER_PC], 0x80003000);
}

/* The one that was to come has gone meanwhile: it goes on at once, where it wanted to. */
static void test_suspend_finds_nobody_in_the_end(void **state)
{
    struct vhart *vhart = &vharts[0];

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    suspend_in_between(vhart);
    assert_true(vhart->loading);
    OTHER->state = TENANT_STOPPED; /* and takes no turn */
    open_steps = 3;                /* its devices have been given back */
    leave(vhart);
    assert_false(vhart->loading);
    assert_int_equal(open_steps, 0);
    assert_ptr_equal(hart->plic_user, vhart);
    tell_all();
    assert_string_equal(log_text(), "monitor: tenant linux: suspended\n"
                                    "monitor: tenant linux: resumed\n");
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    assert_int_equal(LINUX->given_back.giver + LINUX->given_back.next, 0);
    assert_ptr_equal(run_to_tenant(), vhart);
    assert_int_equal(vhart->world.registers[REGISTER_PC], 0x80002000);
    assert_int_equal(vhart->world.registers[REGISTER_A1], 77);
}

/* The one whom the user has asked for is not at rest at that moment: it is not forgotten. */
static void test_who_is_asked_for_comes_by_the_next_suspend(void **state)
{
    struct vhart *vhart = &vharts[0];

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    OTHER->state = TENANT_STOPPED; /* takes no turn by itself */
    assert_true(foreground_request(OTHER));
    suspend_in_between(vhart);
    OTHER->state = TENANT_STOPPING;
    leave(vhart);
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    assert_ptr_equal(run_to_tenant(), vhart);
    OTHER->state = TENANT_STOPPED;
    assert_true(suspend(vhart, 0x80002000, 77));
    assert_int_equal(LINUX->state, TENANT_DORMANT);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
}

/* A device that does not reach the memory yet would fail: the vhart waits for it. */
static void test_devices_reach_the_memory_before_the_first_vhart_runs(void **state)
{
    (void)state;
    open_steps = 3;
    start_group(COTENANT_REFUSAL_SAY);
    assert_int_equal(open_steps, 0);
    assert_ptr_equal(opened, LINUX);
    open_steps = 2;
    close_steps = 3;
    assert_true(foreground_suspend(&vharts[0], 0x80002000, 77));
    assert_int_equal(LINUX->state, TENANT_RUNNING); /* it waits for that */
    foreground_go_on(&vharts[0]);
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    foreground_go_on(&vharts[0]);
    assert_int_equal(LINUX->state, TENANT_DORMANT);
    assert_null(opened);
    assert_int_equal(routing_resets, 1); /* and nothing else is done twice */
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    assert_int_equal(open_steps, 0);
    assert_ptr_equal(opened, OTHER);
    open_steps = 2;
    assert_true(foreground_suspend(&OTHER->vharts[0], 0x88402000, 78));
    assert_true(vharts[0].loading);
    assert_int_equal(vharts[0].state, VHART_RESUME_PENDING);
    foreground_go_on(&vharts[0]);
    assert_false(vharts[0].loading);
    assert_int_equal(open_steps, 0);
    assert_ptr_equal(run_to_tenant(), &vharts[0]);
    close_steps = 3;
    tenant_halt(LINUX, TENANT_STOPPED);
    finish_stops();
    assert_int_equal(close_steps, 0);
    assert_ptr_equal(opened, NULL);
}

/* It is stopped while it is about to leave, or sleeps and could leave: it stops, and no more. */
static void test_stop_is_not_lost_in_a_suspend(void **state)
{
    struct vhart *vhart = &vharts[0];

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    suspend_in_between(vhart);
    LINUX->state = TENANT_STOPPING; /* by another hart, whose message is on its way */
    foreground_go_on(vhart);
    assert_true(vhart->loading);
    assert_int_equal(LINUX->state, TENANT_STOPPING);
    LINUX->state = TENANT_RUNNING;
    tenant_halt(LINUX, TENANT_STOPPED);
    finish_stops();
    assert_false(vhart->loading);
    assert_int_equal(LINUX->state, TENANT_STOPPED);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
}

static void test_nap_of_one_that_stops_does_not_end_in_a_suspend(void **state)
{
    struct vhart *vhart = &vharts[0];

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    assert_true(foreground_request(OTHER));
    *suspend_of(vhart) = (struct suspend){.nap_pc = 0x80002000, .of_system = true};
    LINUX->state = TENANT_STOPPING;
    foreground_end_nap_here(vhart);
    assert_int_equal(LINUX->state, TENANT_STOPPING);
    LINUX->state = TENANT_RUNNING;
    foreground_end_nap_here(vhart);
    leave(vhart);
    assert_int_equal(LINUX->state, TENANT_DORMANT);
}

static void test_devices_are_given_back_before_interrupts(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    csr_file_write("mip", INTERRUPT_MTI); /* one part each time */
    while (devices_reset == 0) {
        assert_true(give_back_step(LINUX));
    }
    assert_int_equal(routing_resets, 0);
    while (routing_resets == 0) {
        assert_true(give_back_step(LINUX));
    }
    csr_file_write("mip", 0);
    assert_true(suspend(vhart, 0x80002000, 77)); /* and nothing twice */
    assert_int_equal(devices_reset, 1);
    assert_int_equal(routing_resets, 1);
    /* From the beginning in another life. */
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    assert_true(suspend(&OTHER->vharts[0], 0x88402000, 78));
    assert_ptr_equal(run_to_tenant(), vhart);
    devices_reset = routing_resets = 0;
    assert_true(give_back_step(LINUX));
    tenant_reboot(LINUX);
    finish_stops();
    assert_ptr_equal(run_to_tenant(), vhart);
    devices_reset = routing_resets = 0;
    assert_true(suspend(vhart, 0x80002000, 77));
    assert_int_equal(devices_reset, 1);
    assert_int_equal(routing_resets, 1);
}

static void test_nobody_else_is_a_nap(void **state)
{
    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    assert_false(suspend(&RTOS->vharts[0], 0, 0)); /* has no group */
    assert_true(tenant_command(OTHER, COMMAND_LOAD));
    assert_false(suspend(&LINUX->vharts[0], 0x80002000, 1)); /* is being loaded */
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    assert_int_equal(devices_reset, 0);
}

static void test_who_is_asked_for_comes(void **state)
{
    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    made.tenants[2].flags = 0; /* does not take turns */
    assert_false(foreground_request(LINUX));
    assert_false(foreground_request(RTOS));
    assert_false(tenant_command(OTHER, COMMAND_START));
    assert_false(suspend(&LINUX->vharts[0], 0x80002000, 1));
    key_pressed = NULL;
    assert_true(tenant_command(OTHER, COMMAND_SWITCH));
    assert_ptr_equal(key_pressed, LINUX);
    assert_true(foreground_deadline() != TIME_NEVER);
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    assert_true(suspend(&LINUX->vharts[0], 0x80002000, 1));
    assert_true(foreground_deadline() == TIME_NEVER);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    assert_false(tenant_command(LINUX, COMMAND_RESTART));
}

static void test_who_naps_is_sent_away(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    made.tenants[2].flags = 0;
    assert_false(suspend(vhart, 0x80002000, 1));
    *suspend_of(vhart) = (struct suspend){.nap_pc = 0x80002000, .of_system = true};
    assert_true(tenant_command(OTHER, COMMAND_SWITCH));
    leave(vhart);
    assert_int_equal(LINUX->state, TENANT_DORMANT);
    assert_int_equal(suspend_of(vhart)->nap_pc, 0);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    assert_true(suspend(&OTHER->vharts[0], 0x88402000, 2));
    assert_ptr_equal(run_to_tenant(), vhart);
    assert_int_equal(vhart->world.registers[REGISTER_PC], 0x80002000);
}

/* It shares its hart, and nobody comes in its place. */
static void suspend_where_it_yields(struct vhart *vhart)
{
    made.vharts[0].flags |= COTENANT_VHART_WFI_YIELDS;
    start_group(COTENANT_REFUSAL_SAY);
    made.tenants[2].flags = 0;
    assert_false(suspend(vhart, 0x80002000, 1));
}

/* The same for one that shares its hart, and so waits in the scheduler. */
static void test_who_waits_in_a_suspend_is_sent_away(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    suspend_where_it_yields(vhart);
    vhart_suspend(vhart, true);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_WAITING);
    assert_true(tenant_command(OTHER, COMMAND_SWITCH));
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_READY);
    leave(vhart);
    assert_int_equal(LINUX->state, TENANT_DORMANT);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
}

/* A suspend that an interrupt ends at once is over: a WFI that follows is none. */
static void test_wait_behind_a_suspend_is_none(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    suspend_where_it_yields(vhart);
    csr_file_write("mie", INTERRUPT_SSI);
    csr_file_write("mip", INTERRUPT_SSI);
    vhart_suspend(vhart, true);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_READY);
    assert_ptr_equal(run_to_tenant(), vhart);
    vhart_wait(vhart); /* WFI; its other harts run again by now */
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_WAITING);
    assert_false(vhart_is_suspended(vhart));
    assert_true(tenant_command(OTHER, COMMAND_SWITCH));
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_WAITING);
    assert_false(vhart->loading);
}

/* The same of one that begins to wait and is due before another one is chosen. */
static void test_wait_behind_a_short_suspend_is_none(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    suspend_where_it_yields(vhart);
    csr_file_write("mie", INTERRUPT_SSI);
    vhart_suspend(vhart, true);
    vhart_interrupt(vhart, INTERRUPT_SSI);
    assert_ptr_equal(run_to_tenant(), vhart);
    vhart_wait(vhart);
    assert_int_equal(vhart->schedulable.state, SCHEDULABLE_WAITING);
    assert_false(vhart_is_suspended(vhart));
}

/* What it left when it was stopped is not of its next life. */
static void test_suspend_of_one_that_stops_is_forgotten(void **state)
{
    struct vhart *vhart = &vharts[0]; /* of Linux */

    (void)state;
    made.vharts[0].flags = 0;
    start_group(COTENANT_REFUSAL_SAY);
    vhart_suspend(vhart, true);
    assert_true(vhart_is_suspended(vhart));
    tenant_reboot(LINUX);
    finish_stops();
    assert_false(vhart_is_suspended(vhart));
    assert_ptr_equal(run_to_tenant(), vhart);
    assert_false(suspend_of(vhart)->of_system);
}

static void test_patience_ends(void **state)
{
    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    assert_true(foreground_request(OTHER));
    foreground_refused(LINUX, "its suspend was refused: not to RAM");
    foreground_refused(LINUX, "told once");
    mtime += 4999999; /* 10 MHz */
    foreground_look(mtime);
    finish_stops();
    assert_true(foreground_deadline() != TIME_NEVER);
    mtime++;
    foreground_look(mtime);
    finish_stops();
    assert_true(foreground_deadline() == TIME_NEVER);
    assert_int_equal(LINUX->state, TENANT_RUNNING);
    assert_int_equal(devices_reset, 0);
    tell_all();
    assert_string_equal(log_text(),
                        "monitor: tenant linux: asked to suspend for other\n"
                        "monitor: tenant linux: its suspend was refused: not to RAM\n"
                        "monitor: tenant linux: did not suspend in time and stays in the "
                        "foreground, instead of other\n");
    foreground_refused(LINUX, "of no interest now");
    tell_all();
    assert_string_equal(log_text(), "");
}

/* What was refused is told, although the user asks once more before it is. */
static void test_a_refusal_is_told_behind_the_next_request(void **state)
{
    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    assert_true(foreground_request(OTHER));
    foreground_refused(LINUX, "its suspend was refused: not to RAM");
    assert_true(foreground_request(OTHER));
    tell_all();
    assert_string_equal(log_text(), "monitor: tenant linux: asked to suspend for other\n"
                                    "monitor: tenant linux: its suspend was refused: not to RAM\n");
}

/* Another message comes between two parts: it begins anew. */
static void test_a_message_of_two_tenants_is_told_in_parts(void **state)
{
    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    assert_true(foreground_request(OTHER));
    csr_file_write("mip", INTERRUPT_MTI);
    while (monitor_log_draft_length() < strlen("monitor: tenant linux: asked to suspend for ")) {
        assert_true(foreground_tell());
    }
    monitor_log_begin();
    monitor_puts("another one\n");
    tell_all();
    csr_file_write("mip", 0);
    assert_string_equal(log_text(), "monitor: another one\n"
                                    "monitor: tenant linux: asked to suspend for other\n");
}

static void test_force_stops_and_switches(void **state)
{
    (void)state;
    start_group(COTENANT_REFUSAL_FORCE);
    assert_true(foreground_request(OTHER));
    mtime += 5000000;
    foreground_look(mtime);
    finish_stops();
    assert_int_equal(LINUX->state, TENANT_STOPPED);
    assert_int_equal(devices_reset, 1);
    assert_int_equal(focus, 2);
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    /* It takes no turns, but starts anew when it is asked for. */
    assert_false(suspend(&OTHER->vharts[0], 0x88402000, 2));
    assert_true(foreground_request(LINUX));
    assert_true(suspend(&OTHER->vharts[0], 0x88402000, 2));
    assert_ptr_equal(run_to_tenant(), &LINUX->vharts[0]);
    assert_int_equal(LINUX->vharts[0].world.registers[REGISTER_PC], made.tenants[0].entry);
}

static void test_the_end_of_one_is_the_turn_of_the_next(void **state)
{
    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    tenant_reboot(LINUX); /* stays where it is */
    finish_stops();
    assert_ptr_equal(run_to_tenant(), &LINUX->vharts[0]);
    assert_true(suspend(&LINUX->vharts[0], 0x80002000, 1));
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    devices_reset = routing_resets = 0;
    assert_true(tenant_command(LINUX, COMMAND_STOP)); /* dormant: the devices are not its own */
    finish_stops();
    assert_int_equal(LINUX->state, TENANT_STOPPED);
    assert_int_equal(devices_reset + routing_resets, 0);
    tenant_shut_down(OTHER, "shutdown");
    finish_stops();
    assert_int_equal(devices_reset, 1);
    assert_null(running());
    assert_true(lifecycle_is_over());
    assert_true(tenant_command(LINUX, COMMAND_START)); /* nobody is in its way */
    assert_ptr_equal(run_to_tenant(), &LINUX->vharts[0]);
    assert_ptr_equal(sources_owner, LINUX);
    assert_true(tenant_command(LINUX, COMMAND_DESTROY));
    finish_stops();
    assert_null(run_to_tenant());
}

static void test_dormant_is_woken_by_the_end_of_the_active_one(void **state)
{
    (void)state;
    start_group(COTENANT_REFUSAL_SAY);
    assert_true(suspend(&LINUX->vharts[0], 0x80002000, 1));
    assert_ptr_equal(run_to_tenant(), &OTHER->vharts[0]);
    tenant_crash(&OTHER->vharts[0], (const uint64_t[CRASH_PC]){0});
    finish_stops();
    assert_int_equal(OTHER->state, TENANT_CRASHED);
    assert_ptr_equal(run_to_tenant(), &LINUX->vharts[0]);
    assert_int_equal(LINUX->vharts[0].world.registers[REGISTER_PC], 0x80002000);
}

/*
 * Hostile harts can see to it that there is mail for one of their vharts, and the hart is wanted,
 * each time: the others have their turns all the same, one each time.
 */
static void test_mail_is_taken_in_turns_while_the_hart_is_wanted(void **state)
{
    (void)state;
    start_all();
    while (running()->loading) {
        tenant_load_step(running()->tenant);
    }
    for (unsigned i = 0; i < 3; i++) {
        messages_post(&vharts[i], REQUEST_FENCE_I);
    }
    csr_file_write("mip", INTERRUPT_MTI);
    for (unsigned i = 0; i < 3; i++) {
        unsigned left = 0;

        messages_post(&vharts[0], REQUEST_FENCE_I);
        requests_take(hart);
        for (unsigned j = 0; j < 3; j++) {
            left += vharts[j].requests != 0;
        }
        assert_int_equal(left, i == 0 ? 2 : 3 - i);
        assert_int_equal(msip[0], 1); /* it will look again */
    }
    assert_int_equal(vharts[1].requests | vharts[2].requests, 0);
    csr_file_write("mip", 0);
    requests_take(hart);
    assert_int_equal(hart->mail | vharts[0].requests, 0);
    assert_int_equal(msip[0], 0);
}

/* What one vhart has been asked for adds up to more than the hart may be kept from who waits. */
static void test_a_wanted_hart_does_one_of_several_requests(void **state)
{
    const uint32_t requests[] = {REQUEST_LOAD, REQUEST_ROUTING, REQUEST_EVENTS};
    uint32_t left = REQUEST_LOAD | REQUEST_ROUTING | REQUEST_EVENTS;

    (void)state;
    start_all();
    while (running()->loading) {
        tenant_load_step(running()->tenant);
    }
    messages_post(running(), left);
    csr_file_write("mip", INTERRUPT_MTI);
    for (unsigned i = 0; i < 3; i++) {
        rerouted = NULL;
        requests_take(hart);
        left &= ~requests[i];
        assert_int_equal(running()->requests, left);
        assert_int_equal(msip[0], left != 0); /* it will look again */
        assert_ptr_equal(rerouted, requests[i] == REQUEST_ROUTING ? running() : NULL);
    }
    csr_file_write("mip", 0);
    messages_post(running(), REQUEST_LOAD | REQUEST_ROUTING | REQUEST_EVENTS);
    requests_take(hart);
    assert_int_equal(hart->mail | running()->requests, 0);
    assert_int_equal(msip[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_only_automatic_ones_start, set_up),
        cmocka_unit_test_setup(test_images_are_loaded_by_priority, set_up),
        cmocka_unit_test_setup(test_shutdown, set_up),
        cmocka_unit_test_setup(test_shutdown_while_loading, set_up),
        cmocka_unit_test_setup(test_every_other_step_loads_when_the_hart_is_wanted, set_up),
        cmocka_unit_test_setup(test_reboot_wipes_and_starts_anew, set_up),
        cmocka_unit_test_setup(test_reboots_do_not_refill_the_budget, set_up),
        cmocka_unit_test_setup(test_crash_is_named, set_up),
        cmocka_unit_test_setup(test_last_vhart_ends_the_tenant, set_up),
        cmocka_unit_test_setup(test_vharts_of_one_hart_let_go_of_it_one_by_one, set_up),
        cmocka_unit_test_setup(test_wait_until_an_enabled_interrupt, set_up),
        cmocka_unit_test_setup(test_wait_with_something_pending_is_none, set_up),
        cmocka_unit_test_setup(test_wait_until_the_timer, set_up),
        cmocka_unit_test_setup(test_start_on_another_hart, set_up),
        cmocka_unit_test_setup(test_interrupts_of_another_hart, set_up),
        cmocka_unit_test_setup(test_mail_is_taken_in_turns_while_the_hart_is_wanted, set_up),
        cmocka_unit_test_setup(test_a_wanted_hart_does_one_of_several_requests, set_up),
        cmocka_unit_test_setup(test_higher_priority_is_left_alone, set_up),
        cmocka_unit_test_setup(test_ipis_that_are_not_seen_disturb_once, set_up),
        cmocka_unit_test_setup(test_halt_over_two_harts, set_up),
        cmocka_unit_test_setup(test_mail_follows_a_vhart, set_up),
        cmocka_unit_test_setup(test_who_is_waited_for_gets_the_hart, set_up),
        cmocka_unit_test_setup(test_who_waits_holds_up_no_other_stop, set_up),
        cmocka_unit_test_setup(test_reboot_from_another_hart, set_up),
        cmocka_unit_test_setup(test_halt_overtakes_a_start, set_up),
        cmocka_unit_test_setup(test_shutdown_while_another_hart_loads, set_up),
        cmocka_unit_test_setup(test_console_is_woken, set_up),
        cmocka_unit_test_setup(test_commands_by_state, set_up),
        cmocka_unit_test_setup(test_stop_takes_back_a_restart, set_up),
        cmocka_unit_test_setup(test_load_then_start, set_up),
        cmocka_unit_test_setup(test_the_first_vhart_starts_in_a_step_of_its_own, set_up),
        cmocka_unit_test_setup(test_stop_right_before_the_start, set_up),
        cmocka_unit_test_setup(test_own_vharts_let_go_in_steps, set_up),
        cmocka_unit_test_setup(test_destroy_clears_the_memory, set_up),
        cmocka_unit_test_setup(test_restart_on_crash_and_shutdown, set_up),
        cmocka_unit_test_setup(test_a_tenant_that_fails_has_crashed, set_up),
        cmocka_unit_test_setup(test_devices_are_reset, set_up),
        cmocka_unit_test_setup(test_members_come_in_turn, set_up),
        cmocka_unit_test_setup(test_suspend_brings_the_next_one, set_up),
        cmocka_unit_test_setup(test_suspend_gives_way_at_once, set_up),
        cmocka_unit_test_setup(test_suspend_gives_way_in_between, set_up),
        cmocka_unit_test_setup(test_suspend_finds_nobody_in_the_end, set_up),
        cmocka_unit_test_setup(test_who_is_asked_for_comes_by_the_next_suspend, set_up),
        cmocka_unit_test_setup(test_devices_reach_the_memory_before_the_first_vhart_runs, set_up),
        cmocka_unit_test_setup(test_stop_is_not_lost_in_a_suspend, set_up),
        cmocka_unit_test_setup(test_nap_of_one_that_stops_does_not_end_in_a_suspend, set_up),
        cmocka_unit_test_setup(test_devices_are_given_back_before_interrupts, set_up),
        cmocka_unit_test_setup(test_nobody_else_is_a_nap, set_up),
        cmocka_unit_test_setup(test_who_is_asked_for_comes, set_up),
        cmocka_unit_test_setup(test_who_naps_is_sent_away, set_up),
        cmocka_unit_test_setup(test_who_waits_in_a_suspend_is_sent_away, set_up),
        cmocka_unit_test_setup(test_wait_behind_a_suspend_is_none, set_up),
        cmocka_unit_test_setup(test_wait_behind_a_short_suspend_is_none, set_up),
        cmocka_unit_test_setup(test_suspend_of_one_that_stops_is_forgotten, set_up),
        cmocka_unit_test_setup(test_patience_ends, set_up),
        cmocka_unit_test_setup(test_a_refusal_is_told_behind_the_next_request, set_up),
        cmocka_unit_test_setup(test_a_message_of_two_tenants_is_told_in_parts, set_up),
        cmocka_unit_test_setup(test_force_stops_and_switches, set_up),
        cmocka_unit_test_setup(test_the_end_of_one_is_the_turn_of_the_next, set_up),
        cmocka_unit_test_setup(test_dormant_is_woken_by_the_end_of_the_active_one, set_up),
        cmocka_unit_test_setup(test_heartbeats_belong_to_a_life, set_up),
    };

    return cmocka_run_group_tests_name("lifecycle", tests, NULL, NULL);
}
