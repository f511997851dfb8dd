/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/scheduler.h"

#include <stddef.h>

/* Behind those of its own priority: whoever has been ready longest goes first. */
static void insert_ready(struct scheduler *scheduler, struct schedulable *entity)
{
    struct schedulable **link = &scheduler->ready;

    while (*link != NULL && (*link)->priority >= entity->priority) {
        link = &(*link)->next;
    }
    entity->next = *link;
    *link = entity;
    entity->state = SCHEDULABLE_READY;
}

static void insert_waiting(struct scheduler *scheduler, struct schedulable *entity,
                           enum schedulable_state state, uint64_t wake)
{
    struct schedulable **link = &scheduler->waiting;

    while (*link != NULL && (*link)->wake <= wake) {
        link = &(*link)->next;
    }
    entity->next = *link;
    *link = entity;
    entity->state = state;
    entity->wake = wake;
}

static void remove_from(struct schedulable **list, struct schedulable *entity)
{
    struct schedulable **link = list;

    while (*link != NULL && *link != entity) {
        link = &(*link)->next;
    }
    if (*link == entity) {
        *link = entity->next;
    }
}

/* A budget that was granted a whole period ago is granted anew. */
static void replenish(struct schedulable *entity, uint64_t now)
{
    if (entity->budget != 0 && now - entity->period_start >= entity->period) {
        entity->period_start = now;
        entity->budget_used = 0;
    }
}

static void make_ready(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    replenish(entity, now);
    insert_ready(scheduler, entity);
}

void scheduler_init(struct scheduler *scheduler, uint64_t now)
{
    scheduler->ready = NULL;
    scheduler->waiting = NULL;
    scheduler->running = NULL;
    scheduler->charged = now;
}

void schedule_start(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    entity->slice_used = 0;
    entity->budget_used = 0;
    entity->period_start = now;
    insert_ready(scheduler, entity);
}

void schedule_stop(struct scheduler *scheduler, struct schedulable *entity)
{
    if (entity->state == SCHEDULABLE_READY) {
        remove_from(&scheduler->ready, entity);
    } else if (entity->state != SCHEDULABLE_OFF) {
        remove_from(&scheduler->waiting, entity);
    }
    entity->state = SCHEDULABLE_OFF;
}

void schedule_wait(struct scheduler *scheduler, struct schedulable *entity, uint64_t wake)
{
    if (entity->state != SCHEDULABLE_READY) {
        return;
    }
    remove_from(&scheduler->ready, entity);
    entity->slice_used = 0;
    insert_waiting(scheduler, entity, SCHEDULABLE_WAITING, wake);
}

void schedule_wake(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    if (entity->state == SCHEDULABLE_WAITING) {
        remove_from(&scheduler->waiting, entity);
        make_ready(scheduler, entity, now);
    }
}

static void charge(struct scheduler *scheduler, uint64_t now)
{
    struct schedulable *running = scheduler->running;
    uint64_t elapsed = now - scheduler->charged;

    scheduler->charged = now;
    if (running != NULL) {
        running->run_time += elapsed;
        running->slice_used += elapsed;
        running->budget_used += elapsed;
    }
}

static void wake_due(struct scheduler *scheduler, uint64_t now)
{
    while (scheduler->waiting != NULL && scheduler->waiting->wake <= now) {
        struct schedulable *entity = scheduler->waiting;

        scheduler->waiting = entity->next;
        make_ready(scheduler, entity, now);
    }
}

/* The head of the ready list has had its turn and somebody of equal priority is behind it. */
static bool turn_is_over(const struct schedulable *head)
{
    return head->next != NULL && head->next->priority == head->priority &&
           head->slice_used >= head->slice;
}

struct schedulable *schedule_next(struct scheduler *scheduler, uint64_t now)
{
    struct schedulable *head;

    charge(scheduler, now);
    wake_due(scheduler, now);

    /* Each round throttles one entity, so the loop ends. */
    for (head = scheduler->ready; head != NULL && head->budget != 0; head = scheduler->ready) {
        replenish(head, now);
        if (head->budget_used < head->budget) {
            break;
        }
        scheduler->ready = head->next;
        insert_waiting(scheduler, head, SCHEDULABLE_THROTTLED, head->period_start + head->period);
    }
    if (head != NULL && turn_is_over(head)) {
        scheduler->ready = head->next;
        head->slice_used = 0;
        insert_ready(scheduler, head);
        head = scheduler->ready;
    }
    if (head != NULL && head != scheduler->running) {
        head->switches++;
    }
    scheduler->running = head;
    return head;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t schedule_deadline(const struct scheduler *scheduler, uint64_t now)
{
    const struct schedulable *running = scheduler->running;
    const struct schedulable *waiting = scheduler->waiting;
    uint64_t deadline = TIME_NEVER;

    if (running != NULL) {
        if (running->budget != 0) {
            deadline = now + (running->budget - running->budget_used);
        }
        if (running->next != NULL && running->next->priority == running->priority) {
            uint64_t used = running->slice_used;
            uint64_t left = used < running->slice ? running->slice - used : 0;

            deadline = earlier(deadline, now + left);
        }
        /* Whoever has a lower priority could not run anyway: no interrupt for it. */
        while (waiting != NULL && waiting->priority < running->priority) {
            waiting = waiting->next;
        }
    }
    if (waiting != NULL) {
        deadline = earlier(deadline, waiting->wake);
    }
    return deadline;
}
