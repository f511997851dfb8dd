/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shortcuts of entry/fast_switch.c beside the plain path: from random states, each shortcut
 * must either change nothing or leave exactly what the plain path leaves. Where a shortcut puts off
 * what else is due, the timer has to be due at once, and the plain path then finds the same vhart.
 */
#include <string.h>

#include "arch/csr.h"
#include "arch/instruction.h"
#include "arch/timer.h"
#include "arch/wait.h"
#include "cmocka_tests.h"
#include "entry/fast_switch.h"
#include "features/plic/routing.h"
#include "random.h"

#define COUNT 5
#define ROUNDS 60000
#define START 1000
#define STIMECMP "0x14d"

/* Everything that a switch may change. */
static struct {
    struct hart hart;
    struct vhart vharts[COUNT];
    uint64_t mtimecmp;
    uint32_t plic_threshold;
} now_is, before, after_shortcut;

#define HART (&now_is.hart)

static uint64_t mtime;
static struct random source = {.state = 0x66617374};
static unsigned taken;
static unsigned refused;
static unsigned put_aside;
static unsigned claimed;

/* What is put aside is in no state that this test compares. */
void attended_leave(struct hart *hart)
{
    assert_ptr_equal(hart, HART);
    put_aside++;
}

/* The plain path is here below. */
world_change hart_schedule(struct hart *hart)
{
    assert_ptr_equal(hart, HART);
    return change_world(NULL, NULL);
}

static bool chance(uint32_t one_in)
{
    return random_below(&source, one_in) == 0;
}

/* The one whose registers another one has displaced, by its number; or COUNT. */
static int displaced;

/* Takes its time, so that another vhart may become due meanwhile. */
void fp_claim(struct vhart *vhart)
{
    assert_true(vhart->brings_registers);
    vhart->brings_registers = false;
    if (chance(2)) {
        HART->loaded->brings_registers = true;
        displaced = (int)(HART->loaded - now_is.vharts);
    }
    mtime += random_below(&source, 3);
    if (chance(20)) {
        csr_file_write("mip", INTERRUPT_STI);
    }
    claimed++;
}

static uint64_t some_time(void)
{
    return chance(6) ? TIME_NEVER : mtime + random_below(&source, 60);
}

static void make_vhart(struct vhart *vhart)
{
    vhart->world.hart = HART;
    vhart->world.deadline = some_time();
    vhart->world.mstatus = chance(8) ? 0 : MSTATUS_MPP_S;
    vhart->brings_registers = chance(2);
    vhart->loading = chance(12);
    vhart->schedulable.priority = random_below(&source, 4);
    vhart->work_patience = vhart->schedulable.priority * 10;
    vhart->schedulable.slice = 1 + random_below(&source, 20);
    vhart->plic_threshold = random_below(&source, 8);
    if (chance(5)) {
        vhart_limit(vhart, 1 + random_below(&source, 30), 40);
    }
}

/* The vhart whose registers are in the hart, some others that are ready, some that wait. */
static void make_state(void)
{
    memset(&now_is, 0, sizeof(now_is));
    mtime = START;
    HART->mtime = &mtime;
    HART->mtimecmp = &now_is.mtimecmp;
    HART->plic_threshold = &now_is.plic_threshold;
    HART->attended_vharts = chance(2);
    HART->attended_last = chance(2) ? &now_is.vharts[0].schedulable : NULL;
    HART->features = chance(2) ? HART_SSTC : 0;
    HART->work_due = chance(6) ? WORK_NEVER : mtime + random_below(&source, 60);
    scheduler_init(&HART->scheduler, START);
    for (int i = 0; i < COUNT; i++) {
        make_vhart(&now_is.vharts[i]);
        if (!chance(6)) {
            schedule_start(&HART->scheduler, &now_is.vharts[i].schedulable, START);
            if (chance(2)) {
                schedule_wait(&HART->scheduler, &now_is.vharts[i].schedulable, some_time());
            }
        }
    }
}

static uint64_t work_moment(struct schedulable *next)
{
    return HART->work_due + (next == NULL ? 0 : vhart_of(next)->work_patience);
}

/* hart_schedule() of entry/run.c up to the point where it idles or loads images. */
static void plain_schedule(void)
{
    struct schedulable *next;
    struct vhart *vhart;
    uint64_t event;

    HART->reschedule = false;
    next = schedule_next(&HART->scheduler, mtime);
    if (mtime >= work_moment(next)) {
        HART->work_due = WORK_NEVER;
        next = schedule_next(&HART->scheduler, mtime);
    }
    event = schedule_deadline(&HART->scheduler, mtime);
    event = work_moment(next) < event ? work_moment(next) : event;
    vhart = next == NULL ? NULL : vhart_of(next);
    if (vhart == NULL || vhart->loading) {
        timer_program(HART, NULL, event);
        return;
    }
    timer_check(vhart, mtime);
    timer_program(HART, vhart, event);
    if (HART->loaded != vhart) {
        vhart->brings_registers = false;
        if (displaced != COUNT) {
            now_is.vharts[displaced].brings_registers = true;
        }
        fast_route(HART, vhart);
        HART->loaded = vhart;
    }
    fast_foresee(HART);
}

/* What has gone before: turns begun, slices cut short by somebody more urgent. */
static void make_past(void)
{
    for (uint32_t steps = random_below(&source, 5); steps > 0; steps--) {
        struct schedulable *entity = &now_is.vharts[random_below(&source, COUNT)].schedulable;

        if (entity->state == SCHEDULABLE_WAITING) {
            schedule_wake(&HART->scheduler, entity, mtime);
        } else if (chance(3)) {
            schedule_wait(&HART->scheduler, entity, some_time());
        }
        plain_schedule();
        mtime += random_below(&source, 20);
    }
}

/* False where nobody has the hart: then there is nothing to switch from. */
static bool begin(void)
{
    displaced = COUNT;
    make_state();
    make_past();
    plain_schedule();
    if (HART->scheduler.running == NULL || HART->loaded != vhart_of(HART->scheduler.running)) {
        return false;
    }
    mtime += random_below(&source, 40);
    csr_file_write("mie", random_next(&source) & INTERRUPTS_SUPERVISOR);
    csr_file_write("mip", chance(3) ? random_next(&source) & INTERRUPTS_SUPERVISOR : 0);
    csr_file_write("mtval", chance(10) ? 0 : INSTRUCTION_WFI);
    csr_file_write(STIMECMP, some_time());
    before = now_is;
    return true;
}

static bool somebody_is_due(void)
{
    return work_moment(HART->scheduler.running) <= mtime ||
           (HART->scheduler.waiting != NULL && HART->scheduler.waiting->wake <= mtime);
}

/*
 * One that is due but of lower priority than who runs may stay among those that wait; its budget is
 * then granted when it is woken.
 */
static enum schedulable_state state_of(const struct schedulable *entity)
{
    bool waits = entity->state == SCHEDULABLE_WAITING || entity->state == SCHEDULABLE_THROTTLED;

    return waits && entity->wake <= mtime ? SCHEDULABLE_READY : entity->state;
}

/* States and times of all; what a switch more or less counts is left out. */
static void assert_same_outcome(void)
{
    assert_ptr_equal(now_is.hart.scheduler.running, after_shortcut.hart.scheduler.running);
    for (int i = 0; i < COUNT; i++) {
        const struct schedulable *a = &now_is.vharts[i].schedulable;
        const struct schedulable *b = &after_shortcut.vharts[i].schedulable;

        assert_int_equal(state_of(a), state_of(b));
        assert_int_equal(a->run_time, b->run_time);
        assert_int_equal(a->slice_used, b->slice_used);
        assert_true(a->budget_used == b->budget_used || b->state != SCHEDULABLE_READY);
        assert_int_equal(now_is.vharts[i].world.interrupts,
                         after_shortcut.vharts[i].world.interrupts);
        assert_int_equal(now_is.vharts[i].world.registers[REGISTER_PC],
                         after_shortcut.vharts[i].world.registers[REGISTER_PC]);
    }
}

/* Registers may be another vhart's already: then the one that runs goes on by hart_schedule(). */
static void allow_claim(void)
{
    for (int i = 0; i < COUNT; i++) {
        if (before.vharts[i].brings_registers && !now_is.vharts[i].brings_registers) {
            before.vharts[i].brings_registers = false;
            before.hart.reschedule = true;
        }
    }
    if (displaced != COUNT) {
        before.vharts[displaced].brings_registers = true;
    }
}

/* Compares what a shortcut has left in `now_is` with what `plain` makes of the same start. */
static void judge(world_change change, void (*plain)(void))
{
    bool exact;

    if (change == NO_CHANGE) {
        refused++;
        allow_claim();
        assert_memory_equal(&now_is, &before, sizeof(now_is));
        return;
    }
    taken++;
    assert_true(change == change_world(&before.hart.loaded->world, &HART->loaded->world));
    exact = !somebody_is_due();
    if (!exact && now_is.mtimecmp <= mtime) {
        plain_schedule(); /* the interrupt that comes at once */
    }
    after_shortcut = now_is;
    now_is = before;
    plain();
    if (exact) {
        assert_memory_equal(&now_is, &after_shortcut, sizeof(now_is));
    } else {
        assert_same_outcome();
    }
}

static void plain_timer_interrupt(void)
{
    HART->loaded->world.interrupts++;
    plain_schedule();
}

static void plain_wfi(void)
{
    struct vhart *vhart = HART->loaded;

    vhart->world.registers[REGISTER_PC] += 4;
    vhart_wait(vhart);
    if (HART->reschedule) {
        plain_schedule();
    }
}

static void test_wake(void **state)
{
    (void)state;
    taken = refused = put_aside = claimed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (begin()) {
            judge(fast_wake(HART, mtime), plain_timer_interrupt);
        }
    }
    assert_true(taken > ROUNDS / 200 && refused > ROUNDS / 200 && put_aside > ROUNDS / 1000 &&
                claimed > ROUNDS / 1000);
}

/* The trap has woken a vhart, lets the running one wait, or neither. */
static void change_something(void)
{
    struct schedulable *entity = &now_is.vharts[random_below(&source, COUNT)].schedulable;

    if (chance(3)) {
        schedule_wait(&HART->scheduler, HART->scheduler.running, some_time());
    } else if (chance(3)) {
        schedule_wake(&HART->scheduler, entity, mtime);
    }
    if (chance(20)) {
        HART->loaded = NULL;
    }
    HART->reschedule = true;
    before = now_is;
}

static void test_preempt(void **state)
{
    (void)state;
    taken = refused = put_aside = claimed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (begin()) {
            change_something();
            judge(fast_preempt(HART), plain_timer_interrupt);
        }
    }
    assert_true(taken > ROUNDS / 200 && refused > ROUNDS / 200 && put_aside > ROUNDS / 1000 &&
                claimed > ROUNDS / 1000);
}

static void test_wait(void **state)
{
    (void)state;
    taken = refused = claimed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (begin()) {
            judge(fast_wait(HART), plain_wfi);
        }
    }
    assert_true(taken > ROUNDS / 200 && refused > ROUNDS / 200 && claimed > ROUNDS / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wake),
        cmocka_unit_test(test_preempt),
        cmocka_unit_test(test_wait),
    };

    return cmocka_run_group_tests_name("fast_switch", tests, NULL, NULL);
}
