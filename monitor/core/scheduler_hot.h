/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the scheduler that every world switch passes through, inline for that reason.
 * Included by core/scheduler.h only; see there for what it does and promises.
 */
#ifndef COTENANT_CORE_SCHEDULER_HOT_H
#define COTENANT_CORE_SCHEDULER_HOT_H

/* Behind those of its own priority: the vhart that has been ready longest goes first. */
static inline void insert_ready(struct scheduler *scheduler, struct schedulable *entity)
{
    struct schedulable **link = &scheduler->ready;

    while (*link != NULL && (*link)->priority >= entity->priority) {
        link = &(*link)->next;
    }
    entity->next = *link;
    *link = entity;
    entity->state = SCHEDULABLE_READY;
}

static inline void insert_between(struct scheduler *scheduler, struct schedulable *entity,
                                  struct schedulable *next)
{
    entity->next = next;
    if (next != NULL) {
        next->previous = entity;
    } else {
        scheduler->last = entity;
    }
}

/* It wakes before all that wait; `head` is the first of those, or NULL. */
static inline void insert_first(struct scheduler *scheduler, struct schedulable *entity,
                                struct schedulable *head)
{
    scheduler->waiting = entity;
    insert_between(scheduler, entity, head);
}

/*
 * The head of the list wakes no later. From the end, as those that wait for their next period
 * mostly wake after all others.
 */
static inline void insert_behind(struct scheduler *scheduler, struct schedulable *entity)
{
    struct schedulable *before = scheduler->last;
    struct schedulable *next;

    while (before->wake > entity->wake) {
        before = before->previous;
    }
    next = before->next;
    before->next = entity;
    entity->previous = before;
    insert_between(scheduler, entity, next);
}

static inline void insert_in_line(struct scheduler *scheduler, struct schedulable *entity,
                                  enum schedulable_state state, uint64_t wake)
{
    struct schedulable *head = scheduler->waiting;

    entity->state = state;
    entity->wake = wake;
    if (head == NULL || head->wake > wake) {
        insert_first(scheduler, entity, head);
    } else {
        insert_behind(scheduler, entity);
    }
}

static inline void remove_waiting(struct scheduler *scheduler, struct schedulable *entity)
{
    struct schedulable *next = entity->next;

    if (scheduler->waiting == entity) {
        scheduler->waiting = next;
        return;
    }
    entity->previous->next = next;
    if (next != NULL) {
        next->previous = entity->previous;
    } else {
        scheduler->last = entity->previous;
    }
}

static inline void remove_ready(struct scheduler *scheduler, struct schedulable *entity)
{
    struct schedulable **link = &scheduler->ready;

    while (*link != NULL && *link != entity) {
        link = &(*link)->next;
    }
    if (*link == entity) {
        *link = entity->next;
    }
}

/* A budget that was granted a whole period ago is granted anew. */
static inline void replenish(struct schedulable *entity, uint64_t now)
{
    if (entity->budget != 0 && now - entity->period_start >= entity->period) {
        entity->period_start = now;
        entity->budget_used = 0;
    }
}

static inline void make_ready(struct scheduler *scheduler, struct schedulable *entity, uint64_t now)
{
    replenish(entity, now);
    insert_ready(scheduler, entity);
}

/* A vhart of the same priority is ready behind `head`, which is ready itself. */
static inline bool schedule_has_peer(const struct schedulable *head)
{
    return head->next != NULL && head->next->priority == head->priority;
}

static inline void schedule_charge(struct scheduler *scheduler, uint64_t now)
{
    struct schedulable *running = scheduler->running;
    uint64_t elapsed = now - scheduler->charged;

    scheduler->charged = now;
    if (running == NULL) {
        return;
    }
    running->run_time += elapsed;
    if (running->budget != 0) {
        running->budget_used += elapsed;
    }
    /* A slice begins when another vhart would like to have it. */
    if (running->state == SCHEDULABLE_READY && schedule_has_peer(running)) {
        running->slice_used += elapsed;
    }
}

/* The waiting of `entity` ends now, at or after the moment that it was for. */
static inline void note_lateness(struct schedulable *entity, uint64_t now)
{
    uint64_t lateness = now - entity->wake;

    if (lateness > entity->lateness) {
        entity->lateness = lateness;
    }
}

static inline void wake_due(struct scheduler *scheduler, uint64_t now)
{
    while (scheduler->waiting != NULL && scheduler->waiting->wake <= now) {
        struct schedulable *entity = scheduler->waiting;

        scheduler->waiting = entity->next;
        note_lateness(entity, now);
        make_ready(scheduler, entity, now);
    }
}

static inline void schedule_wait(struct scheduler *scheduler, struct schedulable *entity,
                                 uint64_t wake)
{
    if (entity->state != SCHEDULABLE_READY) {
        return;
    }
    remove_ready(scheduler, entity);
    entity->slice_used = 0;
    insert_waiting(scheduler, entity, SCHEDULABLE_WAITING, wake);
}

static inline struct schedulable *schedule_next(struct scheduler *scheduler, uint64_t now)
{
    struct schedulable *head;

    schedule_charge(scheduler, now);
    wake_due(scheduler, now);

    /* Each round ends a slice or throttles a vhart, neither twice, so the loop ends. */
    for (head = scheduler->ready; head != NULL; head = scheduler->ready) {
        if (schedule_has_peer(head) && head->slice_used >= head->slice) {
            scheduler->ready = head->next;
            head->slice_used = 0;
            insert_ready(scheduler, head);
            continue;
        }
        replenish(head, now);
        if (head->budget == 0 || head->budget_used < head->budget) {
            break;
        }
        scheduler->ready = head->next;
        head->slice_used = 0;
        insert_waiting(scheduler, head, SCHEDULABLE_THROTTLED, head->period_start + head->period);
    }
    if (head != NULL && head != scheduler->running) {
        head->switches++;
    }
    scheduler->running = head;
    return head;
}

static inline uint64_t schedule_deadline(const struct scheduler *scheduler, uint64_t now)
{
    const struct schedulable *running = scheduler->running;
    const struct schedulable *waiting = scheduler->waiting;
    uint64_t deadline = TIME_NEVER;

    if (running != NULL) {
        if (running->budget != 0) {
            deadline = now + (running->budget - running->budget_used);
        }
        if (schedule_has_peer(running)) {
            uint64_t used = running->slice_used;
            uint64_t slice_end = now + (used < running->slice ? running->slice - used : 0);

            deadline = slice_end < deadline ? slice_end : deadline;
        }
        /* A vhart of lower priority could not run anyway: no interrupt for it. */
        while (waiting != NULL && waiting->priority < running->priority) {
            waiting = waiting->next;
        }
    }
    if (waiting != NULL && waiting->wake < deadline) {
        deadline = waiting->wake;
    }
    return deadline;
}

static inline bool schedule_is_outdated(const struct scheduler *scheduler, uint64_t now)
{
    const struct schedulable *running = scheduler->running;
    const struct schedulable *due = scheduler->waiting;

    return due != NULL && due->wake <= now &&
           (running == NULL || due->priority > running->priority);
}

#endif
