/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random invocations, returns, faults and restarts against a plain model: for each thread the list
 * of the components that it is in, from the one where it began, and of each whether it was
 * restarted since. A thread goes on in no component that was; its caller gets an error.
 */
#include "cmocka_tests.h"
#include "component_bench.h"
#include "random.h"

#define STEPS 400000
#define WHILE 500
#define FIRST_MODELLED 1 /* thread 0 only dispatches */

/* A place in the list. */
struct place {
    uint64_t component;
    bool dead;
    bool by_fault; /* it was entered by a fault of the one below, which goes on or is restarted */
    uint64_t sp;
};

struct list {
    struct place place[DEPTH + 1];
    unsigned top;
    unsigned faults;
};

static struct list lists[BENCH_THREADS];
static struct random rng = {0x1f2e3d4c5b6a7988};
static unsigned seen[8]; /* of each step how often it came to its interesting end */

static uint64_t home_of(unsigned thread)
{
    return table.thread[thread].component;
}

static void begin(unsigned thread)
{
    lists[thread] = (struct list){.place = {{.component = home_of(thread)}}};
}

static void die(uint64_t component);

/* Leaves places that are dead. Returns whether the thread was moved. */
static bool settle(unsigned thread)
{
    struct list *list = &lists[thread];
    bool moved = false;

    while (list->place[list->top].dead) {
        bool by_fault = list->place[list->top].by_fault;

        moved = true;
        if (list->top == 0) {
            begin(thread);
            return true;
        }
        list->top--;
        if (by_fault) { /* the handler has not helped */
            list->faults--;
            if (!list->place[list->top].dead) {
                die(list->place[list->top].component);
            }
        }
    }
    return moved;
}

/* All that were in it are taken out. */
static void die(uint64_t component)
{
    for (unsigned thread = FIRST_MODELLED; thread < BENCH_THREADS; thread++) {
        for (unsigned i = 0; i <= lists[thread].top; i++) {
            if (lists[thread].place[i].component == component) {
                lists[thread].place[i].dead = true;
            }
        }
    }
    for (unsigned thread = FIRST_MODELLED; thread < BENCH_THREADS; thread++) {
        settle(thread);
    }
}

static bool is_in(const struct list *list, uint64_t component)
{
    for (unsigned i = 0; i <= list->top; i++) {
        if (list->place[i].component == component && !list->place[i].dead) {
            return true;
        }
    }
    return false;
}

static void push(struct list *list, uint64_t component, bool by_fault)
{
    list->top++;
    list->place[list->top] = (struct place){.component = component, .by_fault = by_fault};
}

/* The kernel's threads are where the model's are. */
static void compare(void)
{
    for (unsigned id = FIRST_MODELLED; id < BENCH_THREADS; id++) {
        const struct thread *thread = thread_find(id);
        const struct list *list = &lists[id];

        assert_non_null(thread);
        assert_int_equal(thread->component->id, list->place[list->top].component);
        assert_int_equal(thread->top - thread->frame, list->top);
        assert_int_equal(thread->faults, list->faults);
        for (unsigned i = 0; i < list->top; i++) {
            const struct component *expected = list->place[i + 1].by_fault ? &component_resume
                                               : list->place[i].dead       ? &component_dead
                                                                           : NULL;

            if (expected != NULL) {
                assert_ptr_equal(thread->frame[i].component, expected);
            } else {
                assert_int_equal(thread->frame[i].component->id, list->place[i].component);
            }
        }
    }
}

/* Whether the sp of the place is what the thread has there. It was made up when it was left. */
static void check_sp(unsigned thread, bool moved)
{
    const struct list *list = &lists[thread];

    if (!moved) {
        assert_int_equal(thread_find(thread)->registers[REGISTER_SP], list->place[list->top].sp);
    }
}

static void invoke(unsigned thread)
{
    struct list *list = &lists[thread];
    uint64_t from = list->place[list->top].component;
    uint64_t index = random_below(&rng, 4);
    struct component *target = component_find(from)->capability[index].target;
    uint64_t value = random_next(&rng);

    list->place[list->top].sp = kernel.current->registers[REGISTER_SP] = random_next(&rng);
    bench_call((int64_t)index, value, 0, 0);
    if (target == NULL) {
        assert_int_equal((int64_t)bench_argument(kernel.current, 0), ERROR_NOT_PERMITTED);
    } else if (list->top == DEPTH) {
        assert_int_equal((int64_t)bench_argument(kernel.current, 0), ERROR_DEPTH);
        seen[0]++;
    } else {
        assert_int_equal(bench_argument(kernel.current, 0), value);
        push(list, target->id, false);
    }
}

static void give_back(unsigned thread)
{
    struct list *list = &lists[thread];
    bool helps = random_below(&rng, 2) == 0;
    bool by_fault = list->place[list->top].by_fault;
    bool moved = false;

    bench_call(CALL_RETURN, 0, helps ? 0 : 5, 0);
    if (list->top == 0) {
        assert_int_equal((int64_t)bench_argument(kernel.current, 0), ERROR_EMPTY);
        seen[1]++;
        return;
    }
    bench_fall();
    list->top--;
    if (by_fault) {
        list->faults--;
        seen[2] += helps;
        if (!helps && !list->place[list->top].dead) {
            die(list->place[list->top].component);
            moved = true;
        }
    }
    moved |= settle(thread);
    if (moved) {
        seen[3]++;
        if (kernel.current->top != kernel.current->frame) {
            assert_int_equal((int64_t)bench_argument(thread_find(thread), 0), ERROR_FAILED);
        }
    }
    if (!by_fault) {
        check_sp(thread, moved);
    }
}

static void fault(unsigned thread)
{
    struct list *list = &lists[thread];
    uint64_t component = list->place[list->top].component;
    bool reported = list->faults < FAULT_DEPTH && list->top < DEPTH && !is_in(list, HANDLER);

    bench_fault(CAUSE_STORE_PAGE, random_next(&rng));
    if (reported) {
        push(list, HANDLER, true);
        list->faults++;
        seen[4]++;
    } else {
        die(component);
        seen[5]++;
    }
}

static void restart(void)
{
    uint64_t component = 1 + random_below(&rng, BENCH_COMPONENTS - 1);

    component_find(component)->data[random_below(&rng, 16)] = 'x';
    kernel_restart(component_find(component));
    assert_memory_equal(component_find(component)->data, table.component[component].data, 16);
    die(component);
    seen[6]++;
}

/* Every other while is `calm`: deep invocations, with few of what ends them. */
static void step(bool calm)
{
    unsigned thread = FIRST_MODELLED + random_below(&rng, BENCH_THREADS - FIRST_MODELLED);
    unsigned kind = random_below(&rng, 100);

    while (kernel.current->id != thread) { /* the scheduler may have events to hear first */
        if (kernel.current->id != 0) {
            bench_interrupt(5);
        }
        bench_dispatch(thread);
    }
    if (kind < (calm ? 90 : 60)) {
        invoke(thread);
    } else if (kind < (calm ? 98 : 85)) {
        give_back(thread);
    } else if (kind < (calm ? 99 : 95)) {
        fault(thread);
    } else if (kind < (calm ? 99 : 98)) {
        restart();
    } else {
        kernel_restart(component_find(SCHEDULER)); /* which changes nothing for the others */
        seen[7]++;
    }
}

static void test_random_steps_agree_with_the_model(void **state)
{
    (void)state;
    bench_start();
    for (unsigned thread = FIRST_MODELLED; thread < BENCH_THREADS; thread++) {
        begin(thread);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        step(i / WHILE % 2 == 1);
        compare();
    }
    for (unsigned i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        assert_true(seen[i] > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps_agree_with_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
