/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler of a hart, from any order of up to three that are ready and up to three that wait:
 * after each operation each of them is in the list of its state and in no other, the lists have an
 * end and are in order, the waiting one in both directions, and who was chosen heads the ready one.
 *
 * Of two values the analysis knows in which interval each lies, not which is the greater one. So
 * what decides where one goes is chosen here, one case after the other: priorities of those that
 * are ready, moments, and whose turn or budget is over.
 */
#include "cases.h"
#include "proof.h"

#include "core/scheduler.c"

#define MOST_READY 3
#define MOST_WAITING 3
/* Vharts among which one is chosen. */
#define MOST_CHOSEN 3
#define ENTITIES (MOST_READY + MOST_WAITING + 1)

/* Only the order of moments matters. */
enum { EARLY, FIRST, BETWEEN, SECOND, LATE, NEVER, MOMENTS };
static const uint64_t moments[MOMENTS] = {0, 100, 200, 300, 400, TIME_NEVER};

/* What those that wait do so for. */
static const uint64_t wakes[MOST_WAITING] = {100, 300, TIME_NEVER};

static struct schedulable own[ENTITIES];
static struct scheduler scheduler;

static void make(struct schedulable *entity)
{
    *entity = (struct schedulable){.state = SCHEDULABLE_OFF, .priority = any32()};
    entity->slice = any64();
    //@ admit entity->slice > 0;
    entity->slice_used = any64();
    entity->budget = any64();
    entity->budget_used = any64();
    entity->period = any64();
    entity->period_start = any64();
    entity->run_time = any64();
    entity->switches = any64();
    entity->lateness = any64();
}

static void set_up(unsigned ready, unsigned waiting)
{
    scheduler_init(&scheduler, any64());
    for (unsigned i = 0; i < ENTITIES; i++) {
        make(&own[i]);
    }
    for (unsigned i = 0; i < ready; i++) {
        own[i].state = SCHEDULABLE_READY;
        own[i].next = i + 1 < ready ? &own[i + 1] : NULL;
    }
    for (unsigned i = 0; i < waiting; i++) {
        insert_waiting(&scheduler, &own[MOST_READY + i], SCHEDULABLE_WAITING, wakes[i]);
    }
    scheduler.ready = ready == 0 ? NULL : &own[0];
    scheduler.running = scheduler.ready;
}

/* Of lists with an end, whose members' states differ: each is in one of them, and there once. */
static void check(void)
{
    const struct schedulable *before = NULL;
    unsigned found = 0;
    unsigned expected = 0;

    for (const struct schedulable *each = scheduler.ready; each != NULL; each = each->next) {
        //@ assert found < ENTITIES && each->state == SCHEDULABLE_READY;
        found++;
    }
    for (const struct schedulable *each = scheduler.waiting; each != NULL; each = each->next) {
        //@ assert found < ENTITIES;
        //@ assert each->state == SCHEDULABLE_WAITING || each->state == SCHEDULABLE_THROTTLED;
        //@ assert before == NULL || (each->previous == before && before->wake <= each->wake);
        before = each;
        found++;
    }
    //@ assert before == NULL || scheduler.last == before;
    for (unsigned i = 0; i < ENTITIES; i++) {
        expected += own[i].state != SCHEDULABLE_OFF ? 1 : 0;
    }
    //@ assert found == expected;
    (void)found;
    (void)expected;
}

/*
 * A new one starts, or one in any state is told to stop, to wake or to wait until any moment. How
 * much of budgets is used up has no effect on lists.
 */
#define OPERATIONS 4
#define OPERATION_CASES (OPERATIONS * ENTITIES * MOMENTS)

static void operate(unsigned ready, unsigned waiting)
{
    unsigned operation = pick(OPERATIONS);
    struct schedulable *entity = &own[pick(ENTITIES)];
    uint64_t moment = moments[pick(MOMENTS)];

    set_up(ready, waiting);
    switch (operation) {
    case 0:
        schedule_start(&scheduler, &own[ENTITIES - 1], any64());
        break;
    case 1:
        schedule_stop(&scheduler, entity);
        break;
    case 2:
        schedule_wake(&scheduler, entity, any64());
        break;
    default:
        schedule_wait(&scheduler, entity, moment);
        break;
    }
    check();
}

/* It has no budget, or some of it left, or none until one of two moments. */
static void limit(unsigned i)
{
    own[i].period_start = moments[EARLY];
    if (pick(2) == 0) {
        own[i].budget = i % 2;
        own[i].budget_used = 0;
        own[i].period = TIME_NEVER;
    } else {
        own[i].budget = 1;
        own[i].budget_used = 1 + any_up_to(1000);
        own[i].period = moments[i % 2 == 0 ? LATE : BETWEEN];
    }
}

/* Its turn is not over or is; that of one that waits begins when it is ready. */
static void spend(unsigned i)
{
    if (pick(2) == 0) {
        own[i].slice_used = 0;
    } else {
        own[i].slice = 1;
        own[i].slice_used = 1 + any_up_to(1000);
    }
}

/* Between those moments; who wakes goes before, among or behind those that are ready. */
#define NOWS 3
#define PRIORITIES 3
/* Choices for each: priority, turn and budget; of one that waits no turn. */
#define READY_KINDS (2 * 2 * 2)
#define WAITING_KINDS (PRIORITIES * 2)

static void choose(unsigned ready, unsigned waiting)
{
    uint64_t now = moments[2 * pick(NOWS)];
    struct schedulable *chosen;

    set_up(ready, waiting);
    for (unsigned i = 0; i < ready; i++) {
        own[i].priority = i == 0 ? 2 : own[i - 1].priority - pick(2);
        spend(i);
        limit(i);
    }
    for (unsigned i = MOST_READY; i < MOST_READY + waiting; i++) {
        own[i].priority = 1 + pick(PRIORITIES);
        own[i].slice_used = 0;
        own[i].lateness = 0;
        limit(i);
    }
    scheduler.charged = now;
    chosen = schedule_next(&scheduler, now);
    //@ assert chosen == scheduler.ready && chosen == scheduler.running;
    (void)chosen;
    check();
    //@ slevel merge;
    (void)schedule_deadline(&scheduler, now);
    (void)schedule_is_outdated(&scheduler, now);
}

/* The analysis keeps what a loop has seen: with many rounds in one it is slow. */
#define ROUNDS 64

static void operate_some(unsigned ready, unsigned waiting, unsigned first)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        digits = first + i;
        operate(ready, waiting);
        //@ slevel merge;
        digits = 0;
    }
}

static void choose_some(unsigned ready, unsigned waiting, unsigned first)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        digits = first + i;
        choose(ready, waiting);
        //@ slevel merge;
        digits = 0;
    }
}

static void do_all(unsigned ready, unsigned waiting)
{
    unsigned choices = NOWS;

    for (unsigned i = 0; i < ready; i++) {
        choices *= READY_KINDS;
    }
    for (unsigned i = 0; i < waiting; i++) {
        choices *= WAITING_KINDS;
    }
    //@ loop unroll OPERATION_CASES;
    for (unsigned first = 0; first < OPERATION_CASES; first += ROUNDS) {
        operate_some(ready, waiting, first);
    }
    if (ready + waiting <= MOST_CHOSEN) {
        //@ loop unroll 100;
        for (unsigned first = 0; first < choices; first += ROUNDS) {
            choose_some(ready, waiting, first);
        }
    }
}

int main(void)
{
    for (unsigned ready = 0; ready <= MOST_READY; ready++) {
        for (unsigned waiting = 0; waiting <= MOST_WAITING; waiting++) {
            do_all(ready, waiting);
        }
    }
    return 0;
}
