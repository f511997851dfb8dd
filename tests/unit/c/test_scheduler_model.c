/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random events on the scheduler beside a model without any list: it keeps a number for the order
 * in which entities became ready or began to wait, and looks at all of them for each question.
 *
 * At every step the deadline is compared with what the model says would happen at each of the ticks
 * until then: nobody else may run before it. How long each entity with a budget ran is written down
 * tick by tick and judged apart from both.
 */
#include <stdlib.h>
#include <string.h>

#include "cmocka_tests.h"
#include "core/scheduler.h"
#include "random.h"

#define COUNT 8
#define ROUNDS 400
#define STEPS 250
#define NOBODY (-1)
/* Ticks of one round, which all fit: a step takes at most this many. */
#define LONGEST_STEP 12
#define TICKS (STEPS * LONGEST_STEP + 1)

struct model_entity {
    enum schedulable_state state;
    uint64_t order; /* of becoming ready, or of beginning to wait */
    uint64_t wake;
    uint64_t slice_used;
    uint64_t budget_used;
    uint64_t period_start;
};

struct model {
    struct model_entity entities[COUNT];
    int running;
    uint64_t charged;
    uint64_t order;
};

static struct scheduler scheduler;
static struct schedulable entities[COUNT];
static struct model model;
static struct random source = {.state = 0x736368656475};
/* Who had the hart in each tick of the round. */
static signed char history[TICKS];

/* The model. */

static bool model_is_ready(const struct model *m, int i)
{
    return m->entities[i].state == SCHEDULABLE_READY;
}

static bool model_has_peer(const struct model *m, int i)
{
    for (int other = 0; other < COUNT; other++) {
        if (other != i && model_is_ready(m, other) &&
            entities[other].priority == entities[i].priority) {
            return true;
        }
    }
    return false;
}

/* The highest priority, and among equal ones who has been ready longest. */
static int model_head(const struct model *m)
{
    int best = NOBODY;

    for (int i = 0; i < COUNT; i++) {
        if (model_is_ready(m, i) &&
            (best == NOBODY || entities[i].priority > entities[best].priority ||
             (entities[i].priority == entities[best].priority &&
              m->entities[i].order < m->entities[best].order))) {
            best = i;
        }
    }
    return best;
}

static void model_charge(struct model *m, uint64_t now)
{
    uint64_t elapsed = now - m->charged;
    int i = m->running;

    m->charged = now;
    if (i == NOBODY) {
        return;
    }
    if (entities[i].budget != 0) {
        m->entities[i].budget_used += elapsed;
    }
    if (model_is_ready(m, i) && model_has_peer(m, i)) {
        m->entities[i].slice_used += elapsed;
    }
}

static void model_replenish(struct model *m, int i, uint64_t now)
{
    if (entities[i].budget != 0 && now >= m->entities[i].period_start + entities[i].period) {
        m->entities[i].period_start = now;
        m->entities[i].budget_used = 0;
    }
}

static void model_make_ready(struct model *m, int i, uint64_t now)
{
    model_replenish(m, i, now);
    m->entities[i].state = SCHEDULABLE_READY;
    m->entities[i].order = m->order++;
}

static void model_make_wait(struct model *m, int i, enum schedulable_state state, uint64_t wake)
{
    m->entities[i].slice_used = 0;
    m->entities[i].state = state;
    m->entities[i].wake = wake;
    m->entities[i].order = m->order++;
}

/* The earliest of those that are due, or NOBODY. */
static int model_due(const struct model *m, uint64_t now)
{
    int best = NOBODY;

    for (int i = 0; i < COUNT; i++) {
        const struct model_entity *entity = &m->entities[i];

        if ((entity->state == SCHEDULABLE_WAITING || entity->state == SCHEDULABLE_THROTTLED) &&
            entity->wake <= now &&
            (best == NOBODY || entity->wake < m->entities[best].wake ||
             (entity->wake == m->entities[best].wake && entity->order < m->entities[best].order))) {
            best = i;
        }
    }
    return best;
}

static int model_next(struct model *m, uint64_t now)
{
    int head;

    model_charge(m, now);
    for (int due = model_due(m, now); due != NOBODY; due = model_due(m, now)) {
        model_make_ready(m, due, now);
    }
    for (head = model_head(m); head != NOBODY; head = model_head(m)) {
        struct model_entity *entity = &m->entities[head];

        if (model_has_peer(m, head) && entity->slice_used >= entities[head].slice) {
            entity->slice_used = 0;
            entity->order = m->order++;
        } else {
            model_replenish(m, head, now);
            if (entities[head].budget == 0 || entity->budget_used < entities[head].budget) {
                break;
            }
            model_make_wait(m, head, SCHEDULABLE_THROTTLED,
                            entity->period_start + entities[head].period);
        }
    }
    m->running = head;
    return head;
}

/* What happens to both. */

static void make_round(void)
{
    memset(&model, 0, sizeof(model));
    memset(entities, 0, sizeof(entities));
    memset(history, NOBODY, sizeof(history));
    model.running = NOBODY;
    scheduler_init(&scheduler, 0);
    for (int i = 0; i < COUNT; i++) {
        entities[i].priority = random_below(&source, 4);
        entities[i].slice = 1 + random_below(&source, 9);
        if (random_below(&source, 3) == 0) {
            entities[i].period = 5 + random_below(&source, 40);
            entities[i].budget = 1 + random_below(&source, (uint32_t)entities[i].period - 1);
        }
    }
}

static uint64_t some_wake(uint64_t now)
{
    uint32_t choice = random_below(&source, 8);

    return choice == 0 ? TIME_NEVER : choice == 1 ? 0 : now + random_below(&source, 30);
}

static void disturb(uint64_t now)
{
    int i = (int)random_below(&source, COUNT);
    uint64_t wake = some_wake(now);

    switch (random_below(&source, 6)) {
    case 0:
        if (entities[i].state == SCHEDULABLE_OFF) {
            schedule_start(&scheduler, &entities[i], now);
            model_charge(&model, now);
            model.entities[i].slice_used = 0;
            model_make_ready(&model, i, now);
        }
        break;
    case 1:
        schedule_wake(&scheduler, &entities[i], now);
        if (model.entities[i].state == SCHEDULABLE_WAITING) {
            model_charge(&model, now);
            model_make_ready(&model, i, now);
        }
        break;
    case 2:
        if (random_below(&source, 4) == 0) {
            schedule_stop(&scheduler, &entities[i]);
            model.entities[i].state = SCHEDULABLE_OFF;
        }
        break;
    case 3:
        /* As a vhart does: the one that runs. */
        i = model.running;
        if (i != NOBODY && model_is_ready(&model, i)) {
            schedule_wait(&scheduler, &entities[i], wake);
            model_make_wait(&model, i, SCHEDULABLE_WAITING, wake);
        }
        break;
    case 4:
        /* Of those that do not run, only one that is ready would wait. */
        schedule_wait(&scheduler, &entities[i], wake);
        if (model_is_ready(&model, i)) {
            model_make_wait(&model, i, SCHEDULABLE_WAITING, wake);
        }
        break;
    default:
        break;
    }
}

/* What must be true of the lists whatever happened. */
static void assert_lists(void)
{
    int seen[COUNT] = {0};
    int length = 0;

    for (struct schedulable *each = scheduler.ready; each != NULL; each = each->next) {
        assert_true(++length <= COUNT);
        assert_int_equal(each->state, SCHEDULABLE_READY);
        assert_true(each->next == NULL || each->next->priority <= each->priority);
        seen[each - entities]++;
    }
    for (struct schedulable *each = scheduler.waiting; each != NULL; each = each->next) {
        assert_true(++length <= COUNT);
        assert_true(each->state == SCHEDULABLE_WAITING || each->state == SCHEDULABLE_THROTTLED);
        assert_true(each->next == NULL || each->next->wake >= each->wake);
        seen[each - entities]++;
    }
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(seen[i], entities[i].state != SCHEDULABLE_OFF);
    }
}

static void assert_same(void)
{
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(entities[i].state, model.entities[i].state);
        assert_int_equal(entities[i].slice_used, model.entities[i].slice_used);
        assert_int_equal(entities[i].budget_used, model.entities[i].budget_used);
        if (entities[i].budget != 0) {
            assert_int_equal(entities[i].period_start, model.entities[i].period_start);
        }
    }
}

/* Nobody else may be due before the deadline, and it must be ahead, or interrupts never end. */
static void assert_deadline_in_time(uint64_t now, int running)
{
    uint64_t deadline = schedule_deadline(&scheduler, now);

    assert_true(deadline > now);
    for (uint64_t tick = now + 1; tick < deadline && tick <= now + 2 * LONGEST_STEP; tick++) {
        struct model copy = model;

        assert_int_equal(model_next(&copy, tick), running);
    }
}

static int step(uint64_t now)
{
    struct schedulable *next = schedule_next(&scheduler, now);
    int running = model_next(&model, now);

    assert_ptr_equal(next, running == NOBODY ? NULL : &entities[running]);
    assert_ptr_equal(scheduler.running, next);
    assert_ptr_equal(scheduler.ready, next);
    assert_true(next == NULL || next->budget == 0 || next->budget_used < next->budget);
    assert_lists();
    assert_same();
    assert_deadline_in_time(now, running);
    return running;
}

/*
 * When every interrupt comes on time, nobody runs for more than its budget between two grants,
 * which are a period apart: in any window of a period there are at most two grants, and over many
 * periods one for each.
 */
static void assert_budgets(uint64_t end)
{
    for (int i = 0; i < COUNT; i++) {
        uint64_t period = entities[i].period;
        uint64_t total = 0;
        uint64_t window = 0;

        for (uint64_t tick = 0; entities[i].budget != 0 && tick < end; tick++) {
            total += history[tick] == i;
            window += history[tick] == i;
            if (tick >= period) {
                window -= history[tick - period] == i;
            }
            assert_true(window <= 2 * entities[i].budget);
        }
        if (entities[i].budget != 0) {
            assert_true(total <= (end / period + 1) * entities[i].budget);
            assert_int_equal(total, entities[i].run_time);
        }
    }
}

static void test_random_events(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t now = 0;

        make_round();
        for (int i = 0; i < STEPS; i++) {
            int running;
            uint64_t deadline;
            uint64_t next;

            for (uint32_t events = random_below(&source, 4); events > 0; events--) {
                disturb(now);
            }
            running = step(now);
            deadline = schedule_deadline(&scheduler, now);
            next = now + random_below(&source, LONGEST_STEP + 1);
            if (deadline < next) {
                next = deadline;
            }
            for (; now < next; now++) {
                history[now] = (signed char)running;
            }
        }
        schedule_next(&scheduler, now);
        assert_budgets(now);
    }
}

/* The interrupt may come late: a budget is then exceeded by no more than that. */
static void test_late_interrupts(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t now = 0;

        make_round();
        for (int i = 0; i < STEPS; i++) {
            for (uint32_t events = random_below(&source, 3); events > 0; events--) {
                disturb(now);
            }
            schedule_next(&scheduler, now);
            model_next(&model, now);
            assert_lists();
            assert_same();
            for (int each = 0; each < COUNT; each++) {
                assert_true(entities[each].budget == 0 ||
                            entities[each].budget_used < entities[each].budget + LONGEST_STEP);
            }
            now += random_below(&source, LONGEST_STEP + 1);
        }
    }
}

/* Everybody of the highest priority gets the same share, however many there are. */
static void test_equal_shares(void **state)
{
    (void)state;
    for (int sharing = 2; sharing <= COUNT; sharing++) {
        uint64_t now = 0;

        scheduler_init(&scheduler, 0);
        memset(entities, 0, sizeof(entities));
        for (int i = 0; i < COUNT; i++) {
            entities[i].priority = i < sharing ? 7 : 3;
            entities[i].slice = 10;
            schedule_start(&scheduler, &entities[i], 0);
        }
        while (now < (uint64_t)sharing * 1000) {
            assert_true(schedule_next(&scheduler, now) < &entities[sharing]);
            now = schedule_deadline(&scheduler, now);
        }
        schedule_next(&scheduler, now);
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(entities[i].run_time, i < sharing ? 1000 : 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_events),
        cmocka_unit_test(test_late_interrupts),
        cmocka_unit_test(test_equal_shares),
    };

    return cmocka_run_group_tests_name("scheduler_model", tests, NULL, NULL);
}
